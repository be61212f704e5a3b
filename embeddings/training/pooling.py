"""From the rows of words to the vectors of sentences.

The words of a batch lie end to end. Whose each of them is says a second array,
and arrays are filled up to a few sizes so that little is compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np
from numpy.typing import NDArray

from embeddings.tokenizers.ragged import Ragged

Parameters = Mapping[str, Any]
"""Arrays by name: all that a pool learns."""


class Pool(NamedTuple):
    """How the words of a sentence become its vector.

    Attributes:
        vectors: a pure function of ``parameters``, rows (w, dim) of all words, owners
            (w,), lengths (n, 1) of at least 1, and cells → (n, out). A word whose owner
            is n is padding.
        parameters: where the training of the function starts; none for a mean.
        lay_out: lengths (n,) → cells, an array that tells how the words are to be laid
            out for ``vectors``; None if end to end is good enough.
        encode: parameters, table, sentences → (n, out) without a gradient, where there
            is a better way than ``vectors`` of all sentences at once.
    """

    vectors: Callable[[Parameters, Any, Any, Any, Any], Any]
    parameters: Parameters
    lay_out: Callable[[NDArray[np.int64]], NDArray[np.int32] | None]
    encode: Callable[[Parameters, Any, Ragged], Any] | None = None


def means(_: Parameters, rows: Any, owners: Any, lengths: Any, __: None) -> Any:
    """Mean rows (n, dim)."""
    return jax.ops.segment_sum(rows, owners, len(lengths), indices_are_sorted=True) / lengths


MEAN = Pool(means, {}, lambda _: None)
"""Word averaging, eq. 1 of Hokamp and Arora (2016): nothing is learned but the rows."""


def pack(groups: Sequence[Ragged]) -> tuple[Any, Any, NDArray[np.int64]]:
    """Words of all groups end to end, the sentence of each word, and lengths (n,).

    The sentences of all groups are counted through.
    """
    lengths = np.concatenate([group.lengths for group in groups])
    words = np.concatenate([group.flat for group in groups])
    return words, np.repeat(np.arange(len(lengths), dtype=np.int32), lengths), lengths


def divisors(lengths: NDArray[np.int64]) -> NDArray[np.float32]:
    """What sums over words are divided by, (n, 1): the lengths, and 1 for a blank sentence."""
    return np.maximum(lengths, 1)[:, None].astype(np.float32)


def room(needed: int) -> int:
    """The next of 4, 5, 6, 7, 8, 10, 12, 14, 16, 20 …: few shapes to compile, little padding."""
    if needed <= 4:
        return 4
    quarter = 1 << ((needed - 1).bit_length() - 3)
    return -(-needed // quarter) * quarter


def fill(values: Any, size: int, filler: Any) -> NDArray[np.int32]:
    """The values (n,), and behind them those of ``filler``, one or as many: (size,)."""
    filled = np.full(size, 0, np.int32)
    filled[:] = filler
    filled[: len(values)] = values
    return filled
