"""Partial paraphrases: groups of four pairs that share less and less meaning, made and ranked."""
