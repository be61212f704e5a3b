"""A table of word rows in training: a step touches the rows of its batch and no others.

The rows are gathered, the loss and its gradient are computed on these alone, and the changed rows
are written back in place: the cost does not depend on the size of the vocabulary.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.table import Vectors
from semaniacs.embeddings.tokenizers.row_numbers import Ragged
from semaniacs.embeddings.training.optimizers import Optimizer, Rate, State

_CHECKED_AT_ONCE = 8192


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
        self._checked = 0

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
        """Return whether every row that has changed since the last call is finite."""
        changed = np.flatnonzero(self.seen > self._checked)
        self._checked = int(self.seen.max(initial=0))
        for begin in range(0, len(changed), _CHECKED_AT_ONCE):
            rows = changed[begin : begin + _CHECKED_AT_ONCE]
            if not _finite(self.stored.table, fill(rows, bucket_size(len(rows)), rows[0])):
                return False
        return True

    def tensors(self) -> dict[str, Any]:
        """Return the state that a later process resumes from, as a pytree of arrays."""
        return {"table": self.stored.table, "state": self.stored.state, "seen": self.seen}

    def restore(self, tensors: dict[str, Any]) -> None:
        """Restore the state that :meth:`tensors` returned."""
        stored = Stored(tensors["table"], tensors["state"])
        self.stored = jax.tree.map(jnp.array, stored)
        self.seen = tensors["seen"].copy()


@jax.jit
def _finite(table: jax.Array, rows: jax.Array) -> jax.Array:
    return jnp.isfinite(table[rows]).all()


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
