"""What a sentence asserts, denies, restricts or leaves open, and where two sentences conflict.

Each file registers its columns when it is imported; ``conflicts`` of each says in words what it found.
"""

from features.families.assertions import exclusive_words, factuality, polarity, quantifiers

__all__ = ["exclusive_words", "factuality", "polarity", "quantifiers"]
