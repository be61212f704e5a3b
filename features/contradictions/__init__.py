"""Contradictions of two texts, in words, and answers beside their question."""
