"""Every word of one side against every word of the other: soft alignment by word vectors.

Words are compared by the cosine of their vectors in the bundled encoder, which
spells words that it does not know from pieces; equal words always have cosine 1.
"""

# mypy: disable-error-code="untyped-decorator,no-untyped-def"

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from embeddings.encoder import Encoder
from embeddings.encoder import unit as unit_rows
from embeddings.tokenizers.ragged import Ragged
from embeddings.tokenizers.words import WordTokenizer
from features.batch import Batch, Column
from features.families.ngrams import informations
from features.families.surface import DCU
from features.registry import columnwise

ENCODER = "paragram"
"""The encoder whose word vectors are compared."""


class Cosines(NamedTuple):
    """The (left words, right words) matrix of each pair, row by row, end to end.

    Attributes:
        values: float32 in [-1, 1].
        begins: (n,) where each pair's matrix begins.
    """

    values: NDArray[np.float32]
    begins: NDArray[np.int64]


def word_vectors(batch: Batch, view: str) -> NDArray[np.float32]:
    """(v, dim) the vector of each distinct word of a view: the mean of its rows."""

    def make() -> NDArray[np.float32]:
        encoder: Encoder = batch.resources.encoder(ENCODER)
        vocabulary = encoder.tokenizer
        assert isinstance(vocabulary, WordTokenizer)  # the bundled encoder's is
        rows = Ragged.of([vocabulary.rows_of(word) for word in batch.view(view).words])
        means: NDArray[np.float32] = mean_rows(encoder.rows.rows(rows.flat), rows.offsets)
        return means

    return batch.once(("word vectors", view), make)


def unit_vectors(batch: Batch, view: str) -> NDArray[np.float32]:
    """The same, brought to length 1."""
    return batch.once(("unit vectors", view), lambda: unit_rows(word_vectors(batch, view)))


def cosines(batch: Batch, view: str) -> Cosines:
    """The cosines of the words of a view, pair by pair."""
    return batch.once(("cosines", view), lambda: _cosines(batch, view))


def _cosines(batch: Batch, view: str) -> Cosines:
    sequences = batch.view(view).sequences
    left, right = batch.pairs
    sizes = sequences.lengths[left] * sequences.lengths[right]
    begins = np.concatenate([[0], np.cumsum(sizes)])
    values = np.empty(begins[-1], np.float32)
    vectors = unit_vectors(batch, view)
    compare_words(*sequences, left, right, vectors, begins, values)
    return Cosines(values, begins[:-1])


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


# How well each side is covered by the other


class Covered(NamedTuple):
    """(n,) each: mean best cosine of the words of a side, weighted, and the worst gap."""

    left: Column
    right: Column
    gap: Column
    logarithm: Column


def covered(batch: Batch, view: str, weighted: bool) -> Covered:
    """How well each word is matched by its best counterpart (0 if a side has no words)."""

    def make() -> Covered:
        sequences = batch.view(view).sequences
        weights = informations(batch, view) if weighted else np.ones(len(batch.view(view).words))
        return Covered(*cover_words(*sequences, *batch.pairs, weights, *cosines(batch, view)).T)

    return batch.once(("covered", view, weighted), make)


LEAST = 0.05
"""A floor under the best cosine, or one stranger would make a product of all of them 0."""


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


BERTSCORE = "Zhang et al. (2020), BERTScore, 3, on static vectors"
HIGHEST_GAP = 37.0
"""Twice the information of the rarest word: the gap if its best cosine is −1."""


def _empty(batch: Batch, view: str, column: Column, both: float = 1.0) -> Column:
    """``both`` where neither side has words, 0 where one has none."""
    lengths = batch.view(view).sequences.lengths
    left, right = (lengths[side] for side in batch.pairs)
    column = np.where((left == 0) & (right == 0), both, column)
    return np.where((left == 0) != (right == 0), 0.0, column)


@columnwise("soft_match", "soft", BERTSCORE, low=-1.0)
def soft_match(batch: Batch) -> Column:
    """Mean of both sides' coverage: the best cosine of each word, weighted by information."""
    found = covered(batch, "words", weighted=True)
    return _empty(batch, "words", (found.left + found.right) / 2)


@columnwise("soft_least", "soft", BERTSCORE, low=-1.0)
def soft_least(batch: Batch) -> Column:
    """Coverage of the side that is covered less."""
    found = covered(batch, "words", weighted=True)
    return _empty(batch, "words", np.minimum(found.left, found.right))


@columnwise("soft_content", "soft", BERTSCORE, low=-1.0)
def soft_content(batch: Batch) -> Column:
    """Mean of both sides' coverage over content words, all weighing the same."""
    found = covered(batch, "content", weighted=False)
    return _empty(batch, "content", (found.left + found.right) / 2)


@columnwise("soft_gap", "soft", "the word that is matched worst, by information", high=HIGHEST_GAP)
def soft_gap(batch: Batch) -> Column:
    """max over all words of information · (1 − best cosine), in nats; 0 if a side is empty."""
    return covered(batch, "words", weighted=True).gap


@columnwise("product_w2v", "w2v", DCU)
def product_w2v(batch: Batch) -> Column:
    """Geometric mean over all content words of the best cosine with a word of the other side.

    The paper names "product" and does not define it; this is our reading: the
    product of the words' best matches, with a root so that length does not
    matter. One word without a match weighs heavily, which a sum would hide.
    """
    product = np.exp(covered(batch, "content", weighted=False).logarithm)
    return _empty(batch, "content", product)


@columnwise("dynamax", "soft", "Zhelezniak et al. (2019), 3, DynaMax-Jaccard")
def dynamax(batch: Batch) -> Column:
    """Fuzzy Jaccard of max-pooled word vectors, the words of the pair being the universe.

    A sentence's membership of each word u of either side is the highest dot
    product of one of its words with u, or 0; Σ min over Σ max of memberships.
    """
    view = batch.view("words")
    vectors = word_vectors(batch, "words")
    column: Column = max_pooled_jaccard(*view.sequences, *batch.pairs, vectors)
    return _empty(batch, "words", column)


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
