"""Sentence vectors on disk: more of them than memory holds, read a block at a time."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from embeddings.encoder import unit
from embeddings.formats.numpy_file import write_rows
from embeddings.mining.bucc import Corpus
from embeddings.mining.concatenated import Encodes
from embeddings.table import Vectors
from sts import progress
from sts.errors import StsError
from sts.text.tokenizer import fold


class Rows(Protocol):
    """Vectors (n, dim) float32 of length 1: an array, or :class:`StoredRows`."""

    def __len__(self) -> int:
        """How many there are."""

    def __getitem__(self, block: slice, /) -> Vectors:
        """A block of them, in memory."""


class StoredRows:
    """A ``.npy`` file as :class:`Rows`.

    A block is a copy, and nothing of the file stays mapped: what is in memory is what was
    asked for.
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


@dataclass(frozen=True)
class Side:
    """The vectors of a corpus.

    Attributes:
        rows: of the sentences that have one: a zero vector, as of a blank sentence, has
            cosine 0 with everything and is never mined, so it is not among them.
        places: (len(rows),) of these sentences in the corpus.
    """

    rows: Rows
    places: NDArray[np.int64]


def encode(corpus: Corpus, encoder: Encodes, path: Path, *, distinct: bool = False) -> Side:
    """Encode a corpus to ``path``, a stream of blocks.

    Args:
        corpus: what to encode.
        encoder: of its language.
        path: the ``.npy`` file to write.
        distinct: leave out what stands in an earlier line already but for case, punctuation
            and spacing. It takes some 100 bytes of memory a sentence.

    Raises:
        StsError: the folder of ``path`` has no room for the vectors.
    """
    _check_room(path.parent, 4 * encoder.dim * len(corpus.ids))
    places: list[NDArray[np.int64]] = []
    sentences = _blank_repeated(corpus.sentences()) if distinct else corpus.sentences()
    with progress.bar(total=len(corpus.ids), desc=corpus.source, unit=" sentences") as bar:

        def blocks() -> Iterator[Vectors]:
            begin = 0
            for vectors in encoder.encode_stream(sentences):
                filled = np.flatnonzero(vectors.any(axis=1))
                places.append(begin + filled)
                yield unit(vectors[filled])
                begin += len(vectors)
                bar.update(len(vectors))

        write_rows(path, encoder.dim, blocks())
    return Side(StoredRows(path), np.concatenate(places))


def _blank_repeated(sentences: Iterator[str]) -> Iterator[str]:
    seen: set[bytes] = set()
    for sentence in sentences:
        digest = blake2b(fold(sentence).encode(), digest_size=16).digest()
        yield "" if digest in seen else sentence
        seen.add(digest)


def _check_room(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise StsError(
            f"{folder}: {free / 1e9:.1f} GB free, the vectors need {needed / 1e9:.1f} GB; "
            "name another folder by TMPDIR"
        )
