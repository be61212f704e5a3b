"""Tables of vectors: rows as float32, as int8 with one scale per row or column, or in int4 steps."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.tokenizers.row_numbers import Ragged
from semaniacs.sts.tensors import check_finite

Vectors = NDArray[np.float32]

_LINE = 64  # bytes of a cache line
_BLOCK = 8192  # rows that are converted at once


class Table:
    """The rows of an encoder: values (rows, dim) float32, or int8 with a float32 scale.

    The scale is one per row (rows,), 1 by default, or one per column (1, dim): rows are then added as
    whole numbers and their sum is scaled, which is faster. Raises a ValueError if the values are not a
    matrix, the scale does not fit them, or a row would have numbers that are NaN or infinite.
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
        with np.errstate(over="ignore"):
            largest = self.scale * np.float32(128) if values.dtype == np.int8 else self.values
        check_finite(largest, "the table")

    def __len__(self) -> int:
        return len(self.values)

    @property
    def dim(self) -> int:
        """Length of a row."""
        return int(self.values.shape[1])

    def rows(self, ids: NDArray[np.int32] | slice) -> Vectors:
        """Return the rows (n, dim) float32 of ``ids`` (n,)."""
        if self.values.dtype == np.float32:
            return np.asarray(self.values[ids], np.float32)
        scale = self.scale if self.by_column else self.scale[ids, None]
        return np.asarray(self.values[ids].astype(np.float32) * scale)

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
        """Return the table of some rows."""
        if self.values.dtype == np.float32:
            return Table(self.values[ids])
        return Table(self.values[ids], self.scale if self.by_column else self.scale[ids])

    def blocks(self, size: int = _BLOCK) -> Iterator[Vectors]:
        """Yield the table as float32, ``size`` rows at a time."""
        for start in range(0, len(self), size):
            yield self.rows(slice(start, start + size))

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
        return self.rows(slice(None))


def _aligned(values: NDArray[Any]) -> NDArray[Any]:
    """Return the values from the beginning of a cache line on: a row of 256 takes four lines."""
    if values.flags.c_contiguous and values.ctypes.data % _LINE == 0:
        return values
    room = np.empty(values.size + _LINE, np.int8)
    copy = room[-room.ctypes.data % _LINE :][: values.size].reshape(values.shape)
    copy[:] = values
    return copy


class PatchedTable(Table):
    """A table that differs from ``start`` in the rows ``index`` (m,), each once, by ``moved`` (m, dim).

    The whole float32 table is only made if it is asked for. Raises a ValueError or IndexError if
    ``moved`` does not fit ``index`` or ``start``.
    """

    is_int8 = False
    by_column = False

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

    def rows(self, ids: NDArray[np.int32] | slice) -> Vectors:
        """Return the rows (n, dim) float32 of ``ids`` (n,)."""
        found, place = self.start.rows(ids).copy(), self._place[ids]
        differs = place >= 0
        found[differs] += self.moved.rows(place[differs])
        return found

    def part(self, ids: NDArray[np.int32]) -> Table:
        """Return the table of some rows, in float32."""
        return Table(self.rows(ids))

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
    """Return the table itself if it is int8 already; else quantized."""
    return table if table.is_int8 else quantize(table.dense)


def quantize(table: Vectors) -> Table:
    """Return the table in int8: each row is scaled so that its largest number becomes ±127."""
    scale = np.abs(table).max(axis=1, initial=0.0).astype(np.float32) / np.float32(127)
    return Table(_whole_numbers(table, scale[:, None]), scale)


def quantize_columns(table: Vectors, scale: NDArray[np.float32] | None = None) -> Table:
    """Return the table in int8 with one scale per column: for the speed of encoding.

    By default the largest number of each column becomes ±127. With the ``scale`` (1, dim) of another
    such table, their rows can be added; numbers beyond its range are cut.
    """
    if scale is None:
        largest = np.abs(table).max(axis=0, keepdims=True, initial=0.0)
        scale = largest.astype(np.float32) / np.float32(127)
    return Table(_whole_numbers(table, scale), scale)


def _whole_numbers(table: Vectors, scale: NDArray[np.float32]) -> NDArray[np.int8]:
    safe = np.where(scale > 0, scale, np.float32(1.0))
    # Among the very smallest numbers the scale itself is rounded, and a row may exceed ±127.
    return np.clip(np.rint(table / safe), -127, 127).astype(np.int8)


# --- int4: a whole number from -7 to 7, times the step of its column, times the scale of its row.
# Number times step is an int8, so that such a table is an int8 table like any other. The first
# sixteenth of the rows, the most frequent words, stays int8: this saves most of what int4 costs.

