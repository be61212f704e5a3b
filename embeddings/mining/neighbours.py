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
from embeddings.formats.search_checkpoint import FoundSoFar, SearchCheckpoint
from embeddings.mining.indexes import BLOCK, Index, Ivf, Places, Rows, compare_all
from embeddings.table import Vectors
from sts.errors import StsError
from sts.progress import Bar

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
    kept: SearchCheckpoint | None = None,
) -> Neighbours:
    """The ``k`` nearest of ``rows`` to each of ``queries``, by cosine.

    Args:
        queries, rows: (n, dim) and (m, dim) of length 1.
        k: number of neighbours.
        search: exact by default; an index that was learned before is of ``rows`` as one block.
        block: rows in memory, and of queries as many, but no more than ``BLOCK``.
        same: whether queries and rows are the same; a row is then no neighbour of itself.
        show_progress: whether to show how far the search is.
        kept: where to keep what is found, block by block, and to go on from.

    Raises:
        StsError: fewer than ``k`` rows, the clusters do not fit them, or another search was kept.
    """
    if not 1 <= k <= len(rows) - same:
        raise StsError(f"-k {k} neighbours among {len(rows) - same} sentences; give a smaller -k")
    import faiss

    faiss.omp_set_num_threads(threads())
    if kept:
        kept.open()
    index = search.over(rows, kept) if isinstance(search, Ivf) else search or compare_all
    places = np.full((len(queries), k), -1)
    cosines = np.full((len(queries), k), -np.inf)
    parts = _parts(len(queries), min(block, BLOCK))
    seen = {part.start: _restore(kept, part, places, cosines) for part in parts}
    total = len(rows) * len(queries)
    with Bar("search", "comparisons", total, show=show_progress) as bar:
        for block_of_rows in _parts(len(rows), block):
            start, end = block_of_rows.start, block_of_rows.stop
            todo = [part for part in parts if seen[part.start] < end]
            left = sum(part.stop - part.start for part in todo)
            bar.update((len(queries) - left) * (end - start))
            if not todo:
                continue
            searched = rows[block_of_rows]
            find = index(searched)
            for part in todo:
                some = queries[part]
                found = np.sort(find(some, k + _MORE + same), axis=1)
                own = np.arange(part.start, part.stop)[:, None] - start
                found[same & (found == own)] = -1
                _merge(places[part], cosines[part], found, _cosines(some, searched, found), start)
                if kept:
                    kept.save(part.start, FoundSoFar(end, places[part], cosines[part]))
                bar.update(len(some) * len(searched))
    missing = places < 0
    return Neighbours(places, np.where(missing, 0.0, np.clip(cosines, -1.0, 1.0)))


def _parts(count: int, size: int) -> list[slice]:
    return [slice(begin, min(begin + size, count)) for begin in range(0, count, size)]


def _restore(kept: SearchCheckpoint | None, part: slice, places: Places, cosines: Floats) -> int:
    """Fill in what a block of queries has found already; the rows that it was compared with."""
    if kept is None or (before := kept.load(part.start)) is None:
        return 0
    places[part], cosines[part] = before.places, before.cosines
    return before.rows


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
