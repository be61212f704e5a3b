"""Find sentences that mean the same: nearest vectors, translations, paraphrases and duplicates.

On the command line: ``semaniacs mine``.
"""
