"""Transformers that read both sentences of a pair, and score it: the two ways of reading."""
