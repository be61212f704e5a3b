"""The nearest rows by cosine: exact, or in the nearest clusters only; and every close pair of rows.

faiss (Douze et al., 2024), or NumPy where faiss is not installed, finds a few more rows than are
needed, in float32. Their cosines are computed again in float64 and ranked, so the size of a block
does not change the result, and of equal cosines the first row comes first.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from semaniacs.embeddings.encoder import threads, unit
from semaniacs.embeddings.formats.numpy_file import RowsOnDisk
from semaniacs.embeddings.table import Vectors
from semaniacs.sts.errors import StsError, require
from semaniacs.sts.progress import Bar

DIGITS = 6  # digits of a score in a file. Thresholds are compared with the rounded scores

BLOCK = 65536  # rows of each side in memory: 79 MB of 300 numbers each

_MORE = 8
"""Rows found beyond those needed, so that the float32 order of near equals does not matter."""

_RANKED = 1024  # queries whose neighbours are ranked at once

_PROBE, _FEWEST, _SAMPLE = 32, 39, 64
"""Clusters searched per query, fewest rows per cluster, and rows per cluster that k-means sees."""

Rows = Vectors | RowsOnDisk  # vectors (n, dim) of length 1, in memory or in a file

Places = NDArray[np.int64]
Floats = NDArray[np.float64]

Lookup = Callable[[Vectors, int], Places]
"""Function from queries (n, dim) and k to places (n, at most k) of near rows; −1 is none."""

Index = Callable[[Vectors], Lookup]  # function from a block of rows to a lookup of near rows in it


class Neighbours(NamedTuple):
    """The nearest rows of each query, the nearest first: places (n, k), −1 where clusters held fewer than
    k, and cosines (n, k) float64 in [−1, 1], 0 where there is none.
    """

    places: Places
    cosines: Floats

    @property
    def found(self) -> NDArray[np.bool_]:
        """Mask (n, k) of the neighbours that exist."""
        return self.places >= 0

    def mean(self) -> Floats:
        """Return the mean cosine (n,) with the neighbours; 0 where there is none."""
        mean: Floats = self.cosines.sum(axis=1) / np.maximum(self.found.sum(axis=1), 1)
        return mean


def compare_all(block: Vectors) -> Lookup:
    """Return a lookup that compares every query with every row of a block."""
    if find_spec("faiss") is None:
        return compare_by_numpy(block)
    import faiss

    metric, most = faiss.METRIC_INNER_PRODUCT, len(block)
    return lambda queries, k: faiss.knn(queries, block, min(k, most), metric=metric)[1]


def compare_by_numpy(block: Vectors) -> Lookup:
    """Return the same lookup without faiss."""

    def find(queries: Vectors, k: int) -> Places:
        others = len(block) - min(k, len(block))
        parts = [queries[start : start + _RANKED] for start in range(0, len(queries), _RANKED)]
        best = [np.argpartition(part @ block.T, others, axis=1)[:, others:] for part in parts]
        return np.concatenate(best)

    return find


@dataclass(frozen=True)
class Ivf:
    """An inverted file: a query is compared with the rows of the nearest clusters only.

    Jégou, Douze and Schmid (2011), Product quantization for nearest neighbor search, IV,
    without the quantization. Clusters are learned once for all blocks.

    Attributes:
        clusters: 2 √n for n rows by default.
        probe: clusters that a query is compared with; 32 by default.
        seed: random seed of k-means and of the sample of rows that it learns from.
    """

    clusters: int | None = None
    probe: int | None = None
    seed: int = 0

    def over(self, rows: Rows) -> Index:
        """Learn the clusters of ``rows``; an StsError if they do not fit, or faiss is missing."""
        require("faiss")
        import faiss

        clusters = self.clusters or max(1, min(int(2 * len(rows) ** 0.5), len(rows) // _FEWEST))
        probe = self.probe or min(clusters, _PROBE)
        if clusters > len(rows):
            raise StsError(f"{clusters} clusters of {len(rows)} sentences; give fewer --clusters")
        if probe > clusters:
            raise StsError(f"--probe {probe} of {clusters} clusters; give {clusters} or fewer")
        centroids = _learn_centroids(rows, clusters, self.seed)

        def index(block: Vectors) -> Lookup:
            coarse = faiss.IndexFlatIP(centroids.shape[1])
            coarse.add(centroids)
            built = faiss.IndexIVFFlat(coarse, block.shape[1], clusters, faiss.METRIC_INNER_PRODUCT)
            built.train(centroids)
            built.add(block)
            built.nprobe = probe
            return lambda queries, k: built.search(queries, k)[1]

        return index


def _learn_centroids(rows: Rows, clusters: int, seed: int) -> Vectors:
    """Return the centroids (clusters, dim) of spherical k-means on a sample, of length 1."""
    import faiss

    size = min(len(rows), _SAMPLE * clusters)
    drawn = np.sort(np.random.default_rng(seed).permutation(len(rows))[:size])
    parts = []
    for start, end in _parts(len(rows), BLOCK):
        parts.append(rows[start:end][drawn[(drawn >= start) & (drawn < end)] - start])
    sample = np.concatenate(parts)
    learner = faiss.Kmeans(
        sample.shape[1], clusters, seed=seed, spherical=True, niter=10, min_points_per_centroid=1
    )
    learner.train(sample)
    return unit(np.asarray(learner.centroids))


def nearest(
    queries: Rows,
    rows: Rows,
    k: int,
    *,
    search: Ivf | Index | None = None,
    block: int = BLOCK,
    same: bool = False,
    show_progress: bool = True,
) -> Neighbours:
    """Find the ``k`` nearest of ``rows`` (m, dim) to each of ``queries`` (n, dim), all of length 1.

    Args:
        search: exact by default; an index that was learned before is of ``rows`` as one block.
        block: rows in memory, and of queries as many, but no more than ``BLOCK``.
        same: whether queries and rows are the same; a row is then no neighbour of itself.

    Raises an StsError for fewer than ``k`` rows, or clusters that do not fit them.
    """
    if not 1 <= k <= len(rows) - same:
        raise StsError(
            f"--top-k {k} neighbours among {len(rows) - same} sentences; give a smaller --top-k"
        )
    if find_spec("faiss") is not None:
        import faiss

        faiss.omp_set_num_threads(threads())
    index = search.over(rows) if isinstance(search, Ivf) else search or compare_all
    places = np.full((len(queries), k), -1)
    cosines = np.full((len(queries), k), -np.inf)
    total = len(rows) * len(queries)
    with Bar("search", "comparisons", total, show=show_progress) as bar:
        for start, end in _parts(len(rows), block):
            searched = rows[start:end]
            find = index(searched)
            for first, last in _parts(len(queries), min(block, BLOCK)):
                some, part = queries[first:last], slice(first, last)
                found = np.sort(find(some, k + _MORE + same), axis=1)
                own = np.arange(first, last)[:, None] - start
                found[same & (found == own)] = -1
                _merge(places[part], cosines[part], found, _cosines(some, searched, found), start)
                bar.update(len(some) * len(searched))
    missing = places < 0
    return Neighbours(places, np.where(missing, 0.0, np.clip(cosines, -1.0, 1.0)))


def _parts(count: int, size: int) -> list[tuple[int, int]]:
    return [(begin, min(begin + size, count)) for begin in range(0, count, size)]


def _cosines(queries: Vectors, rows: Vectors, places: Places) -> Floats:
    """Return the cosines (n, k) of queries (n, dim) with places (n, k) of rows; −∞ for none."""
    cosines = np.empty(places.shape)
    for start, end in _parts(len(queries), _RANKED):
        near = rows[places[start:end]].astype(np.float64)
        np.einsum("nkd,nd->nk", near, queries[start:end].astype(np.float64), out=cosines[start:end])
    cosines[places < 0] = -np.inf
    return cosines


def _merge(places: Places, cosines: Floats, found: Places, values: Floats, start: int) -> None:
    """Merge the neighbours in the block at ``start`` into the best so far, in place."""
    both = np.concatenate([cosines, values], axis=1)
    # Stable, and the places of a later block are higher: of equals, the first row wins.
    order = np.argsort(-both, axis=1, kind="stable")[:, : places.shape[1]]
    joined = np.concatenate([places, np.where(found < 0, -1, found + start)], axis=1)
    places[:] = np.take_along_axis(joined, order, axis=1)
    cosines[:] = np.take_along_axis(both, order, axis=1)


Rank = NDArray[np.int32]

MOST = 100_000_000  # close pairs that are held in memory, 16 bytes each
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
    block: int = 2048,
    show_progress: bool = True,
) -> ClosePairs:
    """Find all pairs whose cosine, rounded to six digits, is at least ``threshold``, which is above 0.

    An exact range search: rows are compared block by block in float32, by a few numbers of each that
    give an upper bound of their cosine. Pairs whose bound reaches the threshold are computed in float64
    and rounded, so a threshold that is compared with written cosines finds the same pairs.

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
