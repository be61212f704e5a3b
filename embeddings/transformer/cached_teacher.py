"""A teacher whose vectors are cached sentence by sentence, so that each is computed once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from embeddings.transformer.transformer_encoder import Transformer
from sts.cache import Cache, key
from sts.cache.rows import RowCache

PART = 16384
"""Sentences whose vectors are computed, and cached, at once."""

HalfVectors = NDArray[np.float16]

VERSION = 1
"""Part of the cache key: raise it when a teacher with the same weights gives other vectors."""


class CachedTeacher:
    """The vectors of one teacher.

    Args:
        teacher: encodes the sentences that are new.
        folder: where vectors are cached, a file for each part.
    """

    def __init__(self, teacher: Transformer, folder: Path) -> None:
        self.teacher = teacher
        cache = Cache("teacher", __name__, folder)
        rests_on = key(VERSION, ("numba", "numpy"), inputs=teacher.digest)
        self.cache = RowCache(cache, rests_on, teacher.dim, np.float16, self._encode, PART)

    def encode(self, sentences: Sequence[str]) -> HalfVectors:
        """The teacher's vectors (n, dim) float16 of the sentences, in order."""
        return self.cache.get([(sentence,) for sentence in sentences], label="teacher")

    def _encode(self, sentences: Sequence[tuple[str, ...]]) -> NDArray[np.float32]:
        return self.teacher.encode([sentence for (sentence,) in sentences])
