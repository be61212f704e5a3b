"""Every word of one sentence compared with every word of the other, compiled.

Words are numbers, and the vectors of words or tokens are rows of a matrix.
"""

# mypy: disable-error-code="untyped-decorator,no-untyped-def"

from __future__ import annotations

import numba
import numpy as np

BERTSCORE = "Zhang et al. (2020), BERTScore, 3, on static vectors"
HIGHEST_GAP = 37.0
"""Twice the information of the rarest word: the gap if its best cosine is −1."""

LEAST = 0.05
"""A floor under the best cosine, or one stranger would make a product of all of them 0."""


@numba.njit(cache=True, nogil=True)
def mean_rows(rows, offsets):
    """(v, dim) mean of the rows between each two offsets; zeros if there are none."""
    means = np.zeros((len(offsets) - 1, rows.shape[1]), np.float32)
    for word in range(len(means)):
        for row in range(offsets[word], offsets[word + 1]):
            means[word] += rows[row]
        if offsets[word + 1] > offsets[word]:
            means[word] /= np.float32(offsets[word + 1] - offsets[word])
    return means


@numba.njit(cache=True, nogil=True)
def compare_words(flat, offsets, left, right, vectors, begins, values):
    """Fill ``values`` with each pair's cosines, from unit vectors by word number."""
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


@numba.njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _dot(a, b):
    """Added up several at a time. A library's product of matrices would start threads for it."""
    total = np.float32(0.0)
    for d in range(len(a)):
        total += a[d] * b[d]
    return total


@numba.njit(cache=True, nogil=True)
def cover_words(flat, offsets, left, right, weights, values, begins):
    """(n, 4) the columns of :class:`Covered`, from weights by word number and the cosines."""
    result = np.zeros((len(left), 4))
    for p in range(len(left)):
        first, second = offsets[left[p]], offsets[right[p]]
        m, n = offsets[left[p] + 1] - first, offsets[right[p] + 1] - second
        if m == 0 or n == 0:
            continue
        best_right = np.full(n, np.float32(-1.0))
        heavy = 0.0
        for i in range(m):
            best = -1.0
            for j in range(n):
                cosine = values[begins[p] + i * n + j]
                best = max(best, cosine)
                best_right[j] = max(best_right[j], cosine)
            weight = weights[flat[first + i]]
            heavy += weight
            result[p, 0] += weight * best
            result[p, 2] = max(result[p, 2], weight * (1 - best))
            result[p, 3] += np.log(max(best, LEAST))
        result[p, 0] /= max(heavy, 1e-9)
        heavy = 0.0
        for j in range(n):
            weight = weights[flat[second + j]]
            heavy += weight
            result[p, 1] += weight * best_right[j]
            result[p, 2] = max(result[p, 2], weight * (1 - best_right[j]))
            result[p, 3] += np.log(max(best_right[j], LEAST))
        result[p, 1] /= max(heavy, 1e-9)
        result[p, 3] /= m + n
    return result


@numba.njit(cache=True, nogil=True)
def max_pooled_jaccard(flat, offsets, left, right, vectors):
    """(n,) DynaMax-Jaccard, see :func:`dynamax`, from vectors by word number."""
    result = np.zeros(len(left))
    for p in range(len(left)):
        first, second = offsets[left[p]], offsets[right[p]]
        m, n = offsets[left[p] + 1] - first, offsets[right[p] + 1] - second
        if m == 0 or n == 0:
            continue
        ids = np.empty(m + n, flat.dtype)
        ids[:m] = flat[first : first + m]
        ids[m:] = flat[second : second + n]
        products = np.empty((m + n, m + n), np.float32)
        for i in range(m + n):
            for j in range(i, m + n):
                products[i, j] = products[j, i] = _dot(vectors[ids[i]], vectors[ids[j]])
        lower = upper = 0.0
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
