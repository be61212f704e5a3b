"""From pairs that mean the same to groups, and which one to keep of each.

``star`` is what a person means by duplicates: every member is close to the one that is kept
(leader clustering, Hartigan, 1975; with ``central`` the star cover of Aslam, Pelekhov and Rus,
2004, The star clustering algorithm, each sentence in one star). ``components`` joins whatever is
connected by pairs (single linkage): a chain of small steps may lead far from where it began.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from embeddings.mining.duplicates.close_pairs import ClosePairs

Keep = Literal["first", "longest", "shortest", "central"]
Grouping = Literal["star", "components"]

Places = NDArray[np.int64]


def order_of(
    keep: Keep, pairs: ClosePairs, lengths: NDArray[np.int64], counts: NDArray[np.int64]
) -> Places:
    """(n,) the n distinct texts in the order in which they are kept; ties go to the first.

    Args:
        keep: ``first`` in the file; ``longest`` or ``shortest`` in characters; ``central`` is
            close to the most lines, copies counted.
        pairs: the close ones.
        lengths: (n,) characters of each text.
        counts: (n,) lines that each text stands in.
    """
    match keep:
        case "first":
            return np.arange(len(lengths))
        case "longest":
            return np.argsort(-lengths, kind="stable")
        case "shortest":
            return np.argsort(lengths, kind="stable")
        case "central":
            near = counts.copy()
            np.add.at(near, pairs.low, counts[pairs.high])
            np.add.at(near, pairs.high, counts[pairs.low])
            return np.argsort(-near, kind="stable")


def group(pairs: ClosePairs, order: Places, grouping: Grouping = "star") -> Places:
    """(n,) for each text the one that is kept in its place; itself if it is kept.

    Args:
        pairs: the close ones among n texts.
        order: (n,) which to keep first, see :func:`order_of`.
        grouping: ``star``: a text is kept unless it is close to one that is kept and comes before
            it in the order; it then stands with the most similar of these. ``components``: of all
            texts that pairs connect the first in the order is kept.
    """
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    if grouping == "components":
        return _kept_of_component(_components(pairs, len(order)), order, rank)
    return _kept_of_star(pairs, order, rank)


def _kept_of_star(pairs: ClosePairs, order: Places, rank: Places) -> Places:
    ahead = rank[pairs.low] < rank[pairs.high]
    before = np.where(ahead, pairs.low, pairs.high)
    after = np.where(ahead, pairs.high, pairs.low)
    by_rank = np.argsort(rank[before], kind="stable")
    ends = np.searchsorted(rank[before[by_rank]], np.arange(len(order) + 1))
    kept = np.ones(len(order), bool)
    for place in np.flatnonzero(np.diff(ends)).tolist():
        if kept[order[place]]:
            kept[after[by_rank[ends[place] : ends[place + 1]]]] = False
    taken = kept[before] & ~kept[after]
    before, after, cosines = before[taken], after[taken], pairs.cosines[taken]
    nearest_first = np.lexsort((rank[before], -cosines, after))
    members, first = np.unique(after[nearest_first], return_index=True)
    kept_of = np.arange(len(order))
    kept_of[members] = before[nearest_first][first]
    return kept_of


def _kept_of_component(labels: Places, order: Places, rank: Places) -> Places:
    lowest = np.full(len(labels), len(labels))
    np.minimum.at(lowest, labels, rank)
    kept: Places = order[lowest[labels]]
    return kept


def _components(pairs: ClosePairs, n: int) -> Places:
    """(n,) the lowest text of the connected component of each."""
    labels = np.arange(n)
    while True:
        one, other = labels[pairs.low], labels[pairs.high]
        if (one == other).all():
            return labels
        np.minimum.at(labels, np.maximum(one, other), np.minimum(one, other))
        while (labels != labels[labels]).any():
            labels = labels[labels]
