"""What a compiled tokenizer returns, and how it is called."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from embeddings.tokenizers.ragged import Ids


class FoundRows(NamedTuple):
    """Row numbers of many sentences, with gaps between the sentences.

    Attributes:
        ids: row numbers; those of sentence i are ``ids[begins[i]:][:counts[i]]``.
        begins: (n,) where the rows of each sentence begin.
        counts: (n,) how many they are; -1 for a sentence that the plain tokenizer must read.
    """

    ids: Ids
    begins: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def room_for(
        cls, codes: NDArray[np.uint32], begins: NDArray[np.int64], spare: int = 0
    ) -> FoundRows:
        """To be filled: a row for each character, and some to spare for each sentence."""
        count = len(begins) - 1
        return cls(
            np.empty(len(codes) + spare * count, np.int32),
            begins[:-1] + spare * np.arange(count),
            np.empty(count, np.int64),
        )


class Finder(Protocol):
    """A compiled tokenizer: the same row numbers as the plain one, for many sentences."""

    def __call__(self, codes: NDArray[np.uint32], begins: NDArray[np.int64], /) -> FoundRows:
        """The row numbers of n sentences, found without the interpreter's lock.

        Args:
            codes: (characters,) code points of all sentences, end to end.
            begins: (n + 1,) where each sentence begins and ends in ``codes``.
        """
