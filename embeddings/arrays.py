"""A matrix on disk that grows row by row, as a ``.npy`` file."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from embeddings.tables import Vectors
from sts.errors import StsError


def write_rows(path: Path, dim: int, batches: Iterable[Vectors]) -> int:
    """Write batches (n, dim) float32 one below the other; whole or not at all.

    Only one batch is in memory. How many rows there are is known at the end, and
    the header is then written once more over itself: numpy leaves room in it.

    Returns:
        How many rows there are.

    Raises:
        StsError: ``path`` cannot be written.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        raise StsError(f"{path}: cannot be written (not a regular file); give --output another")
    temporary: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            dir=path.parent, prefix=f".{path.name}.", delete=False
        ) as file:
            temporary = Path(file.name)
            file.write(_header(0, dim))
            count = 0
            for batch in batches:
                file.write(batch.astype("<f4").tobytes())
                count += len(batch)
            file.seek(0)
            file.write(_header(count, dim))
        temporary.chmod(0o644)
        temporary.replace(path)
    except OSError as error:
        raise StsError(
            f"{path}: cannot be written ({error.strerror}); choose another place with --output"
        ) from None
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
    return count


def _header(rows: int, dim: int) -> bytes:
    """The first bytes of the file: as many for any number of rows."""
    text = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        text, {"descr": "<f4", "fortran_order": False, "shape": (rows, dim)}
    )
    return text.getvalue()
