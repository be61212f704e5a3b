"""A matrix on disk that grows row by row, as a ``.npy`` file."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from embeddings.table import Vectors
from sts.files import whole


def write_rows(path: Path, dim: int, batches: Iterable[Vectors]) -> int:
    """Write batches (n, dim) float32 one below the other; whole or not at all.

    Only one batch is in memory. How many rows there are is known at the end, and
    the header is then written once more over itself: numpy leaves room in it.

    Returns:
        How many rows there are.

    Raises:
        StsError: ``path`` cannot be written.
    """
    count = 0
    with whole(path) as file:
        file.write(_header(0, dim))
        for batch in batches:
            file.write(batch.astype("<f4").tobytes())
            count += len(batch)
        file.seek(0)
        file.write(_header(count, dim))
    return count


def _header(rows: int, dim: int) -> bytes:
    """The first bytes of the file: as many for any number of rows."""
    text = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        text, {"descr": "<f4", "fortran_order": False, "shape": (rows, dim)}
    )
    return text.getvalue()
