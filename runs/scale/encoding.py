"""Vectors of many files of sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

import numpy as np

from embeddings import loading
from embeddings.encoder import SentenceEncoder
from embeddings.formats.lines import lines
from embeddings.formats.numpy_file import write_rows
from embeddings.loading import load
from runs.scale.many_files import LineWork
from runs.scale.parts import Part, cut
from sts.errors import DataError
from sts.files import decode, sha256_of, split_lines

LINES = 65536
"""Of a part, and in memory at once."""


@dataclass(frozen=True)
class Encoding(LineWork):
    """Lines of text to rows of vectors.

    Attributes:
        model: a bundled name, or a file or folder from the root.
        language: of the sentences, if the model knows several.
    """

    model: str
    language: str | None = None
    suffix: ClassVar[str] = ".npy"

    @classmethod
    def of(cls, model: str, language: str | None = None) -> Encoding:
        """By the name that was typed; an :class:`StsError` if there is no such model."""
        found = model if model in loading.BUNDLED else str(loading.find_model(model).absolute())
        return cls(found, language)

    def cut(self, source: str) -> list[Part]:
        """The parts of a file; a :class:`DataError` if it is missing, empty or not UTF-8.

        A gzipped one can be read from its beginning alone: it is one part.
        """
        path = Path(source)
        if not source.endswith(".gz") or not path.is_file():
            return cut(source, LINES, _sentences)
        return [Part(source, str(path.absolute()), 1, 0, path.stat().st_size, sha256_of(path))]

    def rests_on(self) -> object:
        """The language, and the hashes of the files of the model, which can be loaded."""
        _load(self.model, self.language)
        path = loading.find_model(self.model)
        files = [path] if path.is_file() else sorted(filter(Path.is_file, path.rglob("*")))
        return [self.language, *map(sha256_of, files)]

    def make(self, part: Part, target: Path) -> None:
        """Write an (n, dim) float32 .npy file."""
        encoder = _load(self.model, self.language)
        zipped = part.source.endswith(".gz")
        sentences = lines(part.path) if zipped else _sentences(part.read(), part.source, part.first)
        write_rows(target, encoder.dim, encoder.encode_stream(sentences, batch=LINES))

    def join(self, made: Sequence[Path], target: Path) -> None:
        """Write the rows of all parts into one file."""
        write_rows(
            target,
            _load(self.model, self.language).dim,
            (np.load(path, mmap_mode="r") for path in made),
        )


def _sentences(raw: bytes, source: str, first: int) -> list[str]:
    if not raw:
        raise DataError(f"{source}: empty; expected at least one line")
    return split_lines(decode(raw, source, first))


@lru_cache(maxsize=1)
def _load(model: str, language: str | None) -> SentenceEncoder:
    return load(model, language)
