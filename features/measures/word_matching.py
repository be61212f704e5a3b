"""Sums of word vectors, and every word of one sentence compared with every word of the other.

Words are numbers, and the vectors of words or tokens are rows of a matrix. Throughout,
``sequences`` are the numbers of each sentence's words, and ``pairs`` the (n,) numbers of the left
and of the right sentence of each pair.
"""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return,assignment,arg-type"

from __future__ import annotations

from math import log, sqrt
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.compiled import kernel
from semaniacs.embeddings.tokenizers.row_numbers import Ragged
from semaniacs.sts.text.analysis import HIGHEST_INFORMATION

Vectors = NDArray[np.float32]
Column = NDArray[np.float64]
Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]
Real = TypeVar("Real", np.float32, np.float64)


def rounded(numbers: NDArray[Real], bits: int) -> NDArray[Real]:
    """Return the numbers as multiples of 2⁻ᵇⁱᵗˢ, so that sums of products of two are exact.

    float64 has 53 bits: a product of two such numbers takes 2 · bits behind the point. So a sum is
    the same in any order, on any processor, interpreted or compiled.
    """
    scale = numbers.dtype.type(2**bits)
    found: NDArray[Real] = np.rint(numbers * scale) / scale
    return found


def sums(sequences: Ragged, vectors: Vectors, weights: Column, once: bool) -> Column:
    """(s, dim) Σ weight · vector over the words of each sentence.

    Args:
        vectors: (v, dim); weights: (v,) of the distinct words.
        once: count a word once however often it stands there.
    """
    return _sums(*sequences, vectors, weights, once)


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


def pair_cosines(pairs: Pairs, vectors: NDArray[np.floating[Any]]) -> Column:
    """(n,) cosine of the (s, dim) vectors of both sides; 0 if either is zero.

    Numbers are rounded to 24 bits of a vector's length: sums of their products are exact, so they
    are the same in any order.
    """
    norms = np.linalg.norm(vectors, axis=1).astype(np.float64)
    scales = np.divide(2.0**24, norms, out=np.zeros(len(norms)), where=norms > 0)
    found: Column = _pair_cosines(vectors, scales, *pairs)
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


BERTSCORE = "Zhang et al. (2020), BERTScore, 3, on static vectors"
HIGHEST_GAP = 2 * HIGHEST_INFORMATION
"""Twice the information of the rarest word: the gap if its best cosine is −1."""

LEAST = 0.05
"""A floor under the best cosine, or one word without a match would make a product of all 0."""


class Cosines(NamedTuple):
    """The (left words, right words) matrix of each pair, row by row, end to end.

    Attributes:
        values: float32 in [-1, 1].
        begins: (n,) where each pair's matrix begins.
    """

    values: NDArray[np.float32]
    begins: NDArray[np.int64]


class Covered(NamedTuple):
    """(n,) each, how well words are matched by the other side; 0 if a side has no words.

    Attributes:
        left, right: weighted mean over the side's words of the best cosine with the other side.
        gap: the largest weight · (1 − best cosine) of a word of either side.
        logarithm: mean over the words of both sides of log(best cosine), at least log(0.05).
    """

    left: Column
    right: Column
    gap: Column
    logarithm: Column

    @property
    def mean(self) -> Column:
        """Mean of both sides' coverage."""
        return (self.left + self.right) / 2

    @property
    def least(self) -> Column:
        """Coverage of the side that is covered less."""
        return np.minimum(self.left, self.right)


def compare_words(sequences: Ragged, pairs: Pairs, vectors: NDArray[np.float32]) -> Cosines:
    """The cosines of all words of each pair, from unit vectors by word number."""
    left, right = pairs
    sizes = sequences.lengths[left] * sequences.lengths[right]
    begins = np.concatenate([[0], np.cumsum(sizes)])
    values = np.empty(begins[-1], np.float32)
    _compare(*sequences, left, right, rounded(vectors, 24), begins, values)
    return Cosines(values, begins[:-1])


def cover_words(sequences: Ragged, pairs: Pairs, weights: Column, cosines: Cosines) -> Covered:
    """How well each word is matched by its best counterpart, with weights by word number."""
    return Covered(*_cover(*sequences, *pairs, weights, *cosines).T)


def _mean_few_rows(rows, offsets):
    means = np.zeros((len(offsets) - 1, rows.shape[1]), np.float32)
    for word in range(len(means)):
        for row in rows[offsets[word] : offsets[word + 1]]:
            means[word] += row
    return means / np.maximum(np.diff(offsets), 1).astype(np.float32)[:, None]


