"""The nearest rows of all rows, a block of them at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from embeddings.formats.numpy_file import RowsOnDisk
from embeddings.mining.bucc import SentenceFile
from embeddings.mining.corpus_vectors import CorpusVectors
from embeddings.mining.indexes import BLOCK
from embeddings.mining.neighbours import Neighbours, nearest
from runs.scale.parts import Part
from runs.scale.sharing import Work
from sts.errors import StsError
from sts.files import sha256_of, write_bytes
from sts.tensors import FORMAT, read_tensors, to_bytes

SIDES = ("source.npy", "target.npy")
"""Files of the vectors of both sides, of length 1."""


@dataclass(frozen=True)
class Searching(Work):
    """A block of rows of one side to their nearest rows of the other.

    These are the blocks of queries that :func:`~embeddings.mining.neighbours.nearest` makes
    anyway, and all cores of a machine search for one. So the same is found even among rows
    that are all equally near.

    Attributes:
        folder: with the vectors of both sides.
        k: neighbours of each row.
    """

    folder: str
    k: int
    whole_machine = True

    def cut(self, corpora: Sequence[SentenceFile], sides: Sequence[CorpusVectors]) -> list[Part]:
        """The blocks of the source, then those of the target, each of ``k`` rows or more."""
        paths = [Path(self.folder, name) for name in SIDES]
        vectors = " ".join(map(sha256_of, paths))
        parts = []
        for corpus, side, path in zip(corpora, sides, paths, strict=True):
            if len(side.rows) < self.k:
                raise StsError(
                    f"{corpus.source}: -k {self.k} neighbours among {len(side.rows)} sentences; "
                    "give a smaller -k"
                )
            for begin in range(0, len(side.rows), BLOCK):
                end = min(begin + BLOCK, len(side.rows))
                line = int(side.places[begin]) + 1
                digest = f"{path.name} {begin} {vectors}"
                parts.append(Part(corpus.source, str(path), line, begin, end, digest))
        return parts

    def rests_on(self) -> object:
        """How many neighbours, and who searches; the digest of a part tells the vectors."""
        return self.k

    def make(self, part: Part, target: Path) -> None:
        """Write the neighbours of a block."""
        path = Path(part.path)
        other = path.with_name(SIDES[path.name == SIDES[0]])
        found = nearest(RowsOnDisk(path)[part.begin : part.end], RowsOnDisk(other), self.k)
        write_bytes(target, to_bytes(found._asdict(), {"format": FORMAT}))


def join_blocks(made: Sequence[Path]) -> Neighbours:
    """The neighbours of all blocks of a side, in order."""
    blocks = [read_tensors(path, Neighbours._fields)[0] for path in made]
    return Neighbours(*(np.concatenate([b[name] for b in blocks]) for name in Neighbours._fields))
