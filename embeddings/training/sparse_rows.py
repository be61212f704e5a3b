"""A table of word rows in training, and optimizers that touch only the rows of a batch.

The rows are gathered, the loss and its gradient are computed on these alone, and the changed rows
are written back in place: the cost does not depend on the size of the vocabulary.

Every row has its own state, which is brought up to date when the row is next in a batch. Until
then its gradient is zero, and what a dense optimizer would do to it has a closed form: adagrad
leaves it, the averages of adadelta decay, momentum moves it along a geometric series (while the
rate stays the same). Adam has no such form: moments and step count stay as they are while the row
is in no batch ("lazy Adam"), which is the dense optimizer if every row is in every batch.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.configuration import OptimizerName
from semaniacs.embeddings.table import Vectors
from semaniacs.embeddings.tokenizers.row_numbers import Ragged

State = dict[str, jax.Array]  # arrays whose first axis is the row
Rate = jax.Array | float  # η, the learning rate of a step

Changed = tuple[jax.Array, State]
Step = Callable[[jax.Array, State, jax.Array, Rate], Changed]


class Optimizer(NamedTuple):
    """Pure functions over some rows (r, dim) and their state: of rows that were never used, after so many
    steps (r, 1) with a zero gradient, and after a step with a gradient (r, dim), each at a rate.
    """

    init: Callable[[jax.Array], State]
    catch_up: Step
    update: Step


@cache
def make_optimizer(name: OptimizerName) -> Optimizer:
    """Return the optimizer of that name, always the same object: it is compiled once."""
    makers: dict[OptimizerName, Callable[[], Optimizer]]
    makers = {"adadelta": adadelta, "adam": adam, "adagrad": adagrad, "momentum": momentum}
    return makers[name]()


def at_own_pace(optimizer: Optimizer, pace: NDArray[np.float32]) -> Optimizer:
    """Return the optimizer with the rate of each row multiplied by its ``pace`` (rows, 1)."""

    def init(rows: jax.Array) -> State:
        return {**optimizer.init(rows), "pace": jnp.asarray(pace)}

    def slowed(step: Step) -> Step:
        def own(rows: jax.Array, state: State, given: jax.Array, rate: Rate) -> Changed:
            rows, changed = step(rows, state, given, rate * state["pace"])
            return rows, {**changed, "pace": state["pace"]}

        return own

    return Optimizer(init, slowed(optimizer.catch_up), slowed(optimizer.update))


def _stand_still(rows: jax.Array, state: State, _: jax.Array, __: Rate) -> Changed:
    return rows, state


def adagrad(epsilon: float = 1e-7, start: float = 0.1) -> Optimizer:
    """G ← G + g²;  W ← W − η g / √(G + ε)    (Duchi et al., 2011)."""

    def init(rows: jax.Array) -> State:
        return {"squares": jnp.full_like(rows, start)}

    def update(rows: jax.Array, state: State, gradient: jax.Array, rate: Rate) -> Changed:
        squares = state["squares"] + gradient**2
        return rows - rate * gradient * jax.lax.rsqrt(squares + epsilon), {"squares": squares}

    return Optimizer(init, _stand_still, update)


def adadelta(decay: float = 0.95, epsilon: float = 1e-6) -> Optimizer:
    """Zeiler (2012), algorithm 1: steps in the unit of the steps before."""

    def init(rows: jax.Array) -> State:
        return {"squares": jnp.zeros_like(rows), "steps": jnp.zeros_like(rows)}

    def catch_up(rows: jax.Array, state: State, missed: jax.Array, _: Rate) -> Changed:
        faded = decay**missed
        return rows, {name: value * faded for name, value in state.items()}

    def update(rows: jax.Array, state: State, gradient: jax.Array, rate: Rate) -> Changed:
        squares = decay * state["squares"] + (1 - decay) * gradient**2
        step = jnp.sqrt(state["steps"] + epsilon) / jnp.sqrt(squares + epsilon) * gradient
        steps = decay * state["steps"] + (1 - decay) * step**2
        return rows - rate * step, {"squares": squares, "steps": steps}

    return Optimizer(init, catch_up, update)


def momentum(decay: float = 0.9) -> Optimizer:
    """v ← μ v + g;  W ← W − η v    (Polyak, 1964)."""

    def init(rows: jax.Array) -> State:
        return {"velocity": jnp.zeros_like(rows)}

    def catch_up(rows: jax.Array, state: State, missed: jax.Array, rate: Rate) -> Changed:
        faded = decay**missed
        drift = decay * (1 - faded) / (1 - decay)  # μ + μ² + … + μ^missed
        velocity = state["velocity"]
        return rows - rate * drift * velocity, {"velocity": velocity * faded}

    def update(rows: jax.Array, state: State, gradient: jax.Array, rate: Rate) -> Changed:
        velocity = decay * state["velocity"] + gradient
        return rows - rate * velocity, {"velocity": velocity}

    return Optimizer(init, catch_up, update)


def adam(first: float = 0.9, second: float = 0.999, epsilon: float = 1e-8) -> Optimizer:
    """Kingma and Ba (2015), algorithm 1, with the step count t of each row."""

    def init(rows: jax.Array) -> State:
        return {
            "mean": jnp.zeros_like(rows),
            "squares": jnp.zeros_like(rows),
            "count": jnp.zeros((len(rows), 1), jnp.float32),
        }

    def update(rows: jax.Array, state: State, gradient: jax.Array, rate: Rate) -> Changed:
        count = state["count"] + 1
        mean = first * state["mean"] + (1 - first) * gradient
        squares = second * state["squares"] + (1 - second) * gradient**2
        step = (mean / (1 - first**count)) / (jnp.sqrt(squares / (1 - second**count)) + epsilon)
        return rows - rate * step, {"mean": mean, "squares": squares, "count": count}

    return Optimizer(init, _stand_still, update)


class Touched(NamedTuple):
    """Distinct rows (r,) of a batch, and the number of steps (r, 1) each has missed.

    They are padded with numbers past the end of the table, which are read as zeros and never
    written.
    """

    rows: Any
    missed: Any


class Stored(NamedTuple):
    """State that a step changes in place: all rows and their optimizer state."""

    table: jax.Array
    state: State


class SparseRows:
    """Parameter (rows, dim), a copy of ``table``, of which a step sees and changes only some rows.

    ``l2_to_init`` is λ of the term λ ‖W_initial − W‖² over the rows of a batch.
    """

    def __init__(self, table: Vectors, optimizer: Optimizer, l2_to_init: float = 0.0) -> None:
        self.optimizer, self.l2_to_init = optimizer, l2_to_init
        self.start = jnp.asarray(table) if l2_to_init else None
        rows = jnp.array(table)  # a copy, because the step gives its buffer away
        self.stored = Stored(rows, optimizer.init(rows))
        self.seen = np.zeros(len(table), np.int64)

    def touch(self, rows: NDArray[np.integer[Any]], steps: int) -> Touched:
        """Return the rows (r,) as inputs of the step after so many; they count as seen in it."""
        size = bucket_size(len(rows))
        missed = np.zeros((size, 1), np.float32)
        missed[: len(rows), 0] = steps - self.seen[rows]
        self.seen[rows] = steps + 1
        past_the_end = np.arange(len(self.seen), len(self.seen) + size)
        return Touched(fill(rows, size, past_the_end), missed)

    def updated(self, steps: int, rate: Rate) -> Vectors:
        """Return the table (rows, dim) with every row brought up to the last of so many steps."""
        missed = jnp.asarray((steps - self.seen)[:, None], jnp.float32)
        return np.asarray(self.optimizer.catch_up(*self.stored, missed, rate)[0])

    def is_finite(self) -> bool:
        """Return whether every row is finite."""
        return bool(jnp.isfinite(self.stored.table).all())

    def tensors(self) -> dict[str, Any]:
        """Return the state that a later process resumes from, as a pytree of arrays."""
        return {"table": self.stored.table, "state": self.stored.state, "seen": self.seen}

    def restore(self, tensors: dict[str, Any]) -> None:
        """Restore the state that :meth:`tensors` returned."""
        stored = Stored(tensors["table"], tensors["state"])
        self.stored = jax.tree.map(jnp.array, stored)
        self.seen = tensors["seen"].copy()


def bucket_size(needed: int) -> int:
    """Size to pad to, one of 64, 80, 96, 112, 128, 160 …: few shapes are compiled."""
    if needed <= 64:
        return 64
    quarter = 1 << ((needed - 1).bit_length() - 3)
    return -(-needed // quarter) * quarter


def fill(values: Any, size: int, filler: Any) -> NDArray[np.int32]:
    """Return values (n,) padded to (size,) with ``filler``, a number or an array (size,)."""
    filled = np.full(size, 0, np.int32)
    filled[:] = filler
    filled[: len(values)] = values
    return filled


def compact(ids: Ragged) -> tuple[NDArray[np.int32], Ragged]:
    """Return the distinct rows in ``ids``, in order, and the same sentences numbered within them."""
    active, places = np.unique(ids.flat, return_inverse=True)
    return active, Ragged(places.astype(np.int32), ids.offsets)


def replaced(table: Vectors, active: NDArray[Any], rows: Vectors) -> Vectors:
    """Return a copy of a table with some rows replaced."""
    changed = table.copy()
    changed[active] = rows
    return changed
