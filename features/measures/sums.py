"""Sums of word vectors, and cosines of the vectors of both sides, compiled."""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embeddings.compiled.kernel import kernel
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


def _few_sums(flat, offsets, vectors, weights, once):
    totals = np.zeros((len(offsets) - 1, vectors.shape[1]))
    for s in range(len(totals)):
        words = flat[offsets[s] : offsets[s + 1]].tolist()
        for word in dict.fromkeys(words) if once else words:
            totals[s] += weights[word] * vectors[word]
    return totals


@kernel(nogil=True, plain=_few_sums)
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
    """(n,) cosine of the (s, dim) vectors of both sides; 0 if either is zero.

    Numbers are rounded to 24 bits of a vector's length: sums of their products are exact, so they
    are the same in any order.
    """
    norms = np.linalg.norm(vectors, axis=1).astype(np.float64)
    scales = np.divide(2.0**24, norms, out=np.zeros(len(norms)), where=norms > 0)
    found: Column = _pair_cosines(vectors, scales, *batch.pairs)
    return found


def _few_cosines(vectors, scales, left, right):
    a, b = (np.rint(vectors[side] * scales[side][:, None]) for side in (left, right))
    dots, lengths_a, lengths_b = (np.einsum("nd,nd->n", *both) for both in ((a, b), (a, a), (b, b)))
    lengths = np.sqrt(lengths_a * lengths_b)
    return np.clip(np.divide(dots, lengths, out=np.zeros(len(a)), where=lengths > 0), -1.0, 1.0)


@kernel(nogil=True, plain=_few_cosines, fastmath={"reassoc", "contract"})
def _pair_cosines(vectors, scales, left, right):
    """Without copies of the rows, which would cost more than the products."""
    cosines = np.zeros(len(left))
    for p in range(len(left)):
        a, b = vectors[left[p]], vectors[right[p]]
        scale_a, scale_b = scales[left[p]], scales[right[p]]
        dot = length_a = length_b = 0.0
        for d in range(len(a)):
            x, y = np.rint(a[d] * scale_a), np.rint(b[d] * scale_b)
            dot += x * y
            length_a += x * x
            length_b += y * y
        if length_a > 0 and length_b > 0:
            cosines[p] = min(1.0, max(-1.0, dot / sqrt(length_a * length_b)))
    return cosines
