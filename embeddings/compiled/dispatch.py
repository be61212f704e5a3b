"""The compiled form of a tokenizer, chosen by its type."""

from __future__ import annotations

from embeddings.compiled.found_rows import Finder
from embeddings.tokenizers.protocol import Tokenizer
from embeddings.tokenizers.sentencepiece import SentencePieceTokenizer
from embeddings.tokenizers.trigrams import TrigramTokenizer
from embeddings.tokenizers.words import WordTokenizer


def finder_for(tokenizer: Tokenizer) -> Finder | None:
    """A compiled twin of a tokenizer, made now; None if there is none for its type.

    Numba is imported only where a twin is made.
    """
    match tokenizer:
        case WordTokenizer():
            from embeddings.compiled.finders.word_finder import WordFinder

            return WordFinder(tokenizer)
        case TrigramTokenizer():
            from embeddings.compiled.finders.trigram_finder import TrigramFinder

            return TrigramFinder(tokenizer)
        case SentencePieceTokenizer() if (unigram := tokenizer.unigram_model()) is not None:
            from embeddings.compiled.finders.piece_finder import PieceFinder

            return PieceFinder(tokenizer, *unigram)
    return None
