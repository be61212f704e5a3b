"""What a long search has found so far, in a folder, so that a search that was killed goes on."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from embeddings.formats.numpy_file import RowsOnDisk
from embeddings.table import Vectors
from sts.errors import DataError, StsError
from sts.files import parse_json, read_text, write_bytes, write_text
from sts.progress import note
from sts.tensors import FORMAT, Tensors, is_sealed, read_tensors, seal, to_bytes

_AT_ONCE = 16384
"""Rows hashed at once."""


class FoundSoFar(NamedTuple):
    """What a block of queries has found.

    Attributes:
        rows: how many of the rows it was compared with, from the first on.
        places, cosines: of the nearest among them, as in :class:`embeddings.mining.neighbours.Neighbours`.
    """

    rows: int
    places: NDArray[np.int64]
    cosines: NDArray[np.float64]


@dataclass(frozen=True)
class SearchCheckpoint:
    """A folder with a file for each block of queries; every file appears whole.

    Attributes:
        folder: made if it is not there.
        search: what is searched and how, in words: what was found belongs to it alone.
    """

    folder: Path
    search: dict[str, str]

    def open(self) -> None:
        """Begin, or go on with the search that the folder holds.

        Raises:
            StsError: it holds another search.
        """
        held = self.held()
        if not held:
            write_text(self._named, json.dumps(self.search, indent=1) + "\n")
            return
        if other := sorted(name for name in self.search if held.get(name) != self.search[name]):
            raise StsError(
                f"{self.folder}: holds an unfinished search with another {', '.join(other)}; "
                "go on with the same files and options, or name another --work"
            )

    def held(self) -> dict[str, str]:
        """The search that the folder holds, in words; nothing if it holds none.

        Raises:
            StsError: its record is damaged.
        """
        if not self._named.exists():
            return {}
        try:
            return dict(parse_json(read_text(self._named)))
        except ValueError as error:
            raise StsError(f"{self._named}: damaged ({error}); delete {self.folder}") from None

    @property
    def _named(self) -> Path:
        return self.folder / "search.json"

    def centroids(self, learn: Callable[[], Vectors]) -> Vectors:
        """What ``learn`` returns, which is kept."""
        path = self.folder / "centroids.safetensors"
        if kept := self._kept(path, ["centroids"]):
            return np.asarray(kept[0]["centroids"], np.float32)
        tensors: Tensors = {"centroids": learn()}
        write_bytes(path, to_bytes(tensors, seal(tensors, {"format": FORMAT})))
        return np.asarray(tensors["centroids"], np.float32)

    def load(self, begin: int) -> FoundSoFar | None:
        """What the queries from ``begin`` on have found; None if nothing was kept."""
        kept = self._kept(self._path(begin), ["places", "cosines"])
        if kept is None:
            return None
        tensors, metadata = kept
        return FoundSoFar(int(metadata["rows"]), tensors["places"], tensors["cosines"])

    def save(self, begin: int, found: FoundSoFar) -> None:
        """Keep what the queries from ``begin`` on have found."""
        tensors = {"places": found.places, "cosines": found.cosines}
        metadata = {"format": FORMAT, "rows": str(found.rows)}
        write_bytes(self._path(begin), to_bytes(tensors, seal(tensors, metadata)))

    def _kept(self, path: Path, names: list[str]) -> tuple[Tensors, dict[str, str]] | None:
        """What a file holds; None if it is not there or not as it was written, which is told."""
        if not path.exists():
            return None
        try:
            tensors, metadata = read_tensors(path, names)
            if is_sealed(tensors, metadata):
                return tensors, metadata
            note(f"{path}: has changed since it was written; it is made again")
        except DataError as error:
            note(f"{error}; it is made again")
        return None

    def remove(self) -> None:
        """Delete what was kept, and the folder if nothing else is in it."""
        for name in ("queries-*", "centroids.*", "search.json*"):
            for path in [*self.folder.glob(name), *self.folder.glob("." + name)]:
                path.unlink()  # a hidden one is what a process was writing when it was killed
        with contextlib.suppress(OSError):
            self.folder.rmdir()

    def _path(self, begin: int) -> Path:
        return self.folder / f"queries-{begin:012}.safetensors"


def digest_of(rows: Vectors | RowsOnDisk) -> str:
    """sha256 of rows in memory or on disk, read block by block."""
    digest = sha256(str(len(rows)).encode())
    for start in range(0, len(rows), _AT_ONCE):
        digest.update(np.ascontiguousarray(rows[start : start + _AT_ONCE]).tobytes())
    return digest.hexdigest()
