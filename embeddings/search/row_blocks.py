"""Matrices of vectors that are read a block at a time, in memory or on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import numpy as np

from embeddings.table import Vectors


class Rows(Protocol):
    """Vectors (n, dim) float32 of length 1: an array, or :class:`RowsOnDisk`."""

    def __len__(self) -> int:
        """How many rows there are."""

    def __getitem__(self, block: slice, /) -> Vectors:
        """A block of rows, in memory."""


class RowsOnDisk:
    """A ``.npy`` file as :class:`Rows`.

    A block is a copy, and the file does not stay mapped: only the blocks in use take memory.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._count = len(self._mapped())

    def _mapped(self) -> Vectors:
        mapped: Vectors = np.load(self._path, mmap_mode="r")
        return mapped

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, block: slice, /) -> Vectors:
        return np.array(self._mapped()[block])
