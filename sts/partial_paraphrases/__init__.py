"""Partial paraphrases: pairs that share less and less meaning, made of one that shares all of it.

- :mod:`.like_words`: the words and phrases of a sentence that may trade places, by tag.
- :mod:`.partial`: groups of four pairs by exchanges (``multi_swap``) or by continuations.
- :mod:`.group_file`: the files of such groups.
"""
