"""Compiled code: the tokenizer of words, the mean of rows, and kernels that are interpreted for few pairs.

:class:`~semaniacs.embeddings.compiled.word_finder.WordFinder` is the twin of
:class:`~semaniacs.embeddings.tokenizers.words.WordTokenizer`, with the same row numbers, and
:func:`~semaniacs.embeddings.compiled.mean_rows.average_rows` that of :meth:`semaniacs.embeddings.table.Table.means`.
"""
