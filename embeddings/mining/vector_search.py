"""The nearest rows by cosine: all of them compared, or only those of the nearest clusters.

Either way the searched rows are read block by block, and each block is searched with the
queries, block by block: memory holds two blocks and k neighbours a query, however many rows
there are. faiss (Douze et al., 2024) finds a few rows more than were asked for, in float32;
their cosines are then computed in float64, each by itself, and ranked. So the size of a block
does not change what a query finds, and of equal cosines the first row comes first. Only where
more rows than these few tie with the last neighbour, as many copies of one sentence do, which of
them are found is faiss's choice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from embeddings.encoder import threads, unit
from embeddings.mining.stored_vectors import Rows
from embeddings.table import Vectors
from sts import progress
from sts.errors import StsError

BLOCK = 65536
"""Rows of each side in memory: 79 MB of 300 numbers each."""

_MORE = 8
"""Rows found beyond those asked for, so that the float32 order of near equals does not matter."""

_RANKED = 1024
"""Queries ranked at once."""

Places = NDArray[np.int64]

Finder = Callable[[Vectors, int], Places]
"""Queries (n, dim) and k to the places (n, at most k) of near rows, in any order; −1 is none."""

Index = Callable[[Vectors], Finder]
"""A block of rows to what finds near ones among them."""


class Neighbours(NamedTuple):
    """The nearest rows of each query, the nearest first.

    Attributes:
        places: (n, k) in the rows searched; −1 where clusters held fewer than k.
        cosines: (n, k) float64 in [−1, 1]; 0 where there is none.
    """

    places: Places
    cosines: NDArray[np.float64]

    @property
    def found(self) -> NDArray[np.bool_]:
        """(n, k): where there is one."""
        return self.places >= 0

    def mean(self) -> NDArray[np.float64]:
        """The mean cosine (n,) with those found; 0 if none was."""
        mean: NDArray[np.float64] = self.cosines.sum(axis=1) / np.maximum(self.found.sum(axis=1), 1)
        return mean


class Search(Protocol):
    """A way to search."""

    def over(self, rows: Rows) -> Index:
        """What searches blocks of ``rows``."""


class Exact:
    """Every query is compared with every row."""

    def over(self, rows: Rows) -> Index:
        """Nothing to prepare."""
        return _compare_all


def _compare_all(block: Vectors) -> Finder:
    import faiss

    def find(queries: Vectors, k: int) -> Places:
        k = min(k, len(block))
        found: Places = faiss.knn(queries, block, k, metric=faiss.METRIC_INNER_PRODUCT)[1]
        return found

    return find


@dataclass(frozen=True)
class Ivf:
    """An inverted file: rows lie in clusters, and a query looks into those nearest to it.

    Jégou, Douze and Schmid (2011), Product quantization for nearest neighbor search, IV,
    without the quantization. The clusters are learned once and serve every block.

    Attributes:
        clusters: how many; by default 2 √n of n rows.
        probe: into how many of them a query looks; by default 32, so that n queries take
            time that grows as n √n.
        seed: of the sample of rows that they are learned from, and of the learning.
    """

    clusters: int | None = None
    probe: int | None = None
    seed: int = 0

    def over(self, rows: Rows) -> Index:
        """Learn the clusters of ``rows``.

        Raises:
            StsError: more clusters than rows, or than clusters to look into.
        """
        clusters, probe = self._sizes(len(rows))
        centroids = _learn_centroids(rows, clusters, self.seed)

        def index(block: Vectors) -> Finder:
            import faiss

            quantizer = faiss.IndexFlatIP(centroids.shape[1])
            quantizer.add(centroids)
            inverted = faiss.IndexIVFFlat(
                quantizer, centroids.shape[1], clusters, faiss.METRIC_INNER_PRODUCT
            )
            inverted.nprobe = probe
            inverted.add(block)

            def find(queries: Vectors, k: int) -> Places:
                # Those of one cluster side by side: its rows are in the cache then.
                order = np.argsort(quantizer.search(queries, 1)[1][:, 0], kind="stable")
                found = np.empty((len(queries), k), np.int64)
                found[order] = inverted.search(queries[order], k)[1]
                return found

            return find

        return index

    def _sizes(self, rows: int) -> tuple[int, int]:
        clusters = self.clusters or max(1, min(int(2 * rows**0.5), rows // _FEWEST))
        probe = self.probe or min(clusters, _PROBE)
        if clusters > rows:
            raise StsError(f"{clusters} clusters of {rows} sentences; give fewer --clusters")
        if probe > clusters:
            raise StsError(f"--probe {probe} of {clusters} clusters; give {clusters} or fewer")
        return clusters, probe


_PROBE = 32
"""How many of the nearest these hold is measured by runs.benchmarks.mining."""

_FEWEST, _ENOUGH = 39, 64
"""Rows a cluster to learn from: below the first faiss warns, more than the second bring little."""


def _learn_centroids(rows: Rows, clusters: int, seed: int) -> Vectors:
    """Spherical k-means on a seeded sample: (clusters, dim), of length 1."""
    import faiss

    size = min(len(rows), _ENOUGH * clusters)
    drawn = np.sort(np.random.default_rng(seed).permutation(len(rows))[:size])
    parts = []
    for start in range(0, len(rows), BLOCK):
        inside = drawn[(drawn >= start) & (drawn < start + BLOCK)] - start
        parts.append(rows[start : start + BLOCK][inside])
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
    search: Search | None = None,
    block: int = BLOCK,
    same: bool = False,
) -> Neighbours:
    """The ``k`` nearest of ``rows`` to each of ``queries``, by cosine.

    Args:
        queries: (n, dim) of length 1.
        rows: (m, dim) of length 1.
        k: how many.
        search: exact unless told otherwise.
        block: rows of each side in memory.
        same: whether queries and rows are the same; a row is then no neighbour of itself.

    Raises:
        StsError: fewer than ``k`` rows, or the clusters do not fit them.
    """
    if not 1 <= k <= len(rows) - same:
        raise StsError(f"-k {k} neighbours among {len(rows) - same} sentences; give a smaller -k")
    _use_all_cores()
    index = (search or Exact()).over(rows)
    places = np.full((len(queries), k), -1)
    cosines = np.full((len(queries), k), -np.inf)
    with progress.bar(total=len(rows) * len(queries), unit_scale=True, unit=" pairs") as bar:
        for start in range(0, len(rows), block):
            searched = rows[start : start + block]
            find = index(searched)
            for begin in range(0, len(queries), block):
                asked = queries[begin : begin + block]
                found = np.sort(find(asked, k + _MORE + same), axis=1)
                own = np.arange(begin, begin + len(asked))[:, None] - start
                found[same & (found == own)] = -1
                part = slice(begin, begin + len(asked))
                _merge(places[part], cosines[part], found, _cosines(asked, searched, found), start)
                bar.update(len(asked) * len(searched))
    missing = places < 0
    return Neighbours(places, np.where(missing, 0.0, np.clip(cosines, -1.0, 1.0)))


def _use_all_cores() -> None:
    import faiss

    faiss.omp_set_num_threads(threads())


def _cosines(queries: Vectors, rows: Vectors, places: Places) -> NDArray[np.float64]:
    """Cosines (n, k) of each query (n, dim) with its own places (n, k) of rows; −∞ for none."""
    cosines = np.empty(places.shape)
    for start in range(0, len(queries), _RANKED):
        part = slice(start, start + _RANKED)
        near = rows[places[part]].astype(np.float64)
        np.einsum("nkd,nd->nk", near, queries[part].astype(np.float64), out=cosines[part])
    cosines[places < 0] = -np.inf
    return cosines


def _merge(
    places: Places,
    cosines: NDArray[np.float64],
    found: Places,
    values: NDArray[np.float64],
    start: int,
) -> None:
    """Let those found in the block at ``start`` take their rank among the best so far, in place."""
    both = np.concatenate([cosines, values], axis=1)
    # Stable, and the places of a later block are higher: of equals, the first row wins.
    order = np.argsort(-both, axis=1, kind="stable")[:, : places.shape[1]]
    joined = np.concatenate([places, np.where(found < 0, -1, found + start)], axis=1)
    places[:] = np.take_along_axis(joined, order, axis=1)
    cosines[:] = np.take_along_axis(both, order, axis=1)
