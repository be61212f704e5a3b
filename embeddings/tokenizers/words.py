"""Text to ids: known words have a row each, other words are put together from pieces.

A word that is not known is spelled from pieces, the longest first, as WordPiece
does (Schuster and Nakajima, 2012; Devlin et al., 2019): "unfriended" may become
unfriend + ##ed. A word with a character that no piece covers takes one of a few
hashed rows, so that no word is ever dropped and two sentences that share a
strange name still share a vector. (Hokamp and Arora, 3.6, give all unknown
words the vector of one rare word.)
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sts.text.tokenizer import words

Ids = NDArray[np.int32]

INSIDE = "##"
"""How a piece is marked that does not begin a word."""

LONGEST = 100
"""Words of more characters than this are hashed."""


class Found(NamedTuple):
    """Rows of many sentences, with gaps between them.

    Attributes:
        ids: rows; those of sentence i are ``ids[begins[i]:][:counts[i]]``.
        begins: (n,) where those of each sentence begin.
        counts: (n,) how many they are; -1 for a sentence that the plain path must read.
    """

    ids: Ids
    begins: NDArray[np.int64]
    counts: NDArray[np.int64]


class Finder(Protocol):
    """The compiled twin of a vocabulary: the same rows, of many sentences at once."""

    def __call__(self, codes: NDArray[np.uint32], begins: NDArray[np.int64], /) -> Found:
        """The rows of n sentences, without the interpreter's lock.

        Args:
            codes: (characters,) code points of all sentences, end to end.
            begins: (n + 1,) where each sentence begins and ends in ``codes``.
        """


class AnyVocabulary(Protocol):
    """What an encoder asks of its vocabulary: text to rows, and what the rows are."""

    buckets: int

    @property
    def known(self) -> Sequence[str]:
        """The entry of each row; the hashed rows, which follow, have none."""

    @property
    def rows(self) -> dict[str, int]:
        """Row of each entry."""

    def __len__(self) -> int:
        """Rows of the table."""

    def __contains__(self, entry: str) -> bool: ...

    def ids(self, text: str) -> list[int]:
        """Rows of a sentence, in its order."""

    def unknown_rate(self, texts: Iterable[str]) -> float:
        """Fraction of what is read that has no row of its own."""

    def finder(self) -> Finder | None:
        """The compiled twin, made now; None if there is none."""


class Entries:
    """Rows of a table: a list of entries in the order given, then rows that all others share.

    Args:
        known: the entries, each once.
        buckets: rows for what is not listed, chosen by CRC-32.

    Raises:
        ValueError: no bucket, or an entry that is listed twice.
    """

    def __init__(self, known: Iterable[str], buckets: int) -> None:
        self.known = tuple(known)
        self.buckets = buckets
        if buckets < 1:
            raise ValueError("a vocabulary needs at least one bucket for what is not listed")
        if len(self.rows) != len(self.known):
            raise ValueError("a vocabulary lists each entry once")

    def __len__(self) -> int:
        """Rows of the table: entries and buckets."""
        return len(self.known) + self.buckets

    def __contains__(self, entry: str) -> bool:
        return entry in self.rows

    @cached_property
    def rows(self) -> dict[str, int]:
        """Row of each entry."""
        return {entry: row for row, entry in enumerate(self.known)}

    def bucket(self, text: str) -> int:
        """The hashed row of what is not listed."""
        return len(self.known) + zlib.crc32(text.encode("utf-8", "surrogatepass")) % self.buckets


class Vocabulary(Entries):
    """Words: known ones have a row each, others are spelled from pieces or hashed.

    Args:
        known: words, and pieces that begin with ``##``.
        buckets: rows shared by all words that cannot be spelled, chosen by CRC-32.
    """

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

    def ids(self, text: str) -> list[int]:
        """Rows of the words of a sentence; empty only for a blank sentence."""
        return [row for word in words(text) for row in self.rows_of(word)]

    def finder(self) -> Finder:
        """The compiled twin of :meth:`ids`."""
        from embeddings.compiled.word_finder import WordFinder

        return WordFinder(self)

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
