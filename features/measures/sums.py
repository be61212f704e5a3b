"""Sums of word vectors, and cosines of the vectors of both sides, compiled."""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embeddings.compiled.compiling import njit
from features.batch import Batch, Column

Vectors = NDArray[np.float32]


def sums(batch: Batch, view: str, vectors: Vectors, weights: Column, once: bool) -> Column:
    """(s, dim) Σ weight · vector over the words of each distinct sentence.

    Args:
        batch, view: whose words.
        vectors: (v, dim); weights: (v,) of the distinct words.
        once: count a word once however often it stands there.
    """
    sequences = batch.view(view).sequences
    return _sums(sequences.flat, sequences.offsets, vectors, weights, once)


@njit(nogil=True)
def _sums(flat, offsets, vectors, weights, once):
    totals = np.zeros((len(offsets) - 1, vectors.shape[1]))
    for s in range(len(offsets) - 1):
        total = totals[s]
        for i in range(offsets[s], offsets[s + 1]):
            word, seen = flat[i], False
            if once:
                for j in range(offsets[s], i):
                    seen = seen or flat[j] == word
            if not seen:
                weight, vector = weights[word], vectors[word]  # before the loop: four times as fast
                for d in range(len(total)):
                    total[d] += weight * vector[d]
    return totals


def pair_cosines(batch: Batch, vectors: NDArray[np.floating[Any]]) -> Column:
    """(n,) cosine of the (s, dim) vectors of both sides; 0 if either is zero."""
    return _pair_cosines(vectors, *batch.pairs)


@njit(nogil=True, fastmath={"reassoc", "contract"})
def _pair_cosines(vectors, left, right):
    """Without copies of the rows, which would cost more than the products."""
    cosines = np.zeros(len(left))
    for p in range(len(left)):
        a, b = vectors[left[p]], vectors[right[p]]
        dot = length_a = length_b = 0.0
        for d in range(len(a)):
            dot += a[d] * b[d]
            length_a += a[d] * a[d]
            length_b += b[d] * b[d]
        if length_a > 0 and length_b > 0:
            cosines[p] = min(1.0, max(-1.0, dot / sqrt(length_a * length_b)))
    return cosines
