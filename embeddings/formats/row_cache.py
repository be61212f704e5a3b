"""Rows of numbers that were dear to make, kept by the hash of what they were made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sts.errors import DataError
from sts.files import write_bytes
from sts.tensors import FORMAT, read_tensors, to_bytes

_KEY = 16
"""Bytes of the hash that stands for a text."""


class Kept:
    """A folder of rows, a file for each part that was added; several processes may add.

    Args:
        folder: where the files are.
        maker: digest of what makes the rows: rows of another maker are not seen.
        width: numbers in a row.
        kind: their type.
    """

    def __init__(self, folder: Path, maker: str, width: int, kind: type[np.generic]) -> None:
        self.folder, self.maker = folder, maker
        self.width, self.kind = width, np.dtype(kind)
        self.rows: dict[bytes, NDArray[Any]] = {}
        for path in sorted(folder.glob(f"{maker[:12]}-*.safetensors")):
            self._read(path)

    def key(self, *texts: str) -> bytes:
        """The hash of one text or several."""
        parts = [text.encode("utf-8", "surrogatepass") for text in texts]
        lengths = b"" if len(parts) == 1 else b"".join(len(p).to_bytes(8, "little") for p in parts)
        return sha256(self.maker.encode() + lengths + b"".join(parts)).digest()[:_KEY]

    def get(self, keys: Iterable[bytes]) -> NDArray[Any]:
        """The rows (n, width) of keys that are all here, in order."""
        rows = [self.rows[key] for key in keys]
        return np.stack(rows) if rows else np.empty((0, self.width), self.kind)

    def add(self, keys: Sequence[bytes], rows: NDArray[Any]) -> None:
        """Keep new rows (n, width), in a file that appears whole."""
        packed = np.frombuffer(b"".join(keys), np.uint8).reshape(-1, _KEY)
        name = f"{self.maker[:12]}-{sha256(packed.tobytes()).hexdigest()[:12]}.safetensors"
        tensors = {"keys": packed, "vectors": rows.astype(self.kind)}
        write_bytes(self.folder / name, to_bytes(tensors, {"format": FORMAT}))
        self._read(self.folder / name)

    def _read(self, path: Path) -> None:
        tensors, _ = read_tensors(path, ("keys", "vectors"))
        keys, rows = tensors["keys"], tensors["vectors"]
        expected = (len(keys), self.width)
        if rows.shape != expected or rows.dtype != self.kind or keys.dtype != np.uint8:
            raise DataError(
                f"{path}: {rows.shape} {rows.dtype}, expected {expected} {self.kind}; "
                "delete it to ask again"
            )
        self.rows |= {key.tobytes(): row for key, row in zip(keys, rows, strict=True)}
