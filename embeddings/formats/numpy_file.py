"""Write a matrix to a ``.npy`` file batch by batch."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from embeddings.table import Vectors
from sts.files import whole


def write_rows(path: Path, dim: int, batches: Iterable[Vectors]) -> int:
    """Write batches (n, dim) float32 one below the other; whole or not at all.

    Only one batch is in memory. The number of rows is known at the end; the header is then
    overwritten, for which numpy leaves room.

    Returns:
        The number of rows.

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
    """The header of the file; its length is the same for any number of rows."""
    text = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        text, {"descr": "<f4", "fortran_order": False, "shape": (rows, dim)}
    )
    return text.getvalue()
