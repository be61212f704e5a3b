"""Text to row numbers by words; unknown words are spelled from pieces.

An unknown word is cut into known pieces, the longest first, as WordPiece does (Schuster
and Nakajima, 2012; Devlin et al., 2019): "unfriended" may become unfriend + ##ed. A word
with a character that no piece covers takes one of a few hashed rows, so that no word is
dropped and two sentences that share a rare name still share a vector. (Hokamp and Arora,
2016, 3.6, give all unknown words the vector of one rare word.)
"""

from __future__ import annotations

from functools import cached_property

from semaniacs.embeddings.tokenizers.vocabulary import HashedVocabulary
from semaniacs.sts.text.tokenizer import words

INSIDE = "##"
"""The mark of a piece that does not begin a word."""

LONGEST = 100
"""Words of more characters than this are hashed."""


class WordTokenizer(HashedVocabulary):
    """Known words have a row each; others are spelled from pieces, or hashed.

    Args:
        known: words, and pieces that begin with ``##``.
        buckets: number of rows shared by the words that cannot be spelled.
    """

    @cached_property
    def has_pieces(self) -> bool:
        """Return whether there are any pieces to spell unknown words with."""
        return any(word.startswith(INSIDE) for word in self.known)

    def rows_of(self, word: str) -> list[int]:
        """Row numbers of any lower-cased word: its own, its pieces', or a hashed one."""
        if len(word) > LONGEST:
            return [self.bucket(word)]
        known = self.rows.get(word)
        if known is not None:
            return [known]
        return self.spell(word) or [self.bucket(word)]

    def spell(self, word: str) -> list[int]:
        """Row numbers of a word's pieces, the longest first; empty if it cannot be spelled."""
        spelled: list[int] = []
        if not self.has_pieces:
            return spelled
        start = 0
        while start < len(word):
            mark = INSIDE if start else ""
            for end in range(len(word), start, -1):
                row = self.rows.get(mark + word[start:end])
                if row is not None:
                    break
            else:
                return []
            spelled.append(row)
            start = end
        return spelled

    def entries(self, text: str) -> list[str]:
        """The words of a sentence."""
        return words(text)

    def ids(self, text: str) -> list[int]:
        """Row numbers of the words of a sentence; empty only for a blank sentence."""
        return [row for word in words(text) for row in self.rows_of(word)]