@kernel(nogil=True, plain=_mean_few_rows)
def mean_rows(rows, offsets):
    """(v, dim) mean of the rows between each two offsets; zeros if there are none."""
    means = np.zeros((len(offsets) - 1, rows.shape[1]), np.float32)
    for word in range(len(means)):
        mean = means[word]
        for row in range(offsets[word], offsets[word + 1]):
            for d in range(len(mean)):
                mean[d] += rows[row, d]
        count = np.float32(max(1, offsets[word + 1] - offsets[word]))
        for d in range(len(mean)):
            mean[d] /= count
    return means


@kernel(nogil=True)
def _compare(flat, offsets, left, right, vectors, begins, values):
    for p in range(len(left)):
        a = flat[offsets[left[p]] : offsets[left[p] + 1]]
        b = flat[offsets[right[p]] : offsets[right[p] + 1]]
        if len(a) == 0 or len(b) == 0:
            continue
        place = begins[p]
        for i in range(len(a)):
            for j in range(len(b)):
                cosine = np.float32(1.0) if a[i] == b[j] else _dot(vectors[a[i]], vectors[b[j]])
                values[place] = min(max(cosine, np.float32(-1.0)), np.float32(1.0))
                place += 1


def _few_dots(a, b):
    return np.float32(a.astype(np.float64) @ b.astype(np.float64))


@kernel(nogil=True, plain=_few_dots, fastmath={"reassoc", "contract"})
def _dot(a, b):
    """Exact in any order, as the numbers are rounded. A library would start threads for it."""
    total = np.float64(0.0)
    for d in range(len(a)):
        total += np.float64(a[d]) * np.float64(b[d])
    return np.float32(total)


@kernel(nogil=True)
def _cover(flat, offsets, left, right, weights, values, begins):
    result = np.zeros((len(left), 4))
    for p in range(len(left)):
        a = flat[offsets[left[p]] : offsets[left[p] + 1]]
        b = flat[offsets[right[p]] : offsets[right[p] + 1]]
        if len(a) == 0 or len(b) == 0:
            continue
        m, n = len(a), len(b)
        for side in range(2):
            # (own words, other words) lies row by row on the left, column by column on the right.
            own, to_other, to_next = (a, 1, n) if side == 0 else (b, n, 1)
            heavy = np.float64(0.0)
            for i in range(len(own)):
                best = np.float32(-1.0)
                for j in range(m + n - len(own)):
                    best = max(best, values[begins[p] + i * to_next + j * to_other])
                weight = weights[own[i]]
                heavy += weight
                result[p, side] += weight * best
                result[p, 2] = max(result[p, 2], weight * (np.float64(1.0) - best))
                result[p, 3] += log(max(np.float64(best), LEAST))
            result[p, side] /= max(heavy, 1e-9)
        result[p, 3] /= m + n
    return result


def max_pooled_jaccard(sequences: Ragged, pairs: Pairs, vectors: NDArray[np.float32]) -> Column:
    """(n,) DynaMax-Jaccard from vectors by word number; 0 if a side has no words.

    A sentence's membership of each word u of either side is the highest dot product of one of its
    words with u, or 0. The similarity is Σ min over Σ max of the memberships.
    """
    found: Column = _max_pooled_jaccard(*sequences, *pairs, rounded(vectors, 20))
    return found


@kernel(nogil=True)
def _max_pooled_jaccard(flat, offsets, left, right, vectors):
    result = np.zeros(len(left))
    for p in range(len(left)):
        first, second = offsets[left[p]], offsets[right[p]]
        m, n = offsets[left[p] + 1] - first, offsets[right[p] + 1] - second
        if m == 0 or n == 0:
            continue
        products = np.empty((m + n, m + n), np.float32)
        for i in range(m + n):
            one = vectors[flat[first + i if i < m else second + i - m]]
            for j in range(i, m + n):
                other = vectors[flat[first + j if j < m else second + j - m]]
                products[i, j] = products[j, i] = _dot(one, other)
        lower = upper = np.float64(0.0)
        for u in range(m + n):
            a = b = 0.0
            for i in range(m):
                a = max(a, products[i, u])
            for j in range(m, m + n):
                b = max(b, products[j, u])
            lower += min(a, b)
            upper += max(a, b)
        result[p] = lower / upper if upper > 0 else 0.0
    return result
