"""all-MiniLM-L6-v2 in JAX: the teacher of the bundled vectors, and source of token vectors.

:mod:`~embeddings.transformer.network` is the forward pass,
:mod:`~embeddings.transformer.weights` finds the weights, and
:class:`~embeddings.transformer.cached_teacher.CachedTeacher` caches sentence vectors.
"""
