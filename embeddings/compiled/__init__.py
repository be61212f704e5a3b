"""The tokenizers and the mean of rows, compiled with Numba.

:func:`~embeddings.compiled.dispatch.finder_for` chooses the compiled twin of a tokenizer by
its type; only :mod:`embeddings.encoder` calls it. Every twin gives the very same numbers as
the plain path. :func:`~embeddings.compiled.mean_rows.average_rows` is the mean of rows,
:func:`~embeddings.compiled.strings.utf8_of` the bytes of strings.
"""
