"""Compiled code: the tokenizer of words, the mean of rows, and kernels that are interpreted for few pairs.

:class:`~embeddings.compiled.word_finder.WordFinder` is the twin of
:class:`~embeddings.tokenizers.words.WordTokenizer`, with the same row numbers, and
:func:`~embeddings.compiled.mean_rows.average_rows` that of :meth:`embeddings.table.Table.means`.
"""
