"""Candidate generation: which neighbours become pairs, by margin scores.

Artetxe and Schwenk (2019), Margin-based parallel corpus mining with multilingual sentence
embeddings, 3.2 and 3.3. With NN_k(x) the k nearest of x on the other side,

    score(x, y) = margin( cos(x, y),  Σ_{z ∈ NN_k(x)} cos(x, z) / 2k
                                    + Σ_{z ∈ NN_k(y)} cos(y, z) / 2k )        (eq. 2)

and margin(a, b) is a (absolute), a − b (distance) or a / b (ratio). Ties go to the lowest row.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.mining.neighbours import (
    BLOCK,
    Floats,
    Ivf,
    Neighbours,
    Places,
    Rows,
    nearest,
)

Margin = Literal["ratio", "distance", "absolute"]
Candidates = Literal["max", "intersection", "forward", "backward"]


def margin_score(
    cosines: Floats, source_mean: Floats, target_mean: Floats, margin: Margin
) -> Floats:
    """Return the margin score of pairs, from cosines of any shape.

    The means are of the cosines of either sentence with its k nearest. ``absolute`` is the cosine;
    ``distance`` is in [−2, 2]; ``ratio`` is 1 where the pair is as near as the neighbours are, and 0
    where their mean is not positive.
    """
    around = (source_mean + target_mean) / 2
    if margin == "absolute":
        return cosines
    if margin == "distance":
        return cosines - around
    cosines, around = np.broadcast_arrays(cosines, around)
    return np.divide(cosines, around, out=np.zeros_like(cosines), where=around > 0)


class ScoredPairs(NamedTuple):
    """Pairs of rows with their margin scores: three arrays (n,)."""

    source: Places
    target: Places
    scores: Floats

    def take(self, chosen: NDArray[np.bool_] | Places | slice) -> ScoredPairs:
        """Return the pairs at the chosen places."""
        return ScoredPairs(self.source[chosen], self.target[chosen], self.scores[chosen])

    def swapped(self) -> ScoredPairs:
        """Return the pairs with source and target exchanged."""
        return ScoredPairs(self.target, self.source, self.scores)

    def extended(self, other: ScoredPairs) -> ScoredPairs:
        """Return these pairs, then the others."""
        return ScoredPairs(
            np.concatenate([self.source, other.source]),
            np.concatenate([self.target, other.target]),
            np.concatenate([self.scores, other.scores]),
        )

    def best_first(self) -> ScoredPairs:
        """Return the pairs by falling score; equal scores by their rows."""
        return self.take(np.lexsort((self.target, self.source, -self.scores)))


def mine(
    source: Rows,
    target: Rows,
    k: int = 4,
    *,
    margin: Margin = "ratio",
    candidates: Candidates = "max",
    search: Ivf | None = None,
    block: int = BLOCK,
) -> ScoredPairs:
    """Find pairs of rows (n, dim) and (m, dim) of length 1 that may be translations, the best first.

    Args:
        k: neighbours of each sentence, on the other side; an StsError if there are fewer.
        margin: how a cosine is compared with those of the neighbours.
        candidates: ``forward`` takes the best target of each source, ``backward`` the best
            source of each target, ``intersection`` the pairs in both, ``max`` the best scores of
            both, each sentence once.
        search, block: see :func:`~semaniacs.embeddings.mining.neighbours.nearest`.
    """
    forward = nearest(source, target, k, search=search, block=block)
    backward = nearest(target, source, k, search=search, block=block)
    return select_pairs(forward, backward, margin, candidates)


def select_pairs(
    forward: Neighbours, backward: Neighbours, margin: Margin, candidates: Candidates
) -> ScoredPairs:
    """Return pairs from the neighbours of both sides, see :func:`mine`."""
    source_mean, target_mean = forward.mean(), backward.mean()
    there = _best(forward, source_mean, target_mean, margin)
    back = _best(backward, target_mean, source_mean, margin).swapped()
    match candidates:
        case "forward":
            return there.best_first()
        case "backward":
            return back.best_first()
        case "intersection":
            partner = dict(zip(back.target.tolist(), back.source.tolist(), strict=True))
            pairs = zip(there.source.tolist(), there.target.tolist(), strict=True)
            return there.take(np.array([partner.get(y) == x for x, y in pairs], bool)).best_first()
        case "max":
            return _each_once(there.extended(back).best_first())


def _best(neighbours: Neighbours, own: Floats, other: Floats, margin: Margin) -> ScoredPairs:
    scores = margin_score(neighbours.cosines, own[:, None], other[neighbours.places], margin)
    # Of equal scores the nearest neighbour wins, of equally near ones the lowest row.
    best = np.where(neighbours.found, scores, -np.inf).argmax(axis=1)
    every = np.arange(len(best))
    chosen = ScoredPairs(every, neighbours.places[every, best], scores[every, best])
    return chosen.take(chosen.target >= 0)


def _each_once(pairs: ScoredPairs) -> ScoredPairs:
    taken: tuple[set[int], set[int]] = set(), set()
    free = np.zeros(len(pairs.scores), bool)
    for i, (x, y) in enumerate(zip(pairs.source.tolist(), pairs.target.tolist(), strict=True)):
        if x not in taken[0] and y not in taken[1]:
            free[i] = True
            taken[0].add(x)
            taken[1].add(y)
    return pairs.take(free)


def mine_paraphrases(
    rows: Rows,
    against: Rows | None = None,
    k: int = 4,
    *,
    margin: Margin = "absolute",
    search: Ivf | None = None,
    block: int = BLOCK,
) -> ScoredPairs:
    """Find all pairs of which one is among the ``k`` nearest of the other, the best first.

    Rows are (n, dim) of length 1. In one list the lower row comes first, and no sentence is paired
    with itself; with ``against`` (m, dim) the pairs are between two lists. The other options and the
    error are those of :func:`mine`.
    """
    if against is None:
        near = nearest(rows, rows, k, search=search, block=block, same=True)
        pairs = _every_pair(near, near.mean(), near.mean(), margin)
        low, high = np.sort([pairs.source, pairs.target], axis=0)
        pairs = ScoredPairs(low, high, pairs.scores)
    else:
        forward = nearest(rows, against, k, search=search, block=block)
        backward = nearest(against, rows, k, search=search, block=block)
        own, other = forward.mean(), backward.mean()
        pairs = _every_pair(forward, own, other, margin)
        pairs = pairs.extended(_every_pair(backward, other, own, margin).swapped())
    _, first = np.unique(np.stack([pairs.source, pairs.target]), axis=1, return_index=True)
    return pairs.take(first).best_first()


def _every_pair(neighbours: Neighbours, own: Floats, other: Floats, margin: Margin) -> ScoredPairs:
    scores = margin_score(neighbours.cosines, own[:, None], other[neighbours.places], margin)
    queries = np.broadcast_to(np.arange(len(own))[:, None], neighbours.places.shape)
    found = neighbours.found
    return ScoredPairs(queries[found], neighbours.places[found], scores[found])
