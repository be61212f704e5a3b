"""What a compiled tokenizer returns, and how it is called."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from embeddings.tokenizers.ragged import Ids
from embeddings.tokenizers.utf8 import Utf8Sentences


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


class Finder(Protocol):
    """A compiled tokenizer: the same row numbers as the plain one, for many sentences."""

    def __call__(self, sentences: Utf8Sentences, /) -> FoundRows:
        """The row numbers of n sentences, found without the interpreter's lock.

        Raises:
            UnicodeDecodeError: a sentence is not UTF-8. It may be left to the plain path instead,
                where it is raised.
        """
