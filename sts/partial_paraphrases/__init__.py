"""Partial paraphrases: pairs that share less and less meaning, made of one that shares all of it."""
