"""Text to ids: known words have a row each, unknown words share hashed rows."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sts.text import words

Ids = NDArray[np.int32]


class Vocabulary:
    """The rows of a word table.

    Known words take rows 0 … V-1 in the order given. An unknown word takes one
    of ``buckets`` further rows by its CRC-32: two sentences that share an
    unknown name still share a vector, and no word is ever dropped. (The paper
    gives all unknown words the vector of one rare word, §3.6.)
    """

    def __init__(self, known: Iterable[str], buckets: int) -> None:
        self.known = tuple(known)
        self.buckets = buckets
        if buckets < 1:
            raise ValueError("a vocabulary needs at least one bucket for unknown words")
        if len(self.rows) != len(self.known):
            raise ValueError("a vocabulary lists each word once")

    def __len__(self) -> int:
        """Rows of the table: known words and buckets."""
        return len(self.known) + self.buckets

    def __contains__(self, word: str) -> bool:
        return word in self.rows

    @cached_property
    def rows(self) -> dict[str, int]:
        """Row of each known word."""
        return {word: row for row, word in enumerate(self.known)}

    def row(self, word: str) -> int:
        """Row of any lower-cased word."""
        known = self.rows.get(word)
        if known is not None:
            return known
        return len(self.known) + zlib.crc32(word.encode("utf-8", "surrogatepass")) % self.buckets

    def ids(self, text: str) -> list[int]:
        """Rows of the words of a sentence; empty only for a blank sentence."""
        return [self.row(word) for word in words(text)]

    def unknown_rate(self, texts: Iterable[str]) -> float:
        """Fraction of running words that are not known, as in Table 5 of the paper."""
        running = [word for text in texts for word in words(text)]
        return sum(word not in self.rows for word in running) / max(1, len(running))


def flatten(sequences: Sequence[Sequence[int]]) -> tuple[Ids, NDArray[np.int64]]:
    """Ids end to end and the (n+1,) offsets at which each sequence begins and ends."""
    lengths = np.fromiter((len(s) for s in sequences), np.int64, len(sequences))
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    flat = np.fromiter((i for s in sequences for i in s), np.int32, int(offsets[-1]))
    return flat, offsets


def pad(sequences: Sequence[Sequence[int]]) -> tuple[Ids, NDArray[np.float32]]:
    """Ids (n, t) and mask (n, t); t is the next power of two above the longest sequence.

    Powers of two keep the number of shapes, and so of compilations, small.
    """
    longest = max([1, *map(len, sequences)])
    width = 1 << (longest - 1).bit_length()
    ids = np.zeros((len(sequences), width), np.int32)
    mask = np.zeros((len(sequences), width), np.float32)
    for row, sequence in enumerate(sequences):
        ids[row, : len(sequence)] = sequence
        mask[row, : len(sequence)] = 1.0
    return ids, mask
