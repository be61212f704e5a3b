"""Pooling: rows of words to vectors of sentences.

The words of a batch are stored end to end, with a second array that holds the sentence of
each word. Arrays are padded to one of few sizes, so that few shapes are compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from embeddings.encoder import Encoder
from embeddings.tokenizers.ragged import Ragged

Parameters = Mapping[str, Any]
"""Arrays by name: the trained parameters of a pool."""

Words = NDArray[np.integer[Any]]
"""A number for every word: its place among the rows, or the sentence it is in."""


class Pool(NamedTuple):
    """Functions that make the vector of a sentence from its words.

    Attributes:
        vectors: a pure function of ``parameters``, one row (..., dim) a word, owners (...),
            and lengths (n, 1) of at least 1 → (n, out). A word whose owner is n is padding.
        parameters: their values before training; none for a mean.
        lay_out: places (w,), owners (w,), and lengths (n,) → both arrays as ``vectors`` takes
            them, padded, in an order and a shape of its own.
        encode: parameters, table, sentences → (n, out) without a gradient, if there is a
            faster way than ``vectors`` of all sentences at once.
        each_row: parameters and the distinct rows (r, dim) of a batch → what a word is instead
            of its row, (r, any). Dropout is then drawn once a distinct row, not once a word.
    """

    vectors: Callable[[Parameters, Any, Any, Any], Any]
    parameters: Parameters
    lay_out: Callable[[Words, Words, NDArray[np.int64]], tuple[Words, Words]]
    encode: Callable[[Parameters, Any, Ragged], Any] | None = None
    each_row: Callable[[Parameters, Any], Any] | None = None


def means(_: Parameters, rows: Any, owners: Any, lengths: Any) -> Any:
    """Mean rows (n, dim)."""
    return jax.ops.segment_sum(rows, owners, len(lengths), indices_are_sorted=True) / lengths


def end_to_end(places: Words, owners: Words, lengths: NDArray[np.int64]) -> tuple[Words, Words]:
    """All words one after the other, padded."""
    size = bucket_size(len(places))
    return fill(places, size, 0), fill(owners, size, len(lengths))


MEAN = Pool(means, {}, end_to_end)
"""Word averaging, eq. 1 of Hokamp and Arora (2016); it has no parameters."""


@cache
def limited_mean(limit: float) -> Pool:
    """Return the mean with every number cut to ± a limit; a number that was cut has no gradient."""
    return Pool(lambda *given: jnp.clip(means(*given), -limit, limit), {}, end_to_end)


def mean_pool(encoder: Encoder) -> Pool:
    """Return the pool of an encoder that averages."""
    return MEAN if encoder.limit is None else limited_mean(encoder.limit)


def pack(groups: Sequence[Ragged]) -> tuple[Any, Any, NDArray[np.int64]]:
    """Words of all groups end to end, the sentence of each word among all, and lengths (n,)."""
    joined = Ragged.joined(groups)
    lengths = joined.lengths
    return joined.flat, np.repeat(np.arange(len(lengths), dtype=np.int32), lengths), lengths


def divisors(lengths: NDArray[np.int64]) -> NDArray[np.float32]:
    """Divisors of the sums over words, (n, 1): the lengths, and 1 for a blank sentence."""
    return np.maximum(lengths, 1)[:, None].astype(np.float32)


def bucket_size(needed: int) -> int:
    """The next size of 4, 5, 6, 7, 8, 10, 12, 14, 16, 20 … from ``needed`` on, to pad to."""
    if needed <= 4:
        return 4
    quarter = 1 << ((needed - 1).bit_length() - 3)
    return -(-needed // quarter) * quarter


def fill(values: Any, size: int, filler: Any) -> NDArray[np.int32]:
    """The values (n,), padded to (size,) with ``filler``, a number or an array (size,)."""
    filled = np.full(size, 0, np.int32)
    filled[:] = filler
    filled[: len(values)] = values
    return filled
