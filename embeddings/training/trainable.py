"""Parameters in training: a pytree, its optimizer state, and the compiled step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from semaniacs.embeddings.tokenizers.row_numbers import Ragged
from semaniacs.embeddings.training.losses import l2_to_init
from semaniacs.embeddings.training.sparse_rows import Optimizer, SparseRows, Stored, Touched

ADAM = optax.adam(1.0)  # one object: steps of the same loss and optimizer are compiled once

Loss = Callable[..., jax.Array]
"""(parameters by name, *arrays) → scalar; of a sparse parameter it sees the rows touched."""


class Batch(NamedTuple):
    """Input of one step: groups of sentences, and further arrays for the loss."""

    groups: Sequence[Ragged] = ()
    extra: tuple[Any, ...] = ()


class Inputs(NamedTuple):
    """Batch as the compiled step takes it: distinct rows (r,) in use by the name of a sparse parameter,
    and the arguments of the loss.
    """

    rows: Mapping[str, NDArray[np.int64]]
    arrays: tuple[Any, ...]


class Trainable:
    """Parameters that :func:`semaniacs.embeddings.training.loop.run` trains.

    By name, they are a :class:`SparseRows`, or any pytree of arrays. The loss is of them and the arrays
    of a batch; losses that are equal share one compiled step. The optimizer, Adam by default, is of what
    is not sparse; it has a learning rate of 1, and the step multiplies its updates by the scheduled one.
    """

    def __init__(
        self,
        parameters: Mapping[str, Any],
        loss: Loss,
        optimizer: optax.GradientTransformation | None = None,
    ) -> None:
        optimizer = optimizer or ADAM
        self.sparse = {k: v for k, v in parameters.items() if isinstance(v, SparseRows)}
        dense = {name: value for name, value in parameters.items() if name not in self.sparse}
        self.dense = jax.tree.map(jnp.array, dense)
        self.moments = optimizer.init(self.dense)
        self.steps = 0
        self.rate = 0.0
        kinds = tuple((name, v.optimizer, v.l2_to_init) for name, v in self.sparse.items())
        self._step = _compile_step(loss, kinds, optimizer)

    def inputs(self, batch: Batch) -> Inputs:
        """Return a batch as the step takes it; here its further arrays as they are."""
        return Inputs({}, batch.extra)

    def step(self, batch: Batch, rate: float) -> jax.Array:
        """Update all parameters at this learning rate; returns the loss before the update."""
        inputs = self.inputs(batch)
        touched = {
            name: self.sparse[name].touch(rows, self.steps) for name, rows in inputs.rows.items()
        }
        self.steps, self.rate = self.steps + 1, rate
        stored = {name: rows.stored for name, rows in self.sparse.items()}
        starts = {name: rows.start for name, rows in self.sparse.items()}
        loss: jax.Array
        stored, self.dense, self.moments, loss = self._step(
            stored, starts, self.dense, self.moments, touched, inputs.arrays, np.float32(rate)
        )
        for name, rows in self.sparse.items():
            rows.stored = stored[name]
        return loss

    def is_finite(self) -> bool:
        """Return whether all parameters are finite."""
        dense = all(bool(jnp.isfinite(leaf).all()) for leaf in jax.tree.leaves(self.dense))
        return dense and all(rows.is_finite() for rows in self.sparse.values())

    def tensors(self) -> dict[str, NDArray[Any]]:
        """Return the state that a later process resumes from."""
        leaves = jax.tree_util.tree_leaves_with_path(self._state())
        return {_name(path): np.asarray(leaf) for path, leaf in leaves}

    def restore(self, tensors: Mapping[str, NDArray[Any]]) -> None:
        """Restore the state that :meth:`tensors` returned; a KeyError or ValueError if it is of another model."""
        leaves, structure = jax.tree_util.tree_flatten_with_path(self._state())
        for path, mine in leaves:
            name = _name(path)
            if tensors[name].shape != np.shape(mine):
                raise ValueError(f"{name} is {tensors[name].shape}, expected {np.shape(mine)}")
        state = jax.tree.unflatten(structure, [tensors[_name(path)] for path, _ in leaves])
        self.dense, self.moments = jax.tree.map(jnp.array, (state["dense"], state["moments"]))
        for name, rows in self.sparse.items():
            rows.restore(state["sparse"][name])
        self.steps, self.rate = int(state["steps"]), float(state["rate"])

    def _state(self) -> dict[str, Any]:
        return {
            "sparse": {name: rows.tensors() for name, rows in self.sparse.items()},
            "dense": self.dense,
            "moments": self.moments,
            "steps": self.steps,
            "rate": self.rate,
        }


def _name(path: tuple[Any, ...]) -> str:
    return jax.tree_util.keystr(path, simple=True, separator=".")


def _put(array: jax.Array, values: jax.Array, rows: Any) -> jax.Array:
    return array.at[rows].set(values, mode="drop", unique_indices=True)


@lru_cache(maxsize=16)
def _compile_step(
    loss: Loss,
    sparse: tuple[tuple[str, Optimizer, float], ...],
    optimizer: optax.GradientTransformation,
) -> Callable[..., Any]:
    def total_loss(local: Any, dense: Any, starts: Any, arrays: Any) -> jax.Array:
        value = loss({**local, **dense}, *arrays)
        for name, _, weight in sparse:
            if starts[name] is not None:
                value = value + l2_to_init(local[name], starts[name], weight=weight)
        return value

    @partial(jax.jit, donate_argnums=0)
    def step(
        stored: dict[str, Stored],
        starts: dict[str, jax.Array | None],
        dense: dict[str, Any],
        moments: Any,
        touched: dict[str, Touched],
        arrays: tuple[Any, ...],
        rate: jax.Array,
    ) -> tuple[dict[str, Stored], dict[str, Any], Any, jax.Array]:
        local, states, own_starts = {}, {}, {}
        for name, of_rows, _ in sparse:
            rows, missed = touched[name]
            take = partial(jnp.take, indices=rows, axis=0, mode="fill", fill_value=0)
            mine: Stored = jax.tree.map(take, stored[name])
            local[name], states[name] = of_rows.catch_up(mine.table, mine.state, missed, rate)
            own_starts[name] = jax.tree.map(take, starts[name])  # there may be none
        value, (row_gradients, gradients) = jax.value_and_grad(total_loss, argnums=(0, 1))(
            local, dense, own_starts, arrays
        )
        changed = {}
        for name, of_rows, _ in sparse:
            new = of_rows.update(local[name], states[name], row_gradients[name], rate)
            put = partial(_put, rows=touched[name].rows)
            changed[name] = jax.tree.map(put, stored[name], Stored(*new))
        if jax.tree.leaves(dense):
            updates, moments = optimizer.update(gradients, moments, dense)
            dense = jax.tree.map(lambda old, update: old + rate * update, dense, updates)
        return changed, dense, moments, value

    return step
