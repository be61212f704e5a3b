"""The nearest rows by cosine: exact, or in the nearest clusters only.

faiss (Douze et al., 2024), or NumPy where faiss is not installed, finds a few more rows than are
needed, in float32. Their cosines are computed again in float64 and ranked, so the size of a block
does not change the result, and of equal cosines the first row comes first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.encoder import threads, unit
from semaniacs.embeddings.formats.numpy_file import RowsOnDisk
from semaniacs.embeddings.table import Vectors
from semaniacs.sts.errors import StsError, require
from semaniacs.sts.progress import Bar

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

    def find(queries: Vectors, k: int) -> Places:
        k = min(k, len(block))
        found: Places = faiss.knn(queries, block, k, metric=faiss.METRIC_INNER_PRODUCT)[1]
        return found

    return find


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
