"""Every pair of rows whose cosine is at least a threshold: an exact range search.

Rows are compared block by block in float32, by a few numbers of each that give an upper bound of
their cosine. Pairs whose bound reaches the threshold are computed in float64 and rounded, so a
threshold that is compared with written cosines finds the same pairs.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from semaniacs.embeddings.encoder import threads
from semaniacs.embeddings.mining.neighbours import Floats, Rows
from semaniacs.embeddings.mining.ranked_pairs import DIGITS
from semaniacs.embeddings.table import Vectors
from semaniacs.sts.errors import StsError
from semaniacs.sts.progress import Bar

Rank = NDArray[np.int32]

BLOCK = 2048  # rows compared with as many others at once: 16 MB of cosines
MOST = 100_000_000  # pairs that are held in memory, 16 bytes each
_FLOAT32_ERROR = 1e-5  # bound of the error of a float32 product of unit vectors

_SHORT = 64
"""Numbers per row of the bounds: a product of them takes a third of the time of 256 numbers."""

_FEW = 1 / 256  # share of pairs up to which single cosines take less time than all of a block
_EXACT = 8192  # pairs whose cosines are computed in float64 at once


class ClosePairs(NamedTuple):
    """Pairs of rows ``low < high`` (n,) int32, each once, in the order of their rows; their cosines (n,)
    are float64 in [-1, 1], rounded to six digits.
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
    show_progress: bool = True,
) -> ClosePairs:
    """Find all pairs whose cosine, rounded to six digits, is at least ``threshold``, which is above 0.

    ``rows`` (n, dim) are of length 1, or zero: cosine 0 with everything. A ``block`` of them is compared
    with as many at once. More than :data:`MOST` pairs are an StsError.
    """
    none = np.empty(0, np.int32)
    found = [ClosePairs(none, none, np.empty(0))]
    count = 0
    total = len(rows) * (len(rows) + 1) // 2
    short = _shortened(rows, block)
    with (
        Bar("search", "comparisons", total, show=show_progress) as bar,
        threadpool_limits(1),
        ThreadPoolExecutor(threads()) as pool,
    ):
        for begin in range(0, len(rows), block):
            starts = range(begin, len(rows), block)
            compare = partial(_compare, rows, short, threshold, block, begin)
            for start, part in zip(starts, pool.map(compare, starts), strict=True):
                found.append(part)
                count += len(part.low)
                if count > MOST:
                    raise StsError(
                        f"more than {MOST:,} pairs have a cosine of at least {threshold:g}; "
                        "give a higher --threshold (or --lowest)"
                    )
                some, others = (min(block, len(rows) - first) for first in (begin, start))
                bar.update(some * (some + 1) // 2 if begin == start else some * others)
    low, high, cosines = map(np.concatenate, zip(*found, strict=True))
    order = np.lexsort((high, low))
    return ClosePairs(low[order], high[order], cosines[order])


def _shortened(rows: Rows, block: int) -> Vectors | None:
    """Return rows (n, _SHORT) whose products are upper bounds of the cosines of the full rows.

    Each has its principal coordinates, and the length of what they leave out: what two rows leave
    out adds at most the product of these lengths (Cauchy and Schwarz). None: it would save no time.
    """
    parts = [slice(begin, begin + block) for begin in range(0, len(rows), block)]
    if len(parts) < 2 or rows[:1].shape[1] < 2 * _SHORT:
        return None
    products = sum(rows[part].T @ rows[part] for part in parts)
    axes = np.linalg.eigh(np.asarray(products, np.float64))[1][:, 1 - _SHORT :]
    short = np.empty((len(rows), _SHORT), np.float32)
    for part in parts:
        full = rows[part].astype(np.float64)
        kept = full @ axes
        left_out = np.square(full).sum(axis=1) - np.square(kept).sum(axis=1)
        short[part] = np.column_stack([kept, np.sqrt(left_out.clip(0))])
    return short


def _compare(
    rows: Rows, short: Vectors | None, threshold: float, block: int, begin: int, start: int
) -> ClosePairs:
    """Return the close pairs of two blocks of rows, which begin at ``begin`` and ``start``."""
    one, other = slice(begin, begin + block), slice(start, start + block)
    lowest = threshold - _FLOAT32_ERROR
    some, others = rows[one], rows[other]
    near = None if short is None else np.flatnonzero((short[one] @ short[other].T) >= lowest)
    if near is None or len(near) > _FEW * len(some) * len(others):
        near = np.flatnonzero((some @ others.T) >= lowest)
    low, high = np.divmod(near, len(others))
    if begin == start:
        low, high = low[low < high], high[low < high]
    exact = pairwise_cosines(some, others, low, high)
    chosen = exact >= threshold
    ends = low[chosen] + begin, high[chosen] + start
    return ClosePairs(ends[0].astype(np.int32), ends[1].astype(np.int32), exact[chosen])


def pairwise_cosines(
    left: Rows, right: Rows, i: NDArray[np.integer], j: NDArray[np.integer]
) -> Floats:
    """Return the cosines (n,) of rows ``i`` of ``left`` and ``j`` of ``right``, to six digits."""
    cosines = np.empty(len(i), np.float64)
    for start in range(0, len(i), _EXACT):
        part = slice(start, start + _EXACT)
        one, other = left[i[part]].astype(np.float64), right[j[part]].astype(np.float64)
        np.einsum("nd,nd->n", one, other, out=cosines[part])
    return cosines.clip(-1.0, 1.0).round(DIGITS)
