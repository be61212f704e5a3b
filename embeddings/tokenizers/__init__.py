"""Text to row numbers of a table.

Every tokenizer extends :class:`~semaniacs.embeddings.tokenizers.row_numbers.Tokenizer`:

- :class:`~semaniacs.embeddings.tokenizers.row_numbers.WordTokenizer`: words, pieces of unknown words;
- :class:`~semaniacs.embeddings.tokenizers.subwords.TrigramTokenizer`: character trigrams;
- :class:`~semaniacs.embeddings.tokenizers.subwords.SentencePieceTokenizer`: learned subwords;
- :class:`~semaniacs.embeddings.tokenizers.huggingface.HuggingFaceTokenizer`: another library's.

:mod:`~semaniacs.embeddings.tokenizers.wordpiece` writes our word tokenizer for other libraries.
Faster twins for many sentences are in :mod:`semaniacs.embeddings.compiled`; nothing here knows them.
"""
