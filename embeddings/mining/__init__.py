"""Find sentences that mean the same: the nearest vectors, bitext and paraphrase mining.

:func:`~embeddings.mining.neighbours.nearest` searches rows in memory or on disk, all of them or by
clusters; :func:`~embeddings.mining.similar_sentences.most_similar` does so for sentences.
:func:`~embeddings.mining.candidates.mine` pairs two sides by margin scores,
:func:`~embeddings.mining.candidates.mine_paraphrases` one list with itself, and
:func:`~embeddings.mining.synthetic_task.make_task` makes a task with gold to measure them on.
On the command line: ``python -m embeddings.mining``.
"""
