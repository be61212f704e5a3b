"""Several models side by side: what one mistakes the others may not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Protocol

import numpy as np

from embeddings.encoder import SentenceEncoder, unit
from embeddings.loading import load
from embeddings.table import Vectors

PLUS = "+"
"""Between the names of models that are to be joined."""


class Encodes(Protocol):
    """What mining asks of an encoder."""

    @property
    def dim(self) -> int:
        """Length of a sentence vector."""

    def encode_stream(self, sentences: Iterable[str]) -> Iterator[Vectors]:
        """Vectors of any number of sentences, some at a time, without holding them all."""


class Joined:
    """Unit vectors of several encoders, end to end: a cosine is the mean of their cosines.

    Args:
        encoders: of one language.
    """

    def __init__(self, encoders: Sequence[SentenceEncoder]) -> None:
        self.encoders = encoders

    @property
    def dim(self) -> int:
        """Length of a sentence vector."""
        return sum(encoder.dim for encoder in self.encoders)

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """Vectors (n, dim); a blank sentence has the zero vector."""
        return np.hstack([unit(encoder.encode(sentences)) for encoder in self.encoders])

    def encode_stream(self, sentences: Iterable[str], *, batch: int = 65536) -> Iterator[Vectors]:
        """Vectors of any number of sentences, ``batch`` at a time."""
        remaining = iter(sentences)
        while chunk := list(islice(remaining, batch)):
            yield self.encode(chunk)


def mining_encoder(model: str, language: str | None) -> SentenceEncoder | Joined:
    """The encoder of a language in a model, or in several joined by ``+``.

    Raises:
        DataError, UnknownNameError: see :func:`~embeddings.loading.load`.
    """
    names = [model] if Path(model).exists() else model.split(PLUS)
    encoders = [load(name, language) for name in names]
    return encoders[0] if len(encoders) == 1 else Joined(encoders)
