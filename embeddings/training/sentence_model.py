"""An encoder in training: word rows, a pool over them, and an objective."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from embeddings.table import Vectors
from embeddings.tokenizers.ragged import Ragged
from embeddings.training.optimizers import Optimizer
from embeddings.training.sparse.dropout import draw, drop
from embeddings.training.sparse.pooling import (
    MEAN,
    Parameters,
    Pool,
    bucket_size,
    divisors,
    pack,
)
from embeddings.training.sparse.sparse_rows import SparseRows
from embeddings.training.trainable import Batch, Inputs, Trainable

ROWS, POOL = "rows", "pool"

Objective = Callable[..., jax.Array]
"""(an (n, dim) array of vectors a group of sentences, then the extra arrays) → scalar."""


@dataclass(frozen=True)
class SentenceLoss:
    """The loss of a batch of sentences, from the rows of its words.

    Attributes:
        objective: of the sentence vectors, group by group.
        vectors_of, each_row: of the pool, see :class:`Pool`.
        dropout: probability with which each number of each row is left out.
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
        """The loss; ``words`` are places among the rows, ``divisors`` (n, 1) of each group."""
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
    """A table of word rows and a pool, trained by an objective over sentence vectors.

    Args:
        table: (rows, dim), where training starts from.
        optimizer: of the rows, see :mod:`embeddings.training.optimizers`.
        objective: of the sentence vectors of a batch.
        l2_to_init: λ of the weight decay of the rows of a batch towards their start.
        pool: from rows to sentence vectors. Its own parameters are trained by Adam
            (Kingma and Ba, 2015) at the same learning rate.
        dropout: probability, from 0 to below 1, with which a step leaves out each number
            of each word, or of each distinct row if the pool says so; see :mod:`embeddings.training.sparse.dropout`.
        seed: of the dropout.

    Raises:
        ValueError: ``dropout`` is no such probability.
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
    def table(self) -> jax.Array:
        """The rows (rows, dim); those that an optimizer moves without a gradient may lag behind."""
        return self.sparse[ROWS].stored.table

    @property
    def pool_parameters(self) -> Parameters:
        """The pool's parameters as they are now."""
        parameters: Parameters = self.dense[POOL]
        return parameters

    def rows(self) -> Vectors:
        """The table (rows, dim) with every row brought up to date."""
        return self.sparse[ROWS].updated(self.steps, self.rate)

    def inputs(self, batch: Batch) -> Inputs:
        """The words of a batch, padded, as places among its distinct rows."""
        flat, sentences, lengths = pack(batch.groups)
        rows, places = np.unique(flat, return_inverse=True)
        words, owners = self.pool.lay_out(places, sentences, lengths)
        size = bucket_size(len(rows)) if self.pool.each_row else len(words)
        drawn = draw(self.seed, self.steps + 1, (size, self.dim)) if self.dropout else None
        divided = tuple(divisors(group.lengths) for group in batch.groups)
        arrays = (words, owners, divided, drawn, batch.extra)
        return Inputs({ROWS: rows}, arrays)

    def encode(self, sentences: Ragged) -> jax.Array:
        """Sentence vectors (n, out) by :attr:`table`, without dropout."""
        if self.pool.encode:
            return jnp.asarray(self.pool.encode(self.pool_parameters, self.table, sentences))
        flat, owners, lengths = pack([sentences])
        vectors: jax.Array = _encode(
            self.pool_parameters,
            self.table,
            *self.pool.lay_out(flat, owners, lengths),
            divisors(lengths),
            vectors_of=self.pool.vectors,
            each_row=self.pool.each_row,
        )
        return vectors


@partial(jax.jit, static_argnames=("vectors_of", "each_row"))
def _encode(
    parameters: Parameters,
    table: Any,
    words: Any,
    owners: Any,
    lengths: Any,
    *,
    vectors_of: Callable[..., Any],
    each_row: Callable[..., Any] | None,
) -> Any:
    rows = table[words]
    if each_row:
        rows = each_row(parameters, rows)
    return vectors_of(parameters, rows, owners, lengths)
