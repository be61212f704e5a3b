"""The matrices of a study, cached under a digest of everything that they depend on."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from embeddings import loading
from embeddings.formats.fingerprint import fingerprint
from runs.pipeline.fitting import Lesson
from runs.pipeline.recipe import Run
from runs.pipeline.signature import PACKAGES
from sts.data.pairs import Pairs
from sts.errors import DataError
from sts.files import sha256_of, sha256_of_bytes, write_bytes
from sts.progress import note
from sts.tensors import FORMAT, open_tensors, to_bytes

Matrix = NDArray[np.float64]

ROOT = Path(__file__).parents[3]
SOURCES = (
    "sts", "embeddings", "features", "runs/pipeline/recipe.py", "runs/pipeline/fitting.py",
    "runs/studies/contribution",
)  # fmt: skip
"""Code and bundled data that decide matrices, fusions and the figures of the studies."""

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


def read_or_make(path: Path | None, digest: str, make: Callable[[], Matrices]) -> Matrices:
    """The matrices of that digest: from the file if it holds them, else made and written to it.

    A file of another digest, or a damaged one, is replaced.

    Args:
        path: a safetensors file; None caches nothing.
        digest: of everything that they depend on, see :func:`digest_of`.
        make: computes them.
    """
    found = _read(path, digest) if path is not None and path.is_file() else None
    if found is not None:
        return found
    matrices = make()
    if path is not None:
        write_bytes(path, _to_bytes(matrices, digest))
    return matrices


def _to_bytes(matrices: Matrices, digest: str) -> bytes:
    tensors = {"training": matrices.training}
    tensors |= {_TEST + name: matrix for name, matrix in matrices.test.items()}
    metadata = {
        "format": FORMAT,
        "digest": digest,
        "datasets": "\n".join(matrices.test),  # the file sorts its tensors
        "sha256": digest_of_arrays(tensors),
    }
    return to_bytes(tensors, metadata)


def _read(path: Path, digest: str) -> Matrices | None:
    """The matrices in the file, or None if it holds others or is damaged."""
    try:
        tensors, metadata = open_tensors(path)
    except DataError as error:
        note(f"{error}; computing the matrices again")
        return None
    if metadata.get("format") != FORMAT or metadata.get("digest") != digest:
        return None
    if metadata["sha256"] != digest_of_arrays(tensors):
        note(f"{path}: its numbers have changed; computing the matrices again")
        return None
    names = metadata["datasets"].split("\n")
    return Matrices(tensors["training"], {name: tensors[_TEST + name] for name in names})


def digest_of_arrays(arrays: Mapping[str, NDArray[np.float64]]) -> str:
    """sha256 of names, shapes and numbers; the order of the names does not matter."""
    parts = [
        (name, array.shape, sha256_of_bytes(np.ascontiguousarray(array).tobytes()))
        for name, array in sorted(arrays.items())
    ]
    return digest_of_text(parts)


def digest_of_text(value: object) -> str:
    """sha256 of a value that JSON can hold."""
    return sha256_of_bytes(json.dumps(value, sort_keys=True).encode())


def digest_of(
    run: Run, lesson: Lesson, english: Sequence[Pairs], missing: Sequence[str] = ()
) -> str:
    """sha256 of recipe, sentences, training gold, round trips, vectors and code.

    Args:
        run, lesson, english: what the matrices are made of.
        missing: columns that cannot be computed on this machine.
    """
    return digest_of_text(
        {
            "run": run.digest,
            "training": [_digest_of_pairs(p) for p in (*lesson.training, *lesson.echoes)],
            "round trips": digest_of_text([list(map(list, trips)) for trips in lesson.round_trips]),
            "test": [_digest_of_pairs(pairs.without_gold()) for pairs in english],
            "start": fingerprint(loading.load_static(run.start)),
            "missing": sorted(missing),
            "made by": made_by(),
        }
    )


def _digest_of_pairs(pairs: Pairs) -> str:
    gold = digest_of_arrays({"gold": pairs.gold})
    return digest_of_text([pairs.name, pairs.left, pairs.right, gold])


@lru_cache(maxsize=1)
def made_by() -> str:
    """sha256 of our own code and bundled data, and the versions of the libraries."""
    files = {path.relative_to(ROOT).as_posix(): sha256_of(path) for path in _source_files()}
    versions = {name: version(name) for name in PACKAGES}
    return digest_of_text([files, platform.python_version(), versions])


def _source_files() -> Iterator[Path]:
    for name in SOURCES:
        path = ROOT / name
        inner = path.rglob("*") if path.is_dir() else [path]
        yield from (p for p in inner if p.is_file() and "__pycache__" not in p.parts)
