"""Words, and properties of a sentence that need no model.

- :mod:`.tokenizer`: ``tokenize``, ``words``, ``normalise``, ``fold``, ``same_text``,
  ``script_of``, ``STOP_WORDS``.
- :mod:`.normalisation`: ``normalise_all``, the one form of texts.
- :mod:`.analysis`: ``analyse`` gives a :class:`.Sentence` with tags and lemmas; ``frequency``.
- :mod:`.language`: ``identify``, ``spanish_side``.
- :mod:`.languages_found`: ``NotEnglish``, ``LanguagesFound``, ``AUTO``.
"""
