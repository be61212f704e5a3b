"""Lists of row numbers of different lengths, stored end to end."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int32]


class Ragged(NamedTuple):
    """The row numbers of many sentences.

    Attributes:
        flat: (words,) all row numbers, end to end.
        offsets: (n + 1,) where each sentence begins and ends in ``flat``.
    """

    flat: Ids
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, sequences: Sequence[Sequence[int]]) -> Ragged:
        """Join one list of row numbers per sentence."""
        lengths = np.fromiter(map(len, sequences), np.int64, len(sequences))
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        return cls(np.fromiter(chain.from_iterable(sequences), np.int32, offsets[-1]), offsets)

    @classmethod
    def joined(cls, parts: Sequence[Ragged]) -> Ragged:
        """The sentences of all parts, one after the other."""
        lengths = np.concatenate([part.lengths for part in parts])
        flat = np.concatenate([part.flat for part in parts])
        return cls(flat, np.concatenate([[0], np.cumsum(lengths)]))

    @property
    def lengths(self) -> NDArray[np.int64]:
        """(n,) number of words of each sentence."""
        return np.diff(self.offsets)

    def take(self, sentences: NDArray[np.int64]) -> Ragged:
        """The sentences with these indices, in the order given."""
        lengths = self.lengths[sentences]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        shift = np.repeat(self.offsets[sentences] - offsets[:-1], lengths)
        return Ragged(self.flat[np.arange(offsets[-1]) + shift], offsets)
