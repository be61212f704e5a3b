"""Transformers: all-MiniLM-L6-v2, the teacher of the bundled vectors, or any BERT-like folder.

:mod:`~embeddings.transformer.bert_folder` reads a folder,
:class:`~embeddings.transformer.transformer_encoder.Transformer` encodes with it,
:mod:`~embeddings.transformer.compiled_forward` is the forward pass,
:mod:`~embeddings.transformer.network` the same in JAX, which trains,
:mod:`~embeddings.transformer.weights` finds the weights of all-MiniLM-L6-v2, and
:class:`~embeddings.transformer.cached_teacher.CachedTeacher` caches sentence vectors.
"""
