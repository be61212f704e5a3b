"""Ways to search rows: compare with all of them, or with those in the nearest clusters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from embeddings.encoder import unit
from embeddings.formats.numpy_file import RowsOnDisk
from embeddings.formats.search_checkpoint import SearchCheckpoint
from embeddings.table import Vectors
from sts.errors import StsError

BLOCK = 65536
"""Rows of each side in memory: 79 MB of 300 numbers each."""


Rows = Vectors | RowsOnDisk
"""Vectors (n, dim) of length 1, in memory or in a file; a block of them is in memory."""

Places = NDArray[np.int64]

Lookup = Callable[[Vectors, int], Places]
"""Queries (n, dim) and k to the places (n, at most k) of near rows, in any order; −1 is none."""

Index = Callable[[Vectors], Lookup]
"""A block of rows to what looks up near ones among them."""


def compare_all(block: Vectors) -> Lookup:
    """Compare every query with every row of a block."""
    import faiss

    def find(queries: Vectors, k: int) -> Places:
        k = min(k, len(block))
        found: Places = faiss.knn(queries, block, k, metric=faiss.METRIC_INNER_PRODUCT)[1]
        return found

    return find


@dataclass(frozen=True)
class Ivf:
    """An inverted file: rows lie in clusters, and a query is compared with the nearest clusters.

    Jégou, Douze and Schmid (2011), Product quantization for nearest neighbor search, IV,
    without the quantization. The clusters are learned once and serve every block.

    Attributes:
        clusters: 2 √n for n rows by default.
        probe: clusters that a query is compared with; 32 by default, so that the time for n
            queries grows as n √n.
        seed: of k-means and of the sample of rows that it learns from.
    """

    clusters: int | None = None
    probe: int | None = None
    seed: int = 0

    def over(self, rows: Rows, kept: SearchCheckpoint | None = None) -> Index:
        """Learn the clusters of ``rows``, or read those that were kept.

        Raises:
            StsError: more clusters than rows, or than clusters to look into.
        """
        clusters, probe = self.sizes(len(rows))
        learn = partial(_learn_centroids, rows, clusters, self.seed)
        centroids = kept.centroids(learn) if kept else learn()

        return partial(_group, centroids, probe)

    def sizes(self, rows: int) -> tuple[int, int]:
        """How many clusters so many rows have, and how many of them a query looks into.

        Raises:
            StsError: see :meth:`over`.
        """
        clusters = self.clusters or max(1, min(int(2 * rows**0.5), rows // _FEWEST))
        probe = self.probe or min(clusters, _PROBE)
        if clusters > rows:
            raise StsError(f"{clusters} clusters of {rows} sentences; give fewer --clusters")
        if probe > clusters:
            raise StsError(f"--probe {probe} of {clusters} clusters; give {clusters} or fewer")
        return clusters, probe


def _group(centroids: Vectors, probe: int, block: Vectors) -> Lookup:
    """An inverted file over a block of rows.

    All queries that look into a cluster are compared with its rows by one product of matrices,
    several times as quick as one query after another.
    """
    import faiss

    from embeddings.compiled.best_scores import keep_best

    coarse = faiss.IndexFlatIP(centroids.shape[1])
    coarse.add(centroids)
    cluster = coarse.search(block, 1)[1][:, 0]
    order = np.argsort(cluster, kind="stable")
    rows, begins = block[order], np.searchsorted(cluster[order], np.arange(len(centroids) + 1))

    def find(queries: Vectors, k: int) -> Places:
        wanted = coarse.search(queries, probe)[1].ravel()
        by_cluster = np.argsort(wanted, kind="stable")
        ends = np.searchsorted(wanted[by_cluster], np.arange(len(centroids) + 1))
        best = np.full((len(queries), k), -np.inf, np.float32)
        found = np.full((len(queries), k), -1)
        for number in np.unique(wanted).tolist():
            here = slice(begins[number], begins[number + 1])
            asking = by_cluster[ends[number] : ends[number + 1]] // probe
            step = max(1, _SCORES // max(1, here.stop - here.start))
            for first in range(0, len(asking), step):
                some = asking[first : first + step]
                keep_best(queries[some] @ rows[here].T, some, order[here], best, found)
        return found

    return find


_SCORES = 2**22
"""Scores of a product of matrices, at most: 17 MB."""

_PROBE = 32
"""runs.benchmarks.bitext_mining measures how many of the nearest rows these hold."""

_FEWEST, _ENOUGH = 39, 64
"""Rows a cluster to learn from: below the first number faiss warns, above the second more bring
little."""


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
