"""The rows of a table that take part in a training, and the way back to the whole table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from embeddings.table import Vectors
from embeddings.tokenizers.ragged import Ragged


def compact(ids: Ragged) -> tuple[NDArray[np.int32], Ragged]:
    """The distinct rows in ``ids``, in order, and the same sentences numbered within them."""
    active, places = np.unique(ids.flat, return_inverse=True)
    return active, Ragged(places.astype(np.int32), ids.offsets)


def replaced(table: Vectors, active: NDArray[Any], rows: Vectors) -> Vectors:
    """A copy of a table with some rows replaced."""
    changed = table.copy()
    changed[active] = rows
    return changed
