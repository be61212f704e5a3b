"""Every pair of rows whose cosine is at least a threshold: an exact range search.

Rows are compared block by block in float32. Pairs near the threshold are computed again in float64
and rounded, so a threshold that is compared with written cosines finds the same pairs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.mining.neighbours import Floats, Rows
from semaniacs.embeddings.mining.ranked_pairs import DIGITS
from semaniacs.embeddings.table import Vectors
from semaniacs.sts.errors import StsError
from semaniacs.sts.progress import Bar

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
        most: pairs that may be found.
        show_progress: whether to show a progress bar.

    Raises:
        StsError: more than ``most`` pairs.
    """
    none = np.empty(0, np.int32)
    found = [ClosePairs(none, none, np.empty(0))]
    count = 0
    total = len(rows) * (len(rows) + 1) // 2
    with Bar("search", "comparisons", total, show=show_progress) as bar:
        for begin in range(0, len(rows), block):
            some = rows[begin : begin + block]
            for start in range(begin, len(rows), block):
                same = start == begin
                others = some if same else rows[start : start + block]
                found.append(_compare(some, others, begin, start, threshold))
                count += len(found[-1].low)
                if count > most:
                    raise StsError(
                        f"more than {most:,} pairs have a cosine of at least {threshold:g}; "
                        "give a higher --threshold (or --lowest)"
                    )
                bar.update(len(some) * (len(some) + 1) // 2 if same else len(some) * len(others))
    low, high, cosines = map(np.concatenate, zip(*found, strict=True))
    order = np.lexsort((high, low))
    return ClosePairs(low[order], high[order], cosines[order])


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
    ends = low[chosen] + begin, high[chosen] + start
    return ClosePairs(ends[0].astype(np.int32), ends[1].astype(np.int32), exact[chosen])


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
