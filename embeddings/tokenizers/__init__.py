"""Text to row numbers of a table.

Every tokenizer follows :class:`~embeddings.tokenizers.vocabulary.Tokenizer`:

- :class:`~embeddings.tokenizers.words.WordTokenizer`: words, pieces of unknown words;
- :class:`~embeddings.tokenizers.trigrams.TrigramTokenizer`: character trigrams;
- :class:`~embeddings.tokenizers.sentencepiece.SentencePieceTokenizer`: learned subwords;
- :class:`~embeddings.tokenizers.huggingface.HuggingFaceTokenizer`: another library's.

:mod:`~embeddings.tokenizers.wordpiece` writes our word tokenizer for other libraries.
Faster twins for many sentences are in :mod:`embeddings.compiled`; nothing here knows them.
"""
