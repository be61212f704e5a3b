"""Find pairs of sentences that mean the same: bitext and paraphrase mining.

:func:`~embeddings.mining.candidates.mine` pairs two sides by margin scores,
:func:`~embeddings.mining.paraphrase_mining.mine_paraphrases` one list with itself, and
:func:`~embeddings.mining.synthetic_task.make_task` makes a task with gold to measure them on.
On the command line: ``python -m embeddings.mining``.
"""
