"""The translation memory: every translation is asked for once."""
