"""Teacher whose vectors are cached sentence by sentence, in half precision."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.transformer.transformer_encoder import Transformer
from semaniacs.sts.cache import Cache, RowCache, key
from semaniacs.sts.text.normalisation import normalise_all

PART = 16384  # sentences whose vectors are computed, and cached, at once

VERSION = 1
"""Part of the cache key: raise it when a teacher with the same weights gives other vectors."""


class CachedTeacher:
    """Vectors of a teacher, which encodes the sentences that are not yet cached in a folder."""

    def __init__(self, teacher: Transformer, folder: Path) -> None:
        self.teacher = teacher
        cache = Cache("teacher", __name__, folder)
        rests_on = key(VERSION, ("numba", "numpy"), inputs=teacher.digest)
        self.cache = RowCache(cache, rests_on, teacher.dim, np.float16, self._encode, PART)

    def encode(self, sentences: Sequence[str]) -> NDArray[np.float16]:
        """Return the teacher's vectors (n, dim)."""
        return self.cache.get(
            [(sentence,) for sentence in normalise_all(sentences)], label="teacher"
        )

    def _encode(self, sentences: Sequence[tuple[str, ...]]) -> NDArray[np.float32]:
        return self.teacher.encode([sentence for (sentence,) in sentences])
