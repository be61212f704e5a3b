"""A word averaging encoder in training: word rows, a pool over them, and an objective.

The words of a batch are stored end to end, with a second array that holds the sentence of each
word. Arrays are padded to one of few sizes, so that few shapes are compiled. Dropout (Srivastava
et al., 2014) draws the numbers of a step from the seed and the number of the step alone, so that a
training that was resumed draws the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.table import Vectors
from semaniacs.embeddings.tokenizers.row_numbers import Ragged
from semaniacs.embeddings.training.sparse_rows import Optimizer, SparseRows, bucket_size, fill
from semaniacs.embeddings.training.trainable import Batch, Inputs, Trainable

ROWS, POOL = "rows", "pool"

Objective = Callable[..., jax.Array]
"""(an (n, dim) array of vectors per group of sentences, then the extra arrays) → scalar."""

Parameters = Mapping[str, Any]  # arrays by name: the trained parameters of a pool

Words = NDArray[np.integer[Any]]
"""A number for every word: its place among the rows, or the sentence it is in."""

LEVELS = 1 << 16  # levels that the probability of dropout is rounded to


class Pool(NamedTuple):
    """Functions that make the vector of a sentence from its words.

    Attributes:
        vectors: pure function of ``parameters``, one row (..., dim) per word, owners (...),
            and lengths (n, 1) of at least 1 → (n, out). A word whose owner is n is padding.
        parameters: their values before training; none for a mean.
        lay_out: places (w,), owners (w,), and lengths (n,) → both arrays as ``vectors`` takes
            them, padded, in an order and a shape of its own.
        encode: parameters, table, sentences → (n, out) without a gradient, if there is a
            faster way than ``vectors`` of all sentences at once.
        each_row: parameters and the distinct rows (r, dim) of a batch → what a word is instead
            of its row, (r, any). Dropout is then drawn once per distinct row, not per word. Such
            a pool has an ``encode``.
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


def draw(seed: int, step: int, shape: tuple[int, int]) -> NDArray[np.uint16]:
    """Random numbers from 0 to 65,535; with more rows in ``shape`` the first ones stay the same."""
    numbers = shape[0] * shape[1]
    bits = np.random.default_rng([seed, step]).integers(0, 1 << 64, -(-numbers // 4), np.uint64)
    return bits.view(np.uint16)[:numbers].reshape(shape)


def drop(rows: Any, drawn: Any, rate: float) -> Any:
    """Set each number of the rows to zero with probability p = ``rate``, and scale up the others.

    They are multiplied by 1 / (1 − p), so that the mean stays the same. ``drawn`` comes from
    :func:`draw` and has the shape of the rows.
    """
    dropped = min(round(rate * LEVELS), LEVELS - 1)
    return jnp.where(drawn < dropped, 0.0, rows * (LEVELS / (LEVELS - dropped)))


@dataclass(frozen=True)
class SentenceLoss:
    """Loss of a batch of sentences, from the rows of its words: an objective of the sentence vectors, group
    by group, functions of a :class:`Pool`, and the probability of dropout.
    """

    objective: Objective
    vectors_of: Callable[..., Any]
    each_row: Callable[..., Any] | None
    dropout: float

    def __call__(
        self,
        parameters: dict[str, Any],
        words: Any,
        owners: Any,
        divisors: tuple[Any, ...],
        drawn: Any,
        extra: tuple[Any, ...],
    ) -> jax.Array:
        """Return the loss; ``words`` are places among the rows, ``divisors`` (n, 1) per group."""
        rows = parameters[ROWS] if self.each_row else parameters[ROWS][words]
        if drawn is not None:
            rows = drop(rows, drawn, self.dropout)
        if self.each_row:
            rows = self.each_row(parameters[POOL], rows)[words]
        lengths = jnp.concatenate(divisors)
        vectors = self.vectors_of(parameters[POOL], rows, owners, lengths)
        groups = jnp.split(vectors, np.cumsum([len(group) for group in divisors])[:-1])
        return self.objective(*groups, *extra)


class SentenceModel(Trainable):
    """Table (rows, dim) of word rows and a pool, trained by an objective over sentence vectors.

    Args:
        l2_to_init: λ of the weight decay of the rows of a batch towards their start.
        pool: from rows to sentence vectors. Its own parameters are trained by Adam
            (Kingma and Ba, 2015) at the same learning rate.
        dropout: probability, from 0 to below 1, else a ValueError, with which a step leaves out each
            number of each word, or of each distinct row if the pool says so.
        seed: of the dropout.
    """

    def __init__(
        self,
        table: Vectors,
        optimizer: Optimizer,
        objective: Objective,
        *,
        l2_to_init: float = 0.0,
        pool: Pool = MEAN,
        dropout: float = 0.0,
        seed: int = 0,
    ) -> None:
        if not 0 <= dropout < 1:
            raise ValueError(f"dropout is {dropout}, expected a number from 0 to below 1")
        self.pool, self.dropout, self.seed = pool, dropout, seed
        self.dim = table.shape[1]
        rows = SparseRows(table, optimizer, l2_to_init)
        super().__init__(
            {ROWS: rows, POOL: dict(pool.parameters)},
            SentenceLoss(objective, pool.vectors, pool.each_row, dropout),
        )

    @property
    def pool_parameters(self) -> Parameters:
        """The pool's parameters as they are now."""
        parameters: Parameters = self.dense[POOL]
        return parameters

    def rows(self) -> Vectors:
        """Return the table (rows, dim) with every row brought up to date."""
        return self.sparse[ROWS].updated(self.steps, self.rate)

    def inputs(self, batch: Batch) -> Inputs:
        """Return the words of a batch, padded, as places among its distinct rows."""
        flat, sentences, lengths = pack(batch.groups)
        rows, places = np.unique(flat, return_inverse=True)
        words, owners = self.pool.lay_out(places, sentences, lengths)
        size = bucket_size(len(rows)) if self.pool.each_row else len(words)
        drawn = draw(self.seed, self.steps + 1, (size, self.dim)) if self.dropout else None
        divided = tuple(divisors(group.lengths) for group in batch.groups)
        return Inputs({ROWS: rows}, (words, owners, divided, drawn, batch.extra))

    def encode(self, sentences: Ragged) -> jax.Array:
        """Sentence vectors (n, out) without dropout.

        Rows that an optimizer moves without a gradient may lag behind.
        """
        parameters, table = self.pool_parameters, self.sparse[ROWS].stored.table
        if self.pool.encode:
            return jnp.asarray(self.pool.encode(parameters, table, sentences))
        flat, owners, lengths = pack([sentences])
        words = self.pool.lay_out(flat, owners, lengths)
        found: jax.Array = _encode(parameters, table, *words, divisors(lengths), self.pool.vectors)
        return found


@partial(jax.jit, static_argnames="vectors_of")
def _encode(
    parameters: Parameters,
    table: Any,
    words: Any,
    owners: Any,
    lengths: Any,
    vectors_of: Callable[..., Any],
) -> Any:
    return vectors_of(parameters, table[words], owners, lengths)
