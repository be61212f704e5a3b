"""Groups of sentences that mean the same: which there are, and which one to keep of each.

:func:`~embeddings.mining.duplicates.close_pairs.close_pairs` finds every pair of rows above a
cosine, :func:`~embeddings.mining.duplicates.grouping.group` makes groups of them, and
:func:`~embeddings.mining.duplicates.in_memory.duplicates` does both for a list of sentences.
On the command line: ``semaniacs mine duplicates``.
"""
