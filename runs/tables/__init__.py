"""Formats of tables, and published figures."""
