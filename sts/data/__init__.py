"""Pairs of sentences: where they come from, how they are read and verified."""
