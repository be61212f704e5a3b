"""Word tables: rows as float32, or as int8 with one scale a row."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class Table:
    """The rows of an encoder.

    A row is ``values[i] * scale[i]``, multiplied in float32. An int8 table takes
    a quarter of the memory, and what is looked up in it is bit for bit what is
    looked up in the float32 table that it stands for.

    Args:
        values: (rows, dim) float32 or int8.
        scale: (rows,) float32 of an int8 table; 1 for every row if left out.

    Raises:
        ValueError: the values are no matrix, or the scale does not fit them.
    """

    def __init__(
        self, values: Vectors | NDArray[np.int8], scale: NDArray[np.float32] | None = None
    ) -> None:
        if values.ndim != 2:
            raise ValueError(f"a table has two dimensions, not {values.shape}")
        ones = np.ones(len(values), np.float32)
        self.values: NDArray[Any]
        if values.dtype == np.int8:
            self.values = np.ascontiguousarray(values)
            self.scale = ones if scale is None else np.ascontiguousarray(scale, np.float32)
        elif scale is None:
            self.values, self.scale = np.ascontiguousarray(values, np.float32), ones
        else:
            raise ValueError("only an int8 table has a scale")
        if self.scale.shape != ones.shape:
            raise ValueError(f"{len(self.scale)} scales do not fit {len(values)} rows")

    def __len__(self) -> int:
        return len(self.values)

    @property
    def dim(self) -> int:
        """Length of a row."""
        return int(self.values.shape[1])

    def rows(self, ids: NDArray[np.int32]) -> Vectors:
        """The rows (n, dim) float32 of ``ids`` (n,)."""
        if self.values.dtype == np.float32:
            found: Vectors = np.asarray(self.values[ids], np.float32)
            return found
        rows: Vectors = self.values[ids].astype(np.float32) * self.scale[ids][:, None]
        return rows

    @cached_property
    def dense(self) -> Vectors:
        """The whole table as float32."""
        if self.values.dtype == np.float32:
            return np.asarray(self.values, np.float32)
        return np.asarray(self.values.astype(np.float32) * self.scale[:, None])


def quantize(table: Vectors) -> Table:
    """The table in int8: each row is scaled so that its largest number becomes ±127."""
    scale = np.abs(table).max(axis=1, initial=0.0).astype(np.float32) / np.float32(127)
    safe = np.where(scale > 0, scale, np.float32(1.0))
    # Where the scale itself is rounded, among the very smallest numbers, a row may reach beyond.
    whole = np.clip(np.rint(table / safe[:, None]), -127, 127)
    return Table(whole.astype(np.int8), scale)
