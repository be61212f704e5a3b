"""Text to rows of a table: words, trigrams, SentencePiece, Hugging Face."""
