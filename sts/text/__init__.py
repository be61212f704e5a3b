"""Words, and properties of a sentence that need no model.

- :mod:`.tokenizer`: ``tokenize``, ``words``, ``normalise``, ``fold``, ``STOP_WORDS``.
- :mod:`.analysis`: ``analyse`` gives a :class:`.Sentence` with tags and lemmas.
- :mod:`.language`: ``identify``, ``language_log_odds``, ``spanish_side``.
- :mod:`.script`: ``script_of``, ``is_mostly_outside``.
- :mod:`.languages_found`: ``NotEnglish``, ``LanguagesFound``, ``AUTO``.
"""
