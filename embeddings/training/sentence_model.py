"""An encoder in training: word rows, a pool over them, an objective, and the compiled step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from embeddings.table import Vectors
from embeddings.tokenizers.ragged import Ragged
from embeddings.training.losses import l2_to_init
from embeddings.training.optimizers import Optimizer
from embeddings.training.sparse.dropout import draw, drop
from embeddings.training.sparse.pooling import (
    MEAN,
    Parameters,
    Pool,
    bucket_size,
    divisors,
    fill,
    pack,
)
from embeddings.training.sparse.sparse_rows import SparseRows, Stored, Touched, put, take

Objective = Callable[..., jax.Array]
"""(an (n, dim) array of vectors a group of sentences, then the extra arrays) → scalar."""

_ADAM = optax.adam(1.0)
"""Of the pool's parameters; the step multiplies its updates by the scheduled rate."""


class Batch(NamedTuple):
    """What one step is trained on: groups of sentences, and further arrays for the objective."""

    groups: Sequence[Ragged]
    extra: tuple[Any, ...] = ()


class SentenceModel:
    """A table of word rows and a pool, trained by an objective over sentence vectors.

    Args:
        table: (rows, dim), where training starts from.
        optimizer: of the rows, see :mod:`embeddings.training.optimizers`.
        objective: of the sentence vectors of a batch.
        l2_to_init: λ of the weight decay of the rows of a batch towards their start.
        pool: from rows to sentence vectors. Its own parameters are trained by Adam
            (Kingma and Ba, 2015) at the same learning rate.
        dropout: probability, from 0 to below 1, with which a step leaves out each number
            of each word; see :mod:`embeddings.training.sparse.dropout`.
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
        self.sparse = SparseRows(table, optimizer, l2_to_init)
        self.pool_parameters: Parameters = jax.tree.map(jnp.array, dict(pool.parameters))
        self.moments = _ADAM.init(self.pool_parameters)
        self.steps, self.rate = 0, 0.0
        self._step = _compile_step(objective, pool.vectors, dropout, optimizer, l2_to_init)

    @property
    def table(self) -> jax.Array:
        """The rows (rows, dim); those that an optimizer moves without a gradient may lag behind."""
        return self.sparse.stored.table

    def rows(self) -> Vectors:
        """The table (rows, dim) with every row brought up to date."""
        return self.sparse.updated(self.steps, self.rate)

    def step(self, batch: Batch, rate: float) -> jax.Array:
        """Update all parameters at this learning rate; returns the loss before the update."""
        words, owners, lengths = pack(batch.groups)
        rows, places = np.unique(words, return_inverse=True)
        size, dim = bucket_size(len(words)), self.table.shape[1]
        arrays = (
            fill(places, size, 0),
            fill(owners, size, len(lengths)),
            tuple(divisors(group.lengths) for group in batch.groups),
            self.pool.lay_out(lengths),
            draw(self.seed, self.steps + 1, (size, dim)) if self.dropout else None,
            batch.extra,
        )
        touched = self.sparse.touch(rows, self.steps)
        self.steps, self.rate = self.steps + 1, rate
        self.sparse.stored, self.pool_parameters, self.moments, loss = self._step(
            self.sparse.stored,
            self.sparse.start,
            self.pool_parameters,
            self.moments,
            touched,
            arrays,
            np.float32(rate),
        )
        value: jax.Array = loss
        return value

    def encode(self, sentences: Ragged) -> jax.Array:
        """Sentence vectors (n, out) by :attr:`table`, without dropout."""
        if self.pool.encode:
            return jnp.asarray(self.pool.encode(self.pool_parameters, self.table, sentences))
        words, owners, lengths = pack([sentences])
        size = bucket_size(len(words))
        words, owners = fill(words, size, 0), fill(owners, size, len(lengths))
        layout = owners, divisors(lengths), self.pool.lay_out(lengths)
        vectors: jax.Array = _encode(
            self.pool.vectors, self.pool_parameters, self.table, words, *layout
        )
        return vectors

    def is_finite(self) -> bool:
        """Whether the pool's parameters are, and the rows that changed since the last call."""
        leaves = jax.tree.leaves(self.pool_parameters)
        return self.sparse.is_finite() and all(bool(jnp.isfinite(leaf).all()) for leaf in leaves)

    def tensors(self) -> dict[str, NDArray[Any]]:
        """All that a later process needs to go on as if nothing had happened."""
        leaves = jax.tree_util.tree_leaves_with_path(self._state())
        return {_name(path): np.array(leaf) for path, leaf in leaves}

    def restore(self, tensors: dict[str, NDArray[Any]]) -> None:
        """Take over what :meth:`tensors` gave.

        Raises:
            KeyError, ValueError: the tensors are of other parameters or another optimizer.
        """
        leaves, structure = jax.tree_util.tree_flatten_with_path(self._state())
        for path, mine in leaves:
            name = _name(path)
            if tensors[name].shape != np.shape(mine):
                raise ValueError(f"{name} is {tensors[name].shape}, expected {np.shape(mine)}")
        state = jax.tree.unflatten(structure, [tensors[_name(path)] for path, _ in leaves])
        self.sparse.restore(state["rows"])
        dense = state["pool"], state["moments"]
        self.pool_parameters, self.moments = jax.tree.map(jnp.array, dense)
        self.steps, self.rate = int(state["steps"]), float(state["rate"])

    def _state(self) -> dict[str, Any]:
        return {
            "rows": self.sparse.tensors(),
            "pool": self.pool_parameters,
            "moments": self.moments,
            "steps": self.steps,
            "rate": self.rate,
        }


