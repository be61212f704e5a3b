"""Which of the neighbours are pairs: candidate generation.

Artetxe and Schwenk (2019), 3.3. Ties go to the lowest row.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embeddings.mining.margin import Floats, Margin, score
from embeddings.mining.stored_vectors import Rows
from embeddings.mining.vector_search import BLOCK, Neighbours, Places, Search, nearest

Candidates = Literal["max", "intersection", "forward", "backward"]


class Mined(NamedTuple):
    """Pairs of rows, the best first.

    Attributes:
        source: (n,) rows of the one side.
        target: (n,) rows of the other.
        scores: (n,) falling; of equal scores the lowest rows come first.
    """

    source: Places
    target: Places
    scores: Floats

    def of(self, chosen: NDArray[np.bool_] | Places | slice) -> Mined:
        """Those chosen."""
        return Mined(self.source[chosen], self.target[chosen], self.scores[chosen])

    def turned(self) -> Mined:
        """The sides swapped."""
        return Mined(self.target, self.source, self.scores)

    def and_also(self, other: Mined) -> Mined:
        """These, then the others."""
        return Mined(
            np.concatenate([self.source, other.source]),
            np.concatenate([self.target, other.target]),
            np.concatenate([self.scores, other.scores]),
        )

    def ranked(self) -> Mined:
        """In order."""
        return self.of(np.lexsort((self.target, self.source, -self.scores)))


def mine(
    source: Rows,
    target: Rows,
    k: int = 4,
    *,
    margin: Margin = "ratio",
    candidates: Candidates = "max",
    search: Search | None = None,
    block: int = BLOCK,
) -> Mined:
    """The pairs of two sides that may be translations, every one with its margin score.

    Args:
        source: (n, dim) of length 1.
        target: (m, dim) of length 1.
        k: neighbours of each sentence, on the other side.
        margin: how a cosine is compared with those of the neighbours.
        candidates: ``forward`` is the best target of each source, ``backward`` the best
            source of each target; ``intersection`` what both agree on; ``max`` the best
            scores of both, as long as neither sentence is taken.
        search: exact unless told otherwise.
        block: rows of each side in memory.

    Raises:
        StsError: a side has fewer than ``k`` sentences.
    """
    forward = nearest(source, target, k, search=search, block=block)
    backward = nearest(target, source, k, search=search, block=block)
    return choose(forward, backward, margin, candidates)


def choose(
    forward: Neighbours, backward: Neighbours, margin: Margin, candidates: Candidates
) -> Mined:
    """Pairs out of the neighbours of both sides, see :func:`mine`."""
    source_mean, target_mean = forward.mean(), backward.mean()
    there = _best(forward, source_mean, target_mean, margin)
    back = _best(backward, target_mean, source_mean, margin).turned()
    match candidates:
        case "forward":
            return there.ranked()
        case "backward":
            return back.ranked()
        case "intersection":
            partner = dict(zip(back.target.tolist(), back.source.tolist(), strict=True))
            pairs = zip(there.source.tolist(), there.target.tolist(), strict=True)
            return there.of(np.array([partner.get(y) == x for x, y in pairs], bool)).ranked()
        case "max":
            return _each_once(there.and_also(back).ranked())


def _best(neighbours: Neighbours, own: Floats, other: Floats, margin: Margin) -> Mined:
    """For each query that found any, the neighbour with the best score."""
    scores = score(neighbours.cosines, own[:, None], other[neighbours.places], margin)
    # Of equal scores the nearest neighbour, of equally near ones the lowest row.
    best = np.where(neighbours.found, scores, -np.inf).argmax(axis=1)
    every = np.arange(len(best))
    chosen = Mined(every, neighbours.places[every, best], scores[every, best])
    return chosen.of(chosen.target >= 0)


def _each_once(pairs: Mined) -> Mined:
    """From the best down, those of which neither sentence is taken."""
    taken: tuple[set[int], set[int]] = set(), set()
    free = np.zeros(len(pairs.scores), bool)
    for i, (x, y) in enumerate(zip(pairs.source.tolist(), pairs.target.tolist(), strict=True)):
        if x not in taken[0] and y not in taken[1]:
            free[i] = True
            taken[0].add(x)
            taken[1].add(y)
    return pairs.of(free)
