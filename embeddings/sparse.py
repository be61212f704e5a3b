"""A word table in training: a step touches the rows of its batch and no others.

The cost of a step follows the words in the batch, whatever the size of the
vocabulary: their rows are gathered, the loss and its gradient are computed on
these alone, and they are put back in place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from embeddings.optimizers import Optimizer
from embeddings.tables import Vectors
from embeddings.vocabulary import Ragged

Loss = Callable[..., jax.Array]
"""(one (n, dim) array of vectors a group of sentences, then the extra arrays) → scalar."""


class SparseTable:
    """A table, the optimizer state of its rows, and the compiled step.

    Args:
        table: (rows, dim), where training starts from.
        optimizer: see :mod:`embeddings.optimizers`.
        loss: of the sentence vectors of a batch.
        pull: weight of the term that pulls the rows of a batch to where they started.
    """

    def __init__(self, table: Vectors, optimizer: Optimizer, loss: Loss, pull: float = 0.0) -> None:
        self.optimizer = optimizer
        self.start = jnp.asarray(table) if pull else None
        self.table = jnp.array(table)  # a copy of its own: the step gives its buffer away
        self.state = optimizer.init(self.table)
        self.seen = np.zeros(len(table), np.int64)
        self.steps = 0
        self.rate = 0.0
        self._step = _compile_step(optimizer, loss, pull)

    def step(self, groups: Sequence[Ragged], *extra: Any, rate: float) -> jax.Array:
        """One update at this learning rate; returns the loss before it."""
        words, owners, lengths = _pack(groups)
        rows, places = np.unique(words, return_inverse=True)
        missed = np.zeros((_room(len(rows)), 1), np.float32)
        missed[: len(rows), 0] = self.steps - self.seen[rows]
        self.steps, self.rate = self.steps + 1, rate
        self.seen[rows] = self.steps
        self.table, self.state, loss = self._step(
            self.table,
            self.state,
            self.start,
            # Places past the end of the table are read as zeros and never written.
            _fill(rows, len(missed), np.arange(len(self.seen), len(self.seen) + len(missed))),
            missed,
            _fill(places, _room(len(words)), 0),
            _fill(owners, _room(len(words)), len(lengths)),
            lengths,
            np.float32(rate),
            *extra,
            sizes=tuple(len(group.offsets) - 1 for group in groups),
        )
        value: jax.Array = loss
        return value

    def encode(self, sentences: Ragged) -> jax.Array:
        """Sentence vectors (n, dim) by the table as it is; rows that drift are not caught up."""
        words, owners, lengths = _pack([sentences])
        room = _room(len(words))
        vectors: jax.Array = _encode(
            self.table, _fill(words, room, 0), _fill(owners, room, len(lengths)), lengths
        )
        return vectors

    def rows(self) -> Vectors:
        """The table with every row brought up to date."""
        missed = jnp.asarray((self.steps - self.seen)[:, None], jnp.float32)
        return np.asarray(self.optimizer.catch_up(self.table, self.state, missed, self.rate)[0])

    def is_finite(self) -> bool:
        """Whether every number of the table is one."""
        return bool(jnp.isfinite(self.table).all())

    def tensors(self) -> dict[str, NDArray[Any]]:
        """All that a later process needs to go on as if nothing had happened."""
        state = {f"state.{name}": np.asarray(value) for name, value in self.state.items()}
        course = {"steps": np.array(self.steps), "rate": np.array(self.rate)}
        return {"table": np.asarray(self.table), "seen": self.seen, **course, **state}

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
        self.seen = tensors["seen"].copy()
        self.steps, self.rate = int(tensors["steps"]), float(tensors["rate"])


def _pack(groups: Sequence[Ragged]) -> tuple[Any, Any, NDArray[np.float32]]:
    """Words of all groups end to end, the sentence of each word, and lengths (n, 1) of at least 1.

    The sentences of all groups are counted through.
    """
    lengths = np.concatenate([group.lengths for group in groups])
    words = np.concatenate([group.flat for group in groups])
    owners = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    return words, owners, np.maximum(lengths, 1)[:, None].astype(np.float32)


def _room(needed: int) -> int:
    """The next of 4, 5, 6, 7, 8, 10, 12, 14, 16, 20 …: few shapes to compile, little padding."""
    if needed <= 4:
        return 4
    quarter = 1 << ((needed - 1).bit_length() - 3)
    return -(-needed // quarter) * quarter


def _fill(values: Any, room: int, filler: Any) -> NDArray[np.int32]:
    filled = np.full(room, 0, np.int32)
    filled[:] = filler
    filled[: len(values)] = values
    return filled


def _means(table: Any, words: Any, owners: Any, lengths: Any) -> Any:
    """Mean rows (n, dim); words whose owner is past the last sentence are padding."""
    sums = jax.ops.segment_sum(table[words], owners, len(lengths), indices_are_sorted=True)
    return sums / lengths


_encode = jax.jit(_means)


def _compile_step(optimizer: Optimizer, loss: Loss, pull: float) -> Any:
    def loss_of(
        local: Any, origin: Any, words: Any, owners: Any, lengths: Any, extra: Any, sizes: Any
    ) -> Any:
        vectors = _means(local, words, owners, lengths)
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
        value, gradient = jax.value_and_grad(loss_of)(
            local, origin, words, owners, lengths, extra, sizes
        )
        local, used = optimizer.update(local, used, gradient, rate)
        return put(table, local), {name: put(state[name], used[name]) for name in state}, value

    return step
