"""Search in vectors: the nearest rows by cosine, and the most similar sentences.

:func:`~embeddings.search.neighbours.nearest` searches rows in memory or on disk
(:mod:`~embeddings.search.row_blocks`), all of them or by clusters
(:mod:`~embeddings.search.indexes`).
:func:`~embeddings.search.similar_sentences.most_similar` does so for sentences.
"""
