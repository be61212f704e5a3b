"""The nearest rows by cosine.

Rows and queries are read block by block: memory holds two blocks and k neighbours a query.
faiss (Douze et al., 2024) finds a few rows more than are wanted, in float32; their cosines are
then computed in float64, each by itself, and ranked. So the size of a block does not change
what a query finds, and of equal cosines the first row comes first. Only where more rows than
these few tie with the last neighbour, as many copies of one sentence do, faiss chooses.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from embeddings.encoder import threads
from embeddings.mining.indexes import BLOCK, Index, Ivf, Places, Rows, compare_all
from embeddings.table import Vectors
from sts import progress
from sts.errors import StsError

_MORE = 8
"""Rows found beyond those wanted, so that the float32 order of near equals does not matter."""

_RANKED = 1024
"""Queries whose neighbours are ranked at once."""


Floats = NDArray[np.float64]


class Neighbours(NamedTuple):
    """The nearest rows of each query, the nearest first.

    Attributes:
        places: (n, k) in the rows searched; −1 where clusters held fewer than k.
        cosines: (n, k) float64 in [−1, 1]; 0 where there is none.
    """

    places: Places
    cosines: Floats

    @property
    def found(self) -> NDArray[np.bool_]:
        """(n, k): where there is one."""
        return self.places >= 0

    def mean(self) -> Floats:
        """The mean cosine (n,) with the neighbours found; 0 if none was."""
        mean: Floats = self.cosines.sum(axis=1) / np.maximum(self.found.sum(axis=1), 1)
        return mean


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
    """The ``k`` nearest of ``rows`` to each of ``queries``, by cosine.

    Args:
        queries, rows: (n, dim) and (m, dim) of length 1.
        k: number of neighbours.
        search: exact by default; an index that was learned before is of ``rows`` as one block.
        block: rows of each side in memory.
        same: whether queries and rows are the same; a row is then no neighbour of itself.
        show_progress: draw a progress bar on a terminal.

    Raises:
        StsError: fewer than ``k`` rows, or the clusters do not fit them.
    """
    if not 1 <= k <= len(rows) - same:
        raise StsError(f"-k {k} neighbours among {len(rows) - same} sentences; give a smaller -k")
    import faiss

    faiss.omp_set_num_threads(threads())
    index = search.over(rows) if isinstance(search, Ivf) else search or compare_all
    places = np.full((len(queries), k), -1)
    cosines = np.full((len(queries), k), -np.inf)
    total = len(rows) * len(queries)
    quiet = None if show_progress else True
    with progress.bar(total=total, unit_scale=True, unit=" pairs", disable=quiet) as bar:
        for start in range(0, len(rows), block):
            searched = rows[start : start + block]
            find = index(searched)
            for begin in range(0, len(queries), block):
                some = queries[begin : begin + block]
                found = np.sort(find(some, k + _MORE + same), axis=1)
                own = np.arange(begin, begin + len(some))[:, None] - start
                found[same & (found == own)] = -1
                part = slice(begin, begin + len(some))
                _merge(places[part], cosines[part], found, _cosines(some, searched, found), start)
                bar.update(len(some) * len(searched))
    missing = places < 0
    return Neighbours(places, np.where(missing, 0.0, np.clip(cosines, -1.0, 1.0)))


def _cosines(queries: Vectors, rows: Vectors, places: Places) -> Floats:
    """Cosines (n, k) of each query (n, dim) with its own places (n, k) of rows; −∞ for none."""
    cosines = np.empty(places.shape)
    for start in range(0, len(queries), _RANKED):
        part = slice(start, start + _RANKED)
        near = rows[places[part]].astype(np.float64)
        np.einsum("nkd,nd->nk", near, queries[part].astype(np.float64), out=cosines[part])
    cosines[places < 0] = -np.inf
    return cosines


def _merge(places: Places, cosines: Floats, found: Places, values: Floats, start: int) -> None:
    """Merge what was found in the block at ``start`` into the best so far, in place."""
    both = np.concatenate([cosines, values], axis=1)
    # Stable, and the places of a later block are higher: of equals, the first row wins.
    order = np.argsort(-both, axis=1, kind="stable")[:, : places.shape[1]]
    joined = np.concatenate([places, np.where(found < 0, -1, found + start)], axis=1)
    places[:] = np.take_along_axis(joined, order, axis=1)
    cosines[:] = np.take_along_axis(both, order, axis=1)
