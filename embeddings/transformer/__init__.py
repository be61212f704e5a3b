"""Transformers: all-MiniLM-L6-v2, the teacher of the bundled vectors, or any BERT-like folder.

:mod:`~semaniacs.embeddings.transformer.bert_folder` reads a folder,
:class:`~semaniacs.embeddings.transformer.transformer_encoder.Transformer` encodes with it,
:mod:`~semaniacs.embeddings.transformer.compiled_forward` is the forward pass,
:mod:`~semaniacs.embeddings.transformer.network` the same in JAX, which trains,
:mod:`~semaniacs.embeddings.transformer.weights` finds the weights of all-MiniLM-L6-v2, and
:class:`~semaniacs.embeddings.transformer.cached_teacher.CachedTeacher` caches sentence vectors.
"""
