"""Text to row numbers by character trigrams (Wieting et al., 2016a): the encoder TRIGRAM.

A sentence is normalised, put in lower case and framed by spaces; every three characters
in a row are one entry. Trigrams that are not listed take a hashed row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from embeddings.tokenizers.ragged import Ragged
from embeddings.tokenizers.sentencepiece import readable
from embeddings.tokenizers.vocabulary import HashedVocabulary

_BITS = 21
"""Bits of a code point: three of them are one 64-bit key."""


def trigrams(text: str) -> list[str]:
    """Return every three characters in a row of a sentence framed by spaces; none if it is blank."""
    padded = f" {readable(text)} "
    return [padded[i : i + 3] for i in range(len(padded) - 2)] if padded.strip() else []


def _keys_of(text: str) -> NDArray[np.int64]:
    """A number for every three characters in a row."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.int64)
    return codes[:-2] << (2 * _BITS) | codes[1:-1] << _BITS | codes[2:]


class TrigramTokenizer(HashedVocabulary):
    """Trigrams have a row each, in the order given; hashed rows follow."""

    def entries(self, text: str) -> list[str]:
        """Return the trigrams of a sentence; none if it is blank."""
        return trigrams(text)

    def identity(self) -> str:
        """Return everything that decides :meth:`ids`."""
        return "trigrams" + super().identity()

    def ids_of_many(self, texts: Sequence[str]) -> Ragged:
        """Return the row numbers of many sentences; equal to those of :meth:`ids`."""
        padded = [f" {text} " if text else "" for text in map(readable, texts)]
        ends = np.cumsum([0, *map(len, padded)])
        counts = np.maximum(np.diff(ends) - 2, 0)
        inside = np.ones(max(int(ends[-1]) - 2, 0), bool)  # not from one sentence to the next
        for overlap in (1, 2):
            across = ends[1:] - overlap
            inside[across[(across >= 0) & (across < len(inside))]] = False
        joined = "".join(padded)
        _, first, places = np.unique(
            _keys_of(joined)[inside], return_index=True, return_inverse=True
        )
        begins = np.flatnonzero(inside)[first].tolist()
        rows = np.array([self.row(joined[begin : begin + 3]) for begin in begins], np.int32)
        return Ragged(rows[places], np.concatenate([[0], np.cumsum(counts)]))


def frequent(entries: Iterable[str], size: int) -> list[str]:
    """The ``size`` most frequent of some entries; of equal ones the first in the alphabet."""
    counts = Counter(entries)
    return sorted(counts, key=lambda entry: (-counts[entry], entry))[:size]
