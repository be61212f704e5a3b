"""Assertions, denials, quantifiers and open statements of a sentence, and conflicts of two.

Each file registers its columns when it is imported; ``conflicts`` of each says in words what it found.
"""

from features.families.assertions import exclusive_words, factuality, polarity, quantifiers

__all__ = ["exclusive_words", "factuality", "polarity", "quantifiers"]