def _name(path: tuple[Any, ...]) -> str:
    return jax.tree_util.keystr(path, simple=True, separator=".")


@partial(jax.jit, static_argnums=0)
def _encode(vectors_of: Any, parameters: Parameters, table: Any, words: Any, *layout: Any) -> Any:
    return vectors_of(parameters, table[words], *layout)


@lru_cache(maxsize=16)
def _compile_step(
    objective: Objective,
    vectors_of: Callable[..., Any],
    dropout: float,
    optimizer: Optimizer,
    weight: float,
) -> Callable[..., Any]:
    """The step of all models with these settings; ``weight`` is that of ``l2_to_init``."""

    def loss(rows: Any, pool: Parameters, start: Any, arrays: tuple[Any, ...]) -> jax.Array:
        # words (w,) are places among the rows; there are divisors (n, 1) of each group.
        words, owners, divisors, cells, drawn, extra = arrays
        of_words = rows[words] if drawn is None else drop(rows[words], drawn, dropout)
        lengths = jnp.concatenate(divisors)
        vectors = vectors_of(pool, of_words, owners, lengths, cells)
        groups = jnp.split(vectors, np.cumsum([len(group) for group in divisors])[:-1])
        value = objective(*groups, *extra)
        return value if start is None else value + l2_to_init(rows, start, weight=weight)

    @partial(jax.jit, donate_argnums=0)
    def step(
        stored: Stored,
        start: jax.Array | None,
        pool: Parameters,
        moments: Any,
        touched: Touched,
        arrays: tuple[Any, ...],
        rate: jax.Array,
    ) -> tuple[Stored, Parameters, Any, jax.Array]:
        mine: Stored = jax.tree.map(partial(take, rows=touched.rows), stored)
        rows, state = optimizer.catch_up(mine.table, mine.state, touched.missed, rate)
        begun = None if start is None else take(start, touched.rows)
        value, (of_rows, of_pool) = jax.value_and_grad(loss, argnums=(0, 1))(
            rows, pool, begun, arrays
        )
        new = Stored(*optimizer.update(rows, state, of_rows, rate))
        stored = jax.tree.map(lambda old, values: put(old, touched.rows, values), stored, new)
        if pool:
            updates, moments = _ADAM.update(of_pool, moments, pool)
            pool = jax.tree.map(lambda old, update: old + rate * update, pool, updates)
        return stored, pool, moments, value

    return step
