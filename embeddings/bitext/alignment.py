"""Word alignment: which words translate each other.

IBM Model 1 (Brown et al., 1993, 4.1): every word of one side translates some word of the other,
with a probability for each two words that is learned by expectation and maximisation. Words at
similar places are preferred (Dyer et al., 2013). It is learned in both directions, and a link
counts by the product of both probabilities (Liang et al., 2006).
"""

# mypy: disable-error-code="misc,untyped-decorator,no-untyped-def"

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from semaniacs.embeddings.compiled.compiling import njit
from semaniacs.embeddings.tokenizers.row_numbers import Ragged

_SMOOTHING = 0.5
"""Added to the total count of a word, so that a rare one does not attract all other words."""

_DIAGONAL = 4.0  # preference of words at similar places (Dyer et al., 2013, eq. 2)

Numbers = NDArray[np.int64]


def expected_links(
    left: Ragged, right: Ragged, sizes: tuple[int, int], iterations: int = 6
) -> csr_matrix:
    """Return how often each word of one side is expected to translate each word of the other.

    ``sizes`` are the numbers of different words of either side of n pairs of sentences. The result is
    sparse, (sizes[0], sizes[1]) float64, and not negative.
    """
    lengths = np.stack([left.lengths, right.lengths], axis=1)
    offsets = np.concatenate([[0], np.cumsum(lengths.prod(axis=1))])
    links, cells = np.unique(_cells(left, right, offsets, sizes[1]), return_inverse=True)
    ends = links // sizes[1], links % sizes[1]
    widest = np.zeros((2, int(lengths.max(initial=1))))
    chosen = []
    for chooser, among in ((0, 1), (1, 0)):
        probability = np.ones(len(links))
        for _ in range(iterations):
            counts = np.zeros(len(links))
            _expect(offsets, lengths, cells, probability, counts, widest, chooser == 0)
            in_all = np.bincount(ends[among], counts, minlength=sizes[among])
            probability = counts / (in_all + _SMOOTHING)[ends[among]]
        chosen.append(probability)
    agreed = np.zeros(len(links))
    _agree(offsets, lengths, cells, *chosen, agreed, widest)
    return csr_matrix((agreed, ends), shape=sizes)


def _cells(left: Ragged, right: Ragged, offsets: Numbers, width: int) -> Numbers:
    """Return a number for the two words of each cell: one of a sentence, one of its translation."""
    found = np.empty(offsets[-1], np.int64)
    _number(left.flat, left.offsets, right.flat, right.offsets, offsets, width, found)
    return found


def _compile(function):
    return njit(nogil=True, error_model="numpy")(function)


@_compile
def _number(left, left_offsets, right, right_offsets, offsets, width, found):
    for pair in range(len(offsets) - 1):
        cell = offsets[pair]
        for i in range(left_offsets[pair], left_offsets[pair + 1]):
            for j in range(right_offsets[pair], right_offsets[pair + 1]):
                found[cell] = np.int64(left[i]) * width + right[j]
                cell += 1


@_compile
def _near(i, rows, j, columns):
    """Return how likely two places are to translate each other, whatever the words."""
    return np.exp(-_DIAGONAL * abs((i + 0.5) / rows - (j + 0.5) / columns))


@_compile
def _sums(begin, rows, columns, cells, probability, widest):
    """Compute the sum of each row of cells of a pair, and of each column."""
    for i in range(rows):
        widest[0, i] = 0.0
    for j in range(columns):
        widest[1, j] = 0.0
    for i in range(rows):
        for j in range(columns):
            p = probability[cells[begin + i * columns + j]] * _near(i, rows, j, columns)
            widest[0, i] += p
            widest[1, j] += p


@_compile
def _expect(offsets, lengths, cells, probability, counts, widest, by_row):
    """Add the expected counts: the cells of a word share 1 in proportion to their probability."""
    for pair in range(len(offsets) - 1):
        rows, columns = lengths[pair, 0], lengths[pair, 1]
        _sums(offsets[pair], rows, columns, cells, probability, widest)
        for i in range(rows):
            for j in range(columns):
                cell = cells[offsets[pair] + i * columns + j]
                in_all = widest[0, i] if by_row else widest[1, j]
                if in_all > 0.0:
                    counts[cell] += probability[cell] * _near(i, rows, j, columns) / in_all


@_compile
def _agree(offsets, lengths, cells, first, second, counts, widest):
    """Add to each cell the product of its share of its row (first) and of its column (second)."""
    for pair in range(len(offsets) - 1):
        rows, columns = lengths[pair, 0], lengths[pair, 1]
        _sums(offsets[pair], rows, columns, cells, second, widest)
        for i in range(rows):
            in_row = 0.0
            for j in range(columns):
                near = _near(i, rows, j, columns)
                in_row += first[cells[offsets[pair] + i * columns + j]] * near
            for j in range(columns):
                cell = cells[offsets[pair] + i * columns + j]
                near = _near(i, rows, j, columns)
                if in_row > 0.0 and widest[1, j] > 0.0:
                    share = second[cell] * near / widest[1, j]
                    counts[cell] += first[cell] * near / in_row * share
