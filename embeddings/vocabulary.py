"""Text to ids: known words have a row each, other words are put together from pieces.

A word that is not known is spelled from pieces, the longest first, as WordPiece
does (Schuster and Nakajima, 2012; Devlin et al., 2019): "unfriended" may become
unfriend + ##ed. A word with a character that no piece covers takes one of a few
hashed rows, so that no word is ever dropped and two sentences that share a
strange name still share a vector. (Hokamp and Arora, §3.6, give all unknown
words the vector of one rare word.)
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sts.text import words

Ids = NDArray[np.int32]

INSIDE = "##"
"""How a piece is marked that does not begin a word."""

LONGEST = 100
"""Words of more characters than this are hashed."""


class Vocabulary:
    """The rows of a word table: entries in the order given, then the hashed rows.

    Args:
        known: words, and pieces that begin with ``##``.
        buckets: rows shared by all words that cannot be spelled, chosen by CRC-32.
    """

    def __init__(self, known: Iterable[str], buckets: int) -> None:
        self.known = tuple(known)
        self.buckets = buckets
        if buckets < 1:
            raise ValueError("a vocabulary needs at least one bucket for unknown words")
        if len(self.rows) != len(self.known):
            raise ValueError("a vocabulary lists each word once")

    def __len__(self) -> int:
        """Rows of the table: known words, pieces and buckets."""
        return len(self.known) + self.buckets

    def __contains__(self, word: str) -> bool:
        return word in self.rows

    @cached_property
    def rows(self) -> dict[str, int]:
        """Row of each known word and piece."""
        return {word: row for row, word in enumerate(self.known)}

    @cached_property
    def spells(self) -> bool:
        """Whether there are any pieces to spell unknown words with."""
        return any(word.startswith(INSIDE) for word in self.known)

    def rows_of(self, word: str) -> list[int]:
        """Rows of any lower-cased word: its own, or its pieces', or a hashed one."""
        if len(word) > LONGEST:
            return [self.bucket(word)]
        known = self.rows.get(word)
        if known is not None:
            return [known]
        return self.spell(word) or [self.bucket(word)]

    def spell(self, word: str) -> list[int]:
        """Rows of the pieces of a word, the longest first; empty if it cannot be spelled."""
        spelled: list[int] = []
        if not self.spells:
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

    def bucket(self, word: str) -> int:
        """The hashed row of a word."""
        return len(self.known) + zlib.crc32(word.encode("utf-8", "surrogatepass")) % self.buckets

    def ids(self, text: str) -> list[int]:
        """Rows of the words of a sentence; empty only for a blank sentence."""
        return [row for word in words(text) for row in self.rows_of(word)]

    def unknown_rate(self, texts: Iterable[str]) -> float:
        """Fraction of running words that have no row of their own, as in Table 5 of the paper."""
        running = [word for text in texts for word in words(text)]
        return sum(word not in self.rows for word in running) / max(1, len(running))


class Ragged(NamedTuple):
    """Rows of the words of many sentences.

    Attributes:
        flat: (words,) all rows, end to end.
        offsets: (n + 1,) where each sentence begins and ends in ``flat``.
    """

    flat: Ids
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, sequences: Sequence[Sequence[int]]) -> Ragged:
        """The rows of each sentence, from lists of them."""
        lengths = np.fromiter((len(s) for s in sequences), np.int64, len(sequences))
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        return cls(np.fromiter((i for s in sequences for i in s), np.int32, offsets[-1]), offsets)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """(n,) words of each sentence."""
        return np.diff(self.offsets)

    def take(self, sentences: NDArray[np.int64]) -> Ragged:
        """Some of the sentences, in the order asked for."""
        lengths = self.lengths[sentences]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        shift = np.repeat(self.offsets[sentences] - offsets[:-1], lengths)
        return Ragged(self.flat[np.arange(offsets[-1]) + shift], offsets)
