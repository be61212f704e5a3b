"""Compiled code: the tokenizer of words, and the mean of rows.

:class:`~semaniacs.embeddings.compiled.word_finder.WordFinder` is the twin of
:class:`~semaniacs.embeddings.tokenizers.row_numbers.WordTokenizer`, with the same row numbers, and
:func:`~semaniacs.embeddings.compiled.mean_rows.average_rows` that of :meth:`semaniacs.embeddings.table.Table.means`.
"""
