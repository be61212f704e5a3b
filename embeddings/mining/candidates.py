"""Candidate generation: which neighbours become pairs.

Artetxe and Schwenk (2019), 3.3. Ties go to the lowest row.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embeddings.mining.margin import Floats, Margin, margin_score
from embeddings.search.indexes import BLOCK, Places, Search
from embeddings.search.neighbours import Neighbours, nearest
from embeddings.search.row_blocks import Rows

Candidates = Literal["max", "intersection", "forward", "backward"]


class ScoredPairs(NamedTuple):
    """Pairs of rows, the best first.

    Attributes:
        source: (n,) rows of one side.
        target: (n,) rows of the other side.
        scores: (n,) margin scores, falling; of equal scores the lowest rows come first.
    """

    source: Places
    target: Places
    scores: Floats

    def take(self, chosen: NDArray[np.bool_] | Places | slice) -> ScoredPairs:
        """The pairs at the chosen places."""
        return ScoredPairs(self.source[chosen], self.target[chosen], self.scores[chosen])

    def swapped(self) -> ScoredPairs:
        """The same pairs with source and target exchanged."""
        return ScoredPairs(self.target, self.source, self.scores)

    def extended(self, other: ScoredPairs) -> ScoredPairs:
        """These pairs, then the others."""
        return ScoredPairs(
            np.concatenate([self.source, other.source]),
            np.concatenate([self.target, other.target]),
            np.concatenate([self.scores, other.scores]),
        )

    def best_first(self) -> ScoredPairs:
        """Sorted by falling score; equal scores by their rows."""
        return self.take(np.lexsort((self.target, self.source, -self.scores)))


def mine(
    source: Rows,
    target: Rows,
    k: int = 4,
    *,
    margin: Margin = "ratio",
    candidates: Candidates = "max",
    search: Search | None = None,
    block: int = BLOCK,
) -> ScoredPairs:
    """Pairs of two sides that may be translations, each with its margin score.

    Args:
        source: (n, dim) of length 1.
        target: (m, dim) of length 1.
        k: neighbours of each sentence, on the other side.
        margin: how a cosine is compared with those of the neighbours.
        candidates: ``forward`` takes the best target of each source, ``backward`` the best
            source of each target, ``intersection`` what both agree on, ``max`` the best
            scores of both, each sentence once.
        search: exact by default.
        block: rows of each side in memory.

    Raises:
        StsError: a side has fewer than ``k`` sentences.
    """
    forward = nearest(source, target, k, search=search, block=block)
    backward = nearest(target, source, k, search=search, block=block)
    return select_pairs(forward, backward, margin, candidates)


def select_pairs(
    forward: Neighbours, backward: Neighbours, margin: Margin, candidates: Candidates
) -> ScoredPairs:
    """Pairs from the neighbours of both sides, see :func:`mine`."""
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
    """For each query that found any, the neighbour with the best score."""
    scores = margin_score(neighbours.cosines, own[:, None], other[neighbours.places], margin)
    # Of equal scores the nearest neighbour wins, of equally near ones the lowest row.
    best = np.where(neighbours.found, scores, -np.inf).argmax(axis=1)
    every = np.arange(len(best))
    chosen = ScoredPairs(every, neighbours.places[every, best], scores[every, best])
    return chosen.take(chosen.target >= 0)


def _each_once(pairs: ScoredPairs) -> ScoredPairs:
    """The best pairs such that no sentence is in two of them."""
    taken: tuple[set[int], set[int]] = set(), set()
    free = np.zeros(len(pairs.scores), bool)
    for i, (x, y) in enumerate(zip(pairs.source.tolist(), pairs.target.tolist(), strict=True)):
        if x not in taken[0] and y not in taken[1]:
            free[i] = True
            taken[0].add(x)
            taken[1].add(y)
    return pairs.take(free)
