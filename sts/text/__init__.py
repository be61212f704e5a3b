"""What a word is, and what is known of a sentence without a model.

- :mod:`.tokenizer`: ``tokenize``, ``words``, ``normalise``, ``fold``, ``STOP_WORDS``.
- :mod:`.analysis`: ``analyse`` gives a :class:`.Sentence` with tags and lemmas.
- :mod:`.language`: ``identify``, ``find_spanish``, ``spanish_side``.
"""
