"""The vectors of several models, concatenated: their mistakes differ."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from embeddings.encoder import SentenceEncoder, unit
from embeddings.loading import load
from embeddings.table import Vectors

PLUS = "+"
"""Separates the names of models whose vectors are concatenated."""


class ConcatenatedEncoder:
    """Unit vectors of several encoders, concatenated: a cosine is the mean of their cosines.

    Args:
        encoders: several encoders of one language.
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


MiningEncoder = SentenceEncoder | ConcatenatedEncoder


def mining_encoder(model: str, language: str | None) -> MiningEncoder:
    """The encoder of a language in a model, or in several models joined by ``+``.

    Raises:
        DataError, UnknownNameError: see :func:`~embeddings.loading.load`.
    """
    names = [model] if Path(model).exists() else model.split(PLUS)
    encoders = [load(name, language) for name in names]
    return encoders[0] if len(encoders) == 1 else ConcatenatedEncoder(encoders)


def parts_of(encoder: MiningEncoder) -> Sequence[SentenceEncoder]:
    """The encoders that an encoder concatenates, or itself."""
    return encoder.encoders if isinstance(encoder, ConcatenatedEncoder) else [encoder]
