"""The matrices of a study, cached in a file under a key of everything that they depend on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sts.cache import digest
from sts.errors import DataError
from sts.files import write_bytes
from sts.progress import note
from sts.tensors import FORMAT, open_tensors, to_bytes

Matrix = NDArray[np.float64]

_TEST = "test/"


@dataclass(frozen=True)
class Matrices:
    """What a fusion is fitted to and tested on.

    Attributes:
        training: (n, k) of the scored training pairs.
        test: (m, k) of each data set, in the order of the task.
    """

    training: Matrix
    test: Mapping[str, Matrix]


def read_or_make(path: Path | None, key: str, make: Callable[[], Matrices]) -> Matrices:
    """The matrices of that key: from the file if it holds them, else made and written to it.

    A file of another key, or a damaged one, is replaced.

    Args:
        path: a safetensors file; None caches nothing.
        key: of :func:`sts.cache.key`.
        make: computes them.
    """
    found = _read(path, key) if path is not None and path.is_file() else None
    if found is not None:
        return found
    matrices = make()
    if path is not None:
        write_bytes(path, _to_bytes(matrices, key))
    return matrices


def _to_bytes(matrices: Matrices, key: str) -> bytes:
    tensors = {"training": matrices.training}
    tensors |= {_TEST + name: matrix for name, matrix in matrices.test.items()}
    metadata = {
        "format": FORMAT,
        "key": key,
        "datasets": "\n".join(matrices.test),  # the file sorts its tensors
        "sha256": digest(tensors),
    }
    return to_bytes(tensors, metadata)


def _read(path: Path, key: str) -> Matrices | None:
    """The matrices in the file, or None if it holds others or is damaged."""
    try:
        tensors, metadata = open_tensors(path)
    except DataError as error:
        note(f"{error}; computing the matrices again")
        return None
    if metadata.get("format") != FORMAT or metadata.get("key") != key:
        return None
    if metadata["sha256"] != digest(tensors):
        note(f"{path}: its numbers have changed; computing the matrices again")
        return None
    names = metadata["datasets"].split("\n")
    return Matrices(tensors["training"], {name: tensors[_TEST + name] for name in names})
