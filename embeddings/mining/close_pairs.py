"""Every pair of rows whose cosine is at least a threshold: an exact range search.

Rows are compared block by block, each two blocks once, by a matrix product in float32. What comes
near the threshold is computed again in float64, pair by pair, and rounded: so the size of a block
changes nothing, and a threshold that is compared with written cosines finds the same pairs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from embeddings.mining.neighbours import Floats, Rows
from embeddings.mining.ranked_pairs import DIGITS
from embeddings.table import Vectors
from sts.errors import StsError
from sts.progress import Bar

Rank = NDArray[np.int32]

BLOCK = 2048
"""Rows compared with as many others at once: 16 MB of cosines."""

MOST = 100_000_000
"""Pairs that are held in memory, 16 bytes each."""

_FLOAT32_ERROR = 1e-5
"""Bound of the error of a float32 product of unit vectors."""

_EXACT = 8192
"""Pairs whose cosines are computed in float64 at once."""


class ClosePairs(NamedTuple):
    """Pairs of rows, each once, in the order of their rows.

    Attributes:
        low, high: (n,) int32, ``low[i] < high[i]``.
        cosines: (n,) float64 in [-1, 1], rounded to six digits.
    """

    low: Rank
    high: Rank
    cosines: Floats

    def at_least(self, threshold: float) -> ClosePairs:
        """Return the pairs whose rounded cosine is at least ``threshold``."""
        chosen = self.cosines >= threshold
        return ClosePairs(self.low[chosen], self.high[chosen], self.cosines[chosen])


def close_pairs(
    rows: Rows,
    threshold: float,
    *,
    block: int = BLOCK,
    most: int = MOST,
    show_progress: bool = True,
) -> ClosePairs:
    """Find all pairs whose cosine, rounded to six digits, is at least ``threshold``.

    Args:
        rows: (n, dim) of length 1, or zero: cosine 0 with everything.
        threshold: above 0, so that zero rows have no pair.
        block: rows that are compared with as many at once.
        most: pairs that may be found; the time grows as n², the memory as these.
        show_progress: whether to show how far the search is.

    Raises:
        StsError: more than ``most`` pairs; none is left out in silence.
    """
    found: list[ClosePairs] = []
    total = len(rows) * (len(rows) + 1) // 2
    count = 0
    with Bar("search", "comparisons", total, show=show_progress) as bar:
        for begin in range(0, len(rows), block):
            some = rows[begin : begin + block]
            for start in range(begin, len(rows), block):
                others = some if start == begin else rows[start : start + block]
                found.append(_compare(some, others, begin, start, threshold))
                count += len(found[-1].low)
                if count > most:
                    raise StsError(
                        f"more than {most:,} pairs have a cosine of at least {threshold:g}; "
                        "give a higher --threshold (or --lowest)"
                    )
                same = start == begin
                bar.update(len(some) * (len(some) + 1) // 2 if same else len(some) * len(others))
    return _in_order(found)


def _compare(
    some: Vectors, others: Vectors, begin: int, start: int, threshold: float
) -> ClosePairs:
    """Return the close pairs of two blocks of rows, which begin at ``begin`` and ``start``."""
    cosines = (some @ others.T).ravel()
    near = np.flatnonzero(cosines >= threshold - _FLOAT32_ERROR)
    low, high = np.divmod(near, len(others))
    if begin == start:
        low, high = low[low < high], high[low < high]
    exact = pairwise_cosines(some, others, low, high)
    chosen = exact >= threshold
    return ClosePairs(
        (low[chosen] + begin).astype(np.int32),
        (high[chosen] + start).astype(np.int32),
        exact[chosen],
    )


def pairwise_cosines(
    left: Vectors, right: Vectors, i: NDArray[np.integer], j: NDArray[np.integer]
) -> Floats:
    """Return the cosines (n,) of rows ``i`` of ``left`` and ``j`` of ``right``, to six digits."""
    cosines = np.empty(len(i), np.float64)
    for start in range(0, len(i), _EXACT):
        part = slice(start, start + _EXACT)
        one, other = left[i[part]].astype(np.float64), right[j[part]].astype(np.float64)
        np.einsum("nd,nd->n", one, other, out=cosines[part])
    return cosines.clip(-1.0, 1.0).round(DIGITS)


def _in_order(found: list[ClosePairs]) -> ClosePairs:
    if not found:
        return ClosePairs(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0))
    low, high, cosines = (np.concatenate(column) for column in zip(*found, strict=True))
    order = np.lexsort((high, low))
    return ClosePairs(low[order], high[order], cosines[order])