LARGEST_INT4 = 7  # the largest int4 that is used; -8 would have no opposite
KEPT_INT8 = 16  # one row in so many stays int8

_CLIPPED = np.linspace(0.45, 1.0, 12, dtype=np.float32)
"""Shares of a row's largest number that are tried as the largest that is not cut."""


def as_int4(table: Table) -> Table:
    """Return the table in int4 steps: an int8 table with 15 different numbers per column.

    A table that is so already is returned as it is. The step of a column follows its spread. The
    scale of a row is, of some that cut its largest numbers, the one with the smallest squared error.
    """
    if is_int4(table):
        return table
    whole = len(table) // KEPT_INT8
    first = as_int8(table.part(np.arange(whole, dtype=np.int32)))
    places = [
        np.arange(start, min(start + _BLOCK, len(table)), dtype=np.int32)
        for start in range(whole, len(table), _BLOCK)
    ]
    squares = np.zeros(table.dim)
    for here in places:
        block = table.rows(here)
        length = np.linalg.norm(block, axis=1, keepdims=True)
        squares += np.square(block / np.where(length > 0, length, np.float32(1))).sum(axis=0)
    share = np.sqrt(squares / max(squares.max(initial=0.0), np.finfo(np.float32).tiny))
    steps = np.maximum(1, np.rint(share * (127 // LARGEST_INT4))).astype(np.int8)
    values, scales = np.empty((len(table), table.dim), np.int8), np.empty(len(table), np.float32)
    values[:whole], scales[:whole] = first.values, first.scale
    for here in places:
        numbers, scales[here] = _nearest_int4(table.rows(here) / steps.astype(np.float32))
        values[here] = numbers * steps
    return Table(values, scales)


def is_int4(table: Table) -> bool:
    """Return whether int4 holds the table exactly, its first rows in int8."""
    if not table.is_int8:
        return False
    values = table.values[len(table) // KEPT_INT8 :]
    largest = np.abs(values.astype(np.int16)).max(axis=0, initial=0)
    return bool((largest <= LARGEST_INT4 * steps_of(values).astype(np.int16)).all())


def _nearest_int4(rows: Vectors) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return whole numbers (n, dim) and one scale per row (n,) with the smallest squared error."""
    largest = np.abs(rows).max(axis=1, initial=0.0)
    unit = rows / np.where(largest > 0, largest, np.float32(1))[:, None]
    best, fit = np.zeros(rows.shape, np.int8), np.zeros(len(rows), np.float32)
    scale = np.zeros(len(rows), np.float32)
    for share in _CLIPPED:
        numbers = np.clip(np.rint(unit * (LARGEST_INT4 / share)), -LARGEST_INT4, LARGEST_INT4)
        dots, norms = (unit * numbers).sum(1), np.square(numbers).sum(1)
        # With the best scale, dots / norms, the squared error is smaller by dots² / norms.
        gain = np.square(dots) / np.maximum(norms, np.float32(1))
        better = gain > fit
        best[better], fit[better] = numbers[better], gain[better]
        scale[better] = dots[better] / norms[better]
    return best, scale * largest


def steps_of(values: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return the largest step of each column that all its numbers are multiples of."""
    steps = np.gcd.reduce(values, axis=0, initial=0)
    return np.asarray(np.maximum(np.abs(steps), 1), np.int8)


def pack_int4(numbers: NDArray[np.int8]) -> NDArray[np.uint8]:
    """Pack numbers (n, dim) from -8 to 7 two per byte: a row's first half in the low four bits."""
    half = (numbers.shape[1] + 1) // 2
    packed = (numbers[:, :half] & 0x0F).astype(np.uint8)
    packed[:, : numbers.shape[1] - half] |= (numbers[:, half:] << 4).view(np.uint8)
    return packed


def unpack_int4(packed: NDArray[np.uint8], steps: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return the numbers (n, dim) that :func:`pack_int4` packed, times the steps (dim,)."""
    dim, half = len(steps), (len(steps) + 1) // 2
    if packed.shape[1:] != (half,):
        raise ValueError(f"rows of {packed.shape[1:]} bytes do not hold {dim} int4 numbers")
    signed = packed.view(np.int8)
    # A shift to the right keeps the sign; times 16 moves the low four bits up to it.
    low, high = signed * np.int8(16) >> 4, signed[:, : dim - half] >> 4
    return np.concatenate([low * steps[:half], high * steps[half:]], axis=1)
