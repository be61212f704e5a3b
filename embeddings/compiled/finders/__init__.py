"""Tokenizers, compiled: each gives the row numbers of its plain twin."""
