"""Encoders on disk: a single file, a folder, other libraries' formats."""
