"""Tables as tensors of a file: int8 with one scale per row or column, or int4, two numbers per byte.

The limit of the encoder's vectors is stored beside them, as metadata.

An int4 number is a whole number from -7 to 7 times the step of its column, a small whole number,
times the scale of its row. Number times step is an int8, so that a table read from such a file is
an int8 table like any other, and is encoded with in the same way. The first sixteenth of the rows,
which in our encoders are the most frequent, stays int8 in an int4 table, too: most of what int4
costs, at a sixteenth of what it saves.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from embeddings.encoder import SentenceEncoder
from embeddings.table import Table, Vectors, as_int8
from sts.tensors import Tensors

StoredType = Literal["int8", "int4"]
"""Types of a stored number; an int4 table takes half the bytes of an int8 one."""

_LARGEST = 7
"""The largest int4 that is used; -8 would have no opposite."""

_LARGEST_STEP = 127 // _LARGEST

_WHOLE = 16
"""One row in so many stays int8."""

_LIMIT = "limit"
"""The metadata key that says where the numbers of a mean are cut."""

_CLIPPED = np.linspace(0.45, 1.0, 12, dtype=np.float32)
"""Shares of a row's largest number that are tried as the largest that is not cut."""


def table_tensors(table: Table, dtype: StoredType = "int8", prefix: str = "") -> Tensors:
    """The tensors that hold a table, their names behind ``prefix``.

    An int8 table is stored exactly as int8; as int4 it is if :func:`as_int4` made it.
    """
    if dtype == "int8":
        rounded = table if table.by_column else as_int8(table)
        return {f"{prefix}rows": rounded.values, f"{prefix}scale": rounded.scale}
    rounded, whole = as_int4(table), len(table) // _WHOLE
    steps = _steps_in(rounded.values[whole:])
    return {
        f"{prefix}rows": rounded.values[:whole],
        f"{prefix}pairs": pack_int4(rounded.values[whole:] // steps),
        f"{prefix}steps": steps,
        f"{prefix}scale": rounded.scale,
    }


def table_in(tensors: Tensors, prefix: str = "") -> Table:
    """The int8 table in what :func:`table_tensors` made.

    Raises:
        ValueError: the tensors do not fit each other.
        KeyError: one of them is missing.
    """
    rows, scale = tensors[f"{prefix}rows"], tensors[f"{prefix}scale"]
    if f"{prefix}pairs" not in tensors:
        return Table(rows, scale)
    packed, steps = tensors[f"{prefix}pairs"], tensors[f"{prefix}steps"]
    values = np.empty((len(rows) + len(packed), len(steps)), np.int8)
    unpack_int4(packed, steps, values[len(rows) :])
    values[: len(rows)] = rows
    return Table(values, scale)


def table_names(held: Iterable[str], prefix: str = "") -> tuple[str, ...]:
    """Names of the tensors of a table in a file that holds the tensors ``held``."""
    int4 = ("pairs", "steps") if f"{prefix}pairs" in held else ()
    return tuple(prefix + part for part in ("rows", *int4, "scale"))


def as_int4(table: Table) -> Table:
    """The table in steps that int4 can hold: an int8 table with 15 different numbers a column.

    A table that is so already is returned as it is. The first rows are as in :func:`as_int8`. A
    column's step follows its spread. A row's scale is the one, of some that cut its largest
    numbers, that leaves the smallest squared error.
    """
    if is_int4(table):
        return table
    whole = len(table) // _WHOLE
    first = as_int8(_slice(table, 0, whole))
    squares = np.zeros(table.dim)
    for _, block in _blocks(table, whole):
        length = np.linalg.norm(block, axis=1, keepdims=True)
        squares += np.square(block / np.where(length > 0, length, np.float32(1))).sum(axis=0)
    share = np.sqrt(squares / max(squares.max(initial=0.0), np.finfo(np.float32).tiny))
    steps = np.maximum(1, np.rint(share * _LARGEST_STEP)).astype(np.int8)
    values, scales = np.empty((len(table), table.dim), np.int8), np.empty(len(table), np.float32)
    values[:whole], scales[:whole] = first.values, first.scale
    for here, block in _blocks(table, whole):
        numbers, scales[here] = _nearest(block / steps.astype(np.float32))
        np.multiply(numbers, steps, out=values[here])
    return Table(values, scales)


def is_int4(table: Table) -> bool:
    """Return whether int4 holds the table exactly, its first rows in int8."""
    if not table.is_int8:
        return False
    values = table.values[len(table) // _WHOLE :]
    largest = np.abs(values.astype(np.int16)).max(axis=0, initial=0)
    return bool((largest <= _LARGEST * _steps_in(values).astype(np.int16)).all())


def _slice(table: Table, start: int, end: int) -> Table:
    """Some rows of a table."""
    if table.is_int8:
        return Table(table.values[start:end], table.scale[start:end])
    return Table(table.rows(np.arange(start, end, dtype=np.int32)))


def _blocks(table: Table, start: int, size: int = 8192) -> Iterator[tuple[slice, Vectors]]:
    """The rows from ``start`` on as float32, some at a time, and where they stand."""
    for begin in range(start, len(table), size):
        here = slice(begin, min(begin + size, len(table)))
        yield here, _slice(table, here.start, here.stop).dense


def _nearest(rows: Vectors) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Whole numbers (n, dim) from -7 to 7 and one scale per row (n,) with the smallest squared error."""
    largest = np.abs(rows).max(axis=1, initial=0.0)
    unit = rows / np.where(largest > 0, largest, np.float32(1))[:, None]
    best, fit = np.zeros(rows.shape, np.int8), np.zeros(len(rows), np.float32)
    scale = np.zeros(len(rows), np.float32)
    for share in _CLIPPED:
        numbers = np.clip(np.rint(unit * (_LARGEST / share)), -_LARGEST, _LARGEST)
        dots, norms = (unit * numbers).sum(1), np.square(numbers).sum(1)
        # With the best scale, dots / norms, the squared error is smaller by dots² / norms.
        gain = np.square(dots) / np.maximum(norms, np.float32(1))
        better = gain > fit
        best[better], fit[better] = numbers[better], gain[better]
        scale[better] = dots[better] / norms[better]
    return best, scale * largest


def _steps_in(values: NDArray[np.int8]) -> NDArray[np.int8]:
    """The largest step of each column that all its numbers are multiples of."""
    steps = np.gcd.reduce(values, axis=0, initial=0)
    return np.asarray(np.maximum(np.abs(steps), 1), np.int8)


def pack_int4(numbers: NDArray[np.int8]) -> NDArray[np.uint8]:
    """Numbers (n, dim) from -8 to 7, two a byte: a row's first half in the low four bits."""
    half = (numbers.shape[1] + 1) // 2
    packed = (numbers[:, :half] & 0x0F).astype(np.uint8)
    packed[:, : numbers.shape[1] - half] |= (numbers[:, half:] << 4).view(np.uint8)
    return packed


def unpack_int4(
    packed: NDArray[np.uint8], steps: NDArray[np.int8], values: NDArray[np.int8]
) -> None:
    """Write the numbers that :func:`pack_int4` packed, times the steps (dim,), to values (n, dim)."""
    dim, half = len(steps), (len(steps) + 1) // 2
    if packed.shape[1:] != (half,):
        raise ValueError(f"rows of {packed.shape[1:]} bytes do not hold {dim} int4 numbers")
    for start in range(0, len(packed), 512):  # what fits the cache
        signed = packed[start : start + 512].view(np.int8)
        here = values[start : start + 512]
        # A shift to the right keeps the sign; times 16 moves the low four bits up to it.
        here[:, :half] = (signed * 16 >> 4) * steps[:half]
        here[:, half:] = (signed[:, : dim - half] >> 4) * steps[half:]


def limit_of(encoder: SentenceEncoder) -> dict[str, str]:
    """Metadata that say where the numbers of a mean are cut; none where they are not."""
    return {} if encoder.limit is None else {_LIMIT: repr(encoder.limit)}


def read_limit(about: Mapping[str, str]) -> float | None:
    """Read what :func:`limit_of` wrote.

    Raises:
        ValueError: no number above 0.
    """
    if _LIMIT not in about:
        return None
    limit = float(about[_LIMIT])
    if not 0 < limit < math.inf:
        raise ValueError(f"limit {limit}; expected a number above 0")
    return limit
