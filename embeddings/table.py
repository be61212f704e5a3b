"""Tables of vectors: rows as float32, or as int8 with one scale per row or column."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embeddings.tokenizers.ragged import Ragged
from sts.tensors import check_finite

Vectors = NDArray[np.float32]

_LINE = 64
"""Bytes of a cache line."""


class Table:
    """The rows of an encoder.

    A row is ``values[i] * scale[i]``, multiplied in float32. An int8 table takes
    a quarter of the memory of the float32 table that it stands for, and gives the
    same rows, bit for bit. With one scale per column, rows are added as whole numbers,
    and their sum is scaled: that is quicker, and the order of the rows does not matter.

    Args:
        values: (rows, dim) float32 or int8.
        scale: float32 of an int8 table, a row (rows,) or a column (1, dim); 1 by default.

    Raises:
        ValueError: the values are not a matrix, the scale does not fit them, or a row would hold
            numbers that are NaN or infinite.
    """

    def __init__(
        self, values: Vectors | NDArray[np.int8], scale: NDArray[np.float32] | None = None
    ) -> None:
        if values.ndim != 2:
            raise ValueError(f"a table has two dimensions, not {values.shape}")
        ones = np.ones(len(values), np.float32)
        self.values: NDArray[Any]
        if values.dtype == np.int8:
            self.values = _aligned(values)
            self.scale = ones if scale is None else np.ascontiguousarray(scale, np.float32)
        elif scale is None:
            with np.errstate(over="ignore"):  # what is too large for float32 becomes infinite
                self.values, self.scale = np.ascontiguousarray(values, np.float32), ones
        else:
            raise ValueError("only an int8 table has a scale")
        if self.scale.shape not in (ones.shape, (1, self.dim)):
            raise ValueError(f"{len(self.scale)} scales do not fit {len(values)} rows")
        if values.dtype == np.int8:
            with np.errstate(over="ignore"):
                check_finite(self.scale * np.float32(128), "the table")
        else:
            check_finite(self.values, "the table")

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
        rows: Vectors = self.values[ids].astype(np.float32) * self._scale_of(ids)
        return rows

    def _scale_of(self, rows: NDArray[np.int32] | slice) -> NDArray[np.float32]:
        """Return the factor of the values of some rows."""
        return self.scale if self.by_column else self.scale[rows, None]

    def means(self, sentences: Ragged, limit: float | None) -> Vectors:
        """Return the mean row (n, dim) of each sentence, cut to ± ``limit``; zeros without words.

        The rows are added up word by word: the order of a sum decides its last bits.
        """
        flat, offsets = sentences
        lengths = sentences.lengths
        longest_first = np.argsort(-lengths, kind="stable")
        sums: NDArray[Any] = np.zeros(
            (len(lengths), self.dim), np.int32 if self.by_column else np.float32
        )
        for place in range(int(lengths.max(initial=0))):
            longer = longest_first[: np.count_nonzero(lengths > place)]
            ids = flat[offsets[longer] + place]
            sums[longer] += self.values[ids] if self.by_column else self.rows(ids)
        if self.by_column:
            sums = sums.astype(np.float32) * self.scale
        lengths = np.maximum(lengths, 1)
        means = np.asarray(sums / lengths.astype(np.float32)[:, None], np.float32)
        return means if limit is None else np.clip(means, -np.float32(limit), np.float32(limit))

    def part(self, ids: NDArray[np.int32]) -> Table:
        """The table of some rows."""
        if self.values.dtype == np.float32:
            return Table(self.values[ids])
        return Table(self.values[ids], self.scale if self.by_column else self.scale[ids])

    def blocks(self, size: int = 8192) -> Iterator[Vectors]:
        """The table as float32, ``size`` rows at a time."""
        for start in range(0, len(self), size):
            block = self.values[start : start + size].astype(np.float32)
            yield block * self._scale_of(slice(start, start + size))

    @property
    def is_int8(self) -> bool:
        """Return whether the rows are stored as int8 with one scale per row."""
        return self.values.dtype == np.int8 and not self.by_column

    @property
    def by_column(self) -> bool:
        """Return whether the rows are stored as int8 with one scale per column."""
        return self.scale.ndim == 2

    @cached_property
    def dense(self) -> Vectors:
        """The whole table as float32; kept once it was made."""
        if self.values.dtype == np.float32:
            return np.asarray(self.values, np.float32)
        return np.asarray(self.values.astype(np.float32) * self._scale_of(slice(None)))


def _aligned(values: NDArray[Any]) -> NDArray[Any]:
    """The values from the beginning of a cache line on: a row of 256 takes four lines, not five.

    NumPy asks for large pages for what it copies, so that fewer addresses have to be translated.
    """
    if values.flags.c_contiguous and values.ctypes.data % _LINE == 0:
        return values
    room = np.empty(values.size + _LINE, np.int8)
    copy = room[-room.ctypes.data % _LINE :][: values.size].reshape(values.shape)
    copy[:] = values
    return copy


class PatchedTable(Table):
    """A table that differs from another in some rows, by what is added to these.

    The whole float32 table is only made if it is asked for: a few sentences need a few rows.

    Args:
        start: the other table.
        index: (m,) the rows that differ, each once.
        moved: (m, dim) what is added to them.

    Raises:
        ValueError, IndexError: ``moved`` does not fit ``index`` or ``start``.
    """

    def __init__(self, start: Table, index: NDArray[np.int32], moved: Table) -> None:
        if len(index) != len(moved) or start.dim != moved.dim:
            raise ValueError(f"{len(moved)} rows of {moved.dim} do not patch rows of {start.dim}")
        self.start, self.index, self.moved = start, index, moved
        self._place = np.full(len(start), -1, np.int32)
        self._place[index] = np.arange(len(index), dtype=np.int32)

    def __len__(self) -> int:
        return len(self.start)

    @property
    def dim(self) -> int:
        """Length of a row."""
        return self.start.dim

    @property
    def is_int8(self) -> bool:
        """The sums are float32."""
        return False

    @property
    def by_column(self) -> bool:
        """The sums have no scale."""
        return False

    def rows(self, ids: NDArray[np.int32]) -> Vectors:
        """The rows (n, dim) float32 of ``ids`` (n,)."""
        found, place = self.start.rows(ids), self._place[ids]
        differs = place >= 0
        found[differs] += self.moved.rows(place[differs])
        return found

    def part(self, ids: NDArray[np.int32]) -> Table:
        """The table of some rows, in float32."""
        return Table(self.rows(ids))

    def blocks(self, size: int = 8192) -> Iterator[Vectors]:
        """The table as float32, ``size`` rows at a time."""
        for start in range(0, len(self), size):
            yield self.rows(np.arange(start, min(start + size, len(self)), dtype=np.int32))

    @cached_property
    def values(self) -> Vectors:  # type: ignore[override]
        """The whole table, made once."""
        return np.concatenate(list(self.blocks()))

    @property
    def dense(self) -> Vectors:
        """The whole table as float32."""
        return self.values

    @cached_property
    def scale(self) -> NDArray[np.float32]:  # type: ignore[override]
        """1 for every row."""
        return np.ones(len(self), np.float32)


def as_int8(table: Table) -> Table:
    """The table itself if it is int8 already, so that no number changes; else quantized."""
    return table if table.is_int8 else quantize(table.dense)


def quantize(table: Vectors) -> Table:
    """The table in int8: each row is scaled so that its largest number becomes ±127."""
    scale = np.abs(table).max(axis=1, initial=0.0).astype(np.float32) / np.float32(127)
    return Table(_whole(table, scale[:, None]), scale)


def quantize_columns(table: Vectors, scale: NDArray[np.float32] | None = None) -> Table:
    """Return the table in int8 with one scale per column: for the speed of encoding.

    Args:
        table: (rows, dim).
        scale: (1, dim) of another such table, whose rows are to be added to these; numbers beyond
            its range are cut. By default the largest number of each column becomes ±127.
    """
    if scale is None:
        largest = np.abs(table).max(axis=0, keepdims=True, initial=0.0)
        scale = largest.astype(np.float32) / np.float32(127)
    return Table(_whole(table, scale), scale)


def _whole(table: Vectors, scale: NDArray[np.float32]) -> NDArray[np.int8]:
    safe = np.where(scale > 0, scale, np.float32(1.0))
    # Among the very smallest numbers the scale itself is rounded, and a row may exceed ±127.
    return np.clip(np.rint(table / safe), -127, 127).astype(np.int8)
