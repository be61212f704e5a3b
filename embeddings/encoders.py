"""Ids to vectors: the word-averaging encoder (eq. 1 of the paper).

Two rules hold for every encoder. A blank sentence has the zero vector. The
similarity with a zero vector is 0, whatever the other vector is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from embeddings.vocabulary import Vocabulary, flatten

if TYPE_CHECKING:
    import jax

Vectors = NDArray[np.float32]

_BATCH = 8192
"""Sentences gathered at once: bounds memory to a few tens of megabytes."""


def average(table: jax.Array, ids: jax.Array, mask: jax.Array) -> jax.Array:
    """Sentence vectors (n, dim) from word rows: the mean over unmasked ids (n, t).

    embedding(x) = (1/n) Σᵢ W[xᵢ]                                      (eq. 1)
    """
    import jax.numpy as jnp

    total = jnp.einsum("ntd,nt->nd", table[ids], mask)
    return total / jnp.maximum(mask.sum(axis=1, keepdims=True), 1.0)


def cosine(a: Any, b: Any) -> Any:
    """Row-wise cosine (n,) of two (n, dim) numpy arrays; 0 where either row is zero."""
    dots = np.einsum("nd,nd->n", a, b)
    norms = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    cosines = np.divide(dots, norms, out=np.zeros_like(dots), where=norms > 0)
    return np.clip(cosines, -1.0, 1.0)


class Encoder:
    """A word table with its vocabulary; encodes with numpy alone.

    Attributes:
        vocabulary: text to rows.
        table: (len(vocabulary), dim) float32.
    """

    def __init__(self, vocabulary: Vocabulary, table: Vectors) -> None:
        if table.ndim != 2 or len(table) != len(vocabulary):
            raise ValueError(f"table {table.shape} does not fit {len(vocabulary)} rows")
        self.vocabulary = vocabulary
        self.table = np.ascontiguousarray(table, np.float32)

    @property
    def dim(self) -> int:
        """Length of a sentence vector."""
        return int(self.table.shape[1])

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """Sentence vectors (n, dim) float32, not normalised; order kept.

        Raises:
            TypeError: one string instead of a list of them.
        """
        if isinstance(sentences, str):
            raise TypeError("encode takes a list of sentences, not one string")
        vectors = np.zeros((len(sentences), self.dim), np.float32)
        for start in range(0, len(sentences), _BATCH):
            batch = [self.vocabulary.ids(s) for s in sentences[start : start + _BATCH]]
            vectors[start : start + len(batch)] = self._average(batch)
        return vectors

    def _average(self, batch: list[list[int]]) -> Vectors:
        flat, offsets = flatten(batch)
        lengths = np.diff(offsets)
        filled = np.flatnonzero(lengths)
        means = np.zeros((len(batch), self.dim), np.float32)
        if len(filled):
            sums = np.add.reduceat(self.table[flat], offsets[:-1][filled], axis=0)
            means[filled] = sums / lengths[filled, None].astype(np.float32)
        return means

    def similarity(self, a: Sequence[str], b: Sequence[str]) -> Vectors:
        """Cosine of each sentence of ``a`` with each of ``b``: (len(a), len(b)) in [-1, 1]."""
        similarities: Vectors = _unit(self.encode(a)) @ _unit(self.encode(b)).T
        return np.clip(similarities, -1.0, 1.0)

    def similarity_pairwise(self, a: Sequence[str], b: Sequence[str]) -> NDArray[np.float64]:
        """Cosine of ``a[i]`` with ``b[i]``: (n,) in [-1, 1].

        Raises:
            ValueError: the lists differ in length.
        """
        if len(a) != len(b):
            raise ValueError(f"{len(a)} sentences to compare with {len(b)}; pairs need as many")
        distinct = list(dict.fromkeys((*a, *b)))
        row = {sentence: i for i, sentence in enumerate(distinct)}
        vectors = self.encode(distinct).astype(np.float64)
        left = vectors[[row[s] for s in a]] if a else vectors
        right = vectors[[row[s] for s in b]] if b else vectors
        similarities: NDArray[np.float64] = cosine(left, right)
        return similarities


def _unit(vectors: Vectors) -> Vectors:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Vectors = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    return unit
