"""Word alignment: which words translate each other.

IBM Model 1 (Brown et al., 1993, 4.1): every word of one side translates some word of the other,
with a probability for each two words that is learned by expectation and maximisation. Words at
similar places are preferred (Dyer et al., 2013). It is learned in both directions, and a link
counts by the product of both probabilities (Liang et al., 2006).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from semaniacs.embeddings.tokenizers.row_numbers import Ragged

_SMOOTHING = 0.5
"""Added to the total count of a word, so that a rare one does not attract all other words."""

_DIAGONAL = 4.0  # preference of words at similar places (Dyer et al., 2013, eq. 2)
_AT_ONCE = 1024  # pairs of sentences that are looked at together

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]


class _Cells(NamedTuple):
    """The cells of some pairs: one for each two words, of a sentence and of its translation.

    ``near`` is how likely the places of the two words are to translate each other, whatever the words.
    """

    part: slice  # where these cells are among all cells
    places: tuple[Numbers, Numbers]  # place of each word among all words of its side
    near: Floats


def expected_links(
    left: Ragged, right: Ragged, sizes: tuple[int, int], iterations: int = 6
) -> csr_matrix:
    """Return how often each word of one side is expected to translate each word of the other.

    ``sizes`` are the numbers of different words of either side of n pairs of sentences. The result is
    sparse, (sizes[0], sizes[1]) float64, and not negative.
    """
    numbers = np.empty(left.lengths @ right.lengths, np.int64)
    for part, (i, j), _ in _cells(left, right):
        numbers[part] = left.flat[i].astype(np.int64) * sizes[1] + right.flat[j]
    links, link_of = np.unique(numbers, return_inverse=True)
    ends = links // sizes[1], links % sizes[1]
    chosen = []
    for chooser, among in ((0, 1), (1, 0)):
        probability = np.ones(len(links))
        for _ in range(iterations):
            counts = np.zeros(len(links))
            for part, places, near in _cells(left, right):
                cells = link_of[part]
                np.add.at(counts, cells, _shares(probability[cells] * near, places[chooser]))
            in_all = np.bincount(ends[among], counts, minlength=sizes[among])
            probability = counts / (in_all + _SMOOTHING)[ends[among]]
        chosen.append(probability)
    agreed = np.zeros(len(links))
    for part, places, near in _cells(left, right):
        cells = link_of[part]
        one, other = (_shares(p[cells] * near, own) for p, own in zip(chosen, places, strict=True))
        np.add.at(agreed, cells, one * other)
    return csr_matrix((agreed, ends), shape=sizes)


def _cells(left: Ragged, right: Ragged) -> Iterator[_Cells]:
    """Yield the cells of all pairs, some pairs at a time."""
    end = 0
    for start in range(0, len(left.lengths), _AT_ONCE):
        pairs = slice(start, start + _AT_ONCE)
        sizes = left.lengths[pairs] * right.lengths[pairs]
        begin, end = end, end + int(sizes.sum())
        pair = start + np.repeat(np.arange(len(sizes)), sizes)
        inside = np.arange(end - begin) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        rows, columns = left.lengths[pair], right.lengths[pair]
        i, j = np.divmod(inside, columns)
        near = np.exp(-_DIAGONAL * abs((i + 0.5) / rows - (j + 0.5) / columns))
        yield _Cells(slice(begin, end), (left.offsets[pair] + i, right.offsets[pair] + j), near)


def _shares(weights: Floats, places: Numbers) -> Floats:
    """Return the share of each cell (n,) in the sum of the cells of its word."""
    places = places - places[:1]  # the first one is the lowest
    in_all = np.bincount(places, weights)[places]
    return np.divide(weights, in_all, out=np.zeros_like(weights), where=in_all > 0)
