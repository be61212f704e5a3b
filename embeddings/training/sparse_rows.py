"""A word table in training: a step touches the rows of its batch and no others.

The cost of a step follows the words in the batch, whatever the size of the
vocabulary: their rows are gathered, the loss and its gradient are computed on
these alone, and they are put back in place. What turns rows into sentence vectors
is a :class:`~embeddings.training.pooling.Pool`; what it learns itself is learned in the same step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from embeddings.table import Vectors
from embeddings.tokenizers.ragged import Ragged
from embeddings.training.dropout import draw, drop
from embeddings.training.optimizers import Optimizer
from embeddings.training.pooling import MEAN, Parameters, Pool, divisors, fill, pack
from embeddings.training.pooling import room as _room

Loss = Callable[..., jax.Array]
"""(one (n, dim) array of vectors a group of sentences, then the extra arrays) → scalar."""


class SparseTable:
    """A table, the optimizer state of its rows, and the compiled step.

    Args:
        table: (rows, dim), where training starts from.
        optimizer: of the rows, see :mod:`embeddings.training.optimizers`.
        loss: of the sentence vectors of a batch.
        pull: weight of the term that pulls the rows of a batch to where they started.
        pool: from rows to sentence vectors. Its own parameters are learned by Adam
            (Kingma and Ba, 2015) at the rate of the rows.
        dropout: probability, from 0 to below 1, with which a step leaves out each number
            of each word; see :mod:`embeddings.training.dropout`.
        seed: of what is left out.

    Attributes:
        parameters: what the pool has learned so far.

    Raises:
        ValueError: a dropout that is no such probability.
    """

    def __init__(
        self,
        table: Vectors,
        optimizer: Optimizer,
        loss: Loss,
        pull: float = 0.0,
        *,
        pool: Pool = MEAN,
        dropout: float = 0.0,
        seed: int = 0,
    ) -> None:
        if not 0 <= dropout < 1:
            raise ValueError(f"dropout is {dropout}, expected a number from 0 to below 1")
        self.optimizer, self.pool, self.dropout, self.seed = optimizer, pool, dropout, seed
        self.start = jnp.asarray(table) if pull else None
        self.table = jnp.array(table)  # a copy of its own: the step gives its buffer away
        self.state = optimizer.init(self.table)
        self.parameters = {name: jnp.array(value) for name, value in pool.parameters.items()}
        self.moments = _adam().init(self.parameters) if self.parameters else ()
        self.seen = np.zeros(len(table), np.int64)
        self.steps = 0
        self.rate = 0.0
        self._step = _compile_step(optimizer, loss, pull, pool.vectors, dropout)

    def step(self, groups: Sequence[Ragged], *extra: Any, rate: float) -> jax.Array:
        """One update at this learning rate; returns the loss before it."""
        words, owners, lengths = pack(groups)
        rows, places = np.unique(words, return_inverse=True)
        missed = np.zeros((_room(len(rows)), 1), np.float32)
        missed[: len(rows), 0] = self.steps - self.seen[rows]
        self.steps, self.rate = self.steps + 1, rate
        self.seen[rows] = self.steps
        room = _room(len(words))
        drawn = draw(self.seed, self.steps, (room, self.table.shape[1])) if self.dropout else None
        self.table, self.state, loss, self.parameters, self.moments = self._step(
            self.table,
            self.state,
            self.start,
            # Places past the end of the table are read as zeros and never written.
            fill(rows, len(missed), np.arange(len(self.seen), len(self.seen) + len(missed))),
            missed,
            fill(places, room, 0),
            fill(owners, room, len(lengths)),
            divisors(lengths),
            np.float32(rate),
            self.parameters,
            self.moments,
            self.pool.lay_out(lengths),
            drawn,
            *extra,
            sizes=tuple(len(group.offsets) - 1 for group in groups),
        )
        value: jax.Array = loss
        return value

    def encode(self, sentences: Ragged) -> jax.Array:
        """Sentence vectors (n, out) by the table as it is; rows that drift are not caught up."""
        if self.pool.encode:
            return jnp.asarray(self.pool.encode(self.parameters, self.table, sentences))
        words, owners, lengths = pack([sentences])
        room = _room(len(words))
        vectors: jax.Array = _encode(
            self.parameters,
            self.table,
            fill(words, room, 0),
            fill(owners, room, len(lengths)),
            divisors(lengths),
            self.pool.lay_out(lengths),
            vectors=self.pool.vectors,
        )
        return vectors

    def rows(self) -> Vectors:
        """The table with every row brought up to date."""
        missed = jnp.asarray((self.steps - self.seen)[:, None], jnp.float32)
        return np.asarray(self.optimizer.catch_up(self.table, self.state, missed, self.rate)[0])

    def is_finite(self) -> bool:
        """Whether every number of the table and of the parameters is one."""
        learned = [self.table, *self.parameters.values()]
        return all(bool(jnp.isfinite(array).all()) for array in learned)

    def tensors(self) -> dict[str, NDArray[Any]]:
        """All that a later process needs to go on as if nothing had happened."""
        state = {f"state.{name}": np.asarray(value) for name, value in self.state.items()}
        course = {"steps": np.array(self.steps), "rate": np.array(self.rate)}
        learned = {name: np.asarray(value) for name, value in self._learned_by_name()}
        return {"table": np.asarray(self.table), "seen": self.seen, **course, **state, **learned}

    def restore(self, tensors: dict[str, NDArray[Any]]) -> None:
        """Take over what :meth:`tensors` gave.

        Raises:
            KeyError, ValueError: the tensors are of another table or optimizer.
        """
        for name, mine in self.tensors().items():
            if tensors[name].shape != mine.shape:
                raise ValueError(f"{name} is {tensors[name].shape}, expected {mine.shape}")
        self.table = jnp.array(tensors["table"])
        self.state = {name: jnp.array(tensors[f"state.{name}"]) for name in self.state}
        learned = [jnp.array(tensors[name]) for name, _ in self._learned_by_name()]
        self.parameters, self.moments = jax.tree.unflatten(
            jax.tree.structure((self.parameters, self.moments)), learned
        )
        self.seen = tensors["seen"].copy()
        self.steps, self.rate = int(tensors["steps"]), float(tensors["rate"])

    def _learned_by_name(self) -> list[tuple[str, jax.Array]]:
        """The parameters and their moments, each by where it stands among them."""
        leaves = jax.tree_util.tree_leaves_with_path((self.parameters, self.moments))
        return [("pool" + jax.tree_util.keystr(path), leaf) for path, leaf in leaves]


@cache
def _adam() -> Any:
    import optax

    return optax.scale_by_adam()


@partial(jax.jit, static_argnames="vectors")
def _encode(
    parameters: Parameters,
    table: Any,
    words: Any,
    owners: Any,
    lengths: Any,
    cells: Any,
    *,
    vectors: Any,
) -> Any:
    return vectors(parameters, table[words], owners, lengths, cells)


def _compile_step(
    optimizer: Optimizer, loss: Loss, pull: float, vectors_of: Any, dropout: float
) -> Any:
    def loss_of(
        local: Any,
        parameters: Any,
        origin: Any,
        words: Any,
        drawn: Any,
        laid: tuple[Any, ...],
        extra: Any,
        sizes: Any,
    ) -> Any:
        rows = local[words] if drawn is None else drop(local[words], drawn, dropout)
        vectors = vectors_of(parameters, rows, *laid)
        groups = jnp.split(vectors, np.cumsum(sizes)[:-1])
        value = loss(*groups, *extra)
        return value if origin is None else value + pull * jnp.sum((origin - local) ** 2)

    @partial(jax.jit, donate_argnums=(0, 1), static_argnames="sizes")
    def step(
        table: Any,
        state: Any,
        start: Any,
        rows: Any,
        missed: Any,
        words: Any,
        owners: Any,
        lengths: Any,
        rate: Any,
        parameters: Any,
        moments: Any,
        cells: Any,
        drawn: Any,
        *extra: Any,
        sizes: tuple[int, ...],
    ) -> Any:
        def take(array: Any) -> Any:
            return jnp.take(array, rows, axis=0, mode="fill", fill_value=0)

        def put(array: Any, values: Any) -> Any:
            return array.at[rows].set(values, mode="drop", unique_indices=True)

        local, used = take(table), {name: take(value) for name, value in state.items()}
        local, used = optimizer.catch_up(local, used, missed, rate)
        origin = None if start is None else take(start)
        value, (gradient, dense) = jax.value_and_grad(loss_of, argnums=(0, 1))(
            local, parameters, origin, words, drawn, (owners, lengths, cells), extra, sizes
        )
        local, used = optimizer.update(local, used, gradient, rate)
        if parameters:
            moves, moments = _adam().update(dense, moments)
            parameters = jax.tree.map(lambda old, move: old - rate * move, parameters, moves)
        kept = put(table, local), {name: put(state[name], used[name]) for name in state}
        return *kept, value, parameters, moments

    return step
