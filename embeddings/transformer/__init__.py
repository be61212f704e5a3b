"""Transformers: gte, which ships, or any BERT-like folder.

:mod:`~semaniacs.embeddings.transformer.small_file` is the file of the one that ships,
:mod:`~semaniacs.embeddings.transformer.bert_folder` reads a folder, such as that of all-MiniLM-L6-v2,
:class:`~semaniacs.embeddings.transformer.transformer_encoder.Transformer` encodes with it,
:mod:`~semaniacs.embeddings.transformer.compiled_forward` is the forward pass,
:mod:`~semaniacs.embeddings.transformer.network` the same in JAX, which trains, and
:class:`~semaniacs.embeddings.transformer.cached_teacher.CachedTeacher` caches sentence vectors.
"""
