"""Matrices of vectors in ``.npy`` files: written batch by batch, and read block by block."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from tokenize import TokenError

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.table import Vectors
from semaniacs.sts.errors import DataError
from semaniacs.sts.files import whole

_NO_HEADER = (ValueError, AttributeError, TypeError, SyntaxError, TokenError, RecursionError)
"""Exceptions that numpy raises for a header that it cannot read."""


def write_rows(path: Path, dim: int, batches: Iterable[Vectors]) -> int:
    """Write batches (n, dim) float32 one below the other, whole or not at all; returns how many rows.

    Only one batch is in memory. The header is overwritten at the end, when the number is known; its
    length is the same for any number.
    """
    count = 0
    header = {"descr": "<f4", "fortran_order": False}
    with whole(path) as file:
        np.lib.format.write_array_header_1_0(file, header | {"shape": (0, dim)})
        for batch in batches:
            file.write(batch.astype("<f4").tobytes())
            count += len(batch)
        file.seek(0)
        np.lib.format.write_array_header_1_0(file, header | {"shape": (count, dim)})
    return count


class RowsOnDisk:
    """The rows of a ``.npy`` file; only the blocks in use take memory.

    A block is a copy, and the file does not stay mapped.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._count = len(self._mapped())

    def _mapped(self) -> Vectors:
        mapped: Vectors = np.load(self._path, mmap_mode="r")
        return mapped

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, block: slice | NDArray[np.integer], /) -> Vectors:
        return np.array(self._mapped()[block])


def open_rows(path: Path) -> RowsOnDisk:
    """Return the vectors (n, dim) in a ``.npy`` file, which any program may have written.

    Raises a DataError if there is no such file, or it holds something else.
    """
    try:
        with path.open("rb") as file:
            version = np.lib.format.read_magic(file)
            read = getattr(np.lib.format, f"read_array_header_{version[0]}_{version[1]}")
            shape, _, dtype = read(file)
        if len(shape) != 2 or dtype.kind not in "fiu":
            raise DataError(f"{path}: {dtype} of shape {shape}; expected one vector per row")
        return RowsOnDisk(path)
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except (OSError, OverflowError, *_NO_HEADER) as error:
        raise DataError(f"{path}: no .npy file, or damaged ({error})") from None
