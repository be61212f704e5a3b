"""Negative examples: drawn at random, or the most similar candidates (paper, 3.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]

AT_ONCE = 512  # anchors whose cosines with all candidates are in memory at once


def random_segment(
    rng: np.random.Generator, own: Indices, size: Indices, first: Indices
) -> Indices:
    """Draw for each of n pairs the number (n,) of a segment that is not one of its own two (n, 2).

    ``size`` and ``first`` (n,) are the number of segments and first segment of each pair's source,
    among which it is drawn uniformly; there is another one.
    """
    low, high = own.min(axis=1) - first, own.max(axis=1) - first
    two = (low != high).astype(np.int64)
    drawn: Indices = rng.integers(0, size - 1 - two)
    drawn += drawn >= low
    drawn += two * (drawn >= high)
    return first + drawn


@dataclass(frozen=True)
class HardNegatives:
    """Choice of the ``closest`` hard negatives of an anchor, with a cosine above ``closer_than``.

    Among the candidates of a mega-batch: Wieting and Gimpel (2018), 4.2; Fedorova and Musatow,
    Cross-lingual paraphrase identification, algorithm 2.
    """

    closest: int = 1
    closer_than: float = -np.inf

    def search(
        self,
        anchors: NDArray[np.float32],
        candidates: NDArray[np.float32],
        meaning: Indices,
        meanings: Indices,
    ) -> Indices:
        """Return the places (n, closest) of the hard negatives of each anchor, −1 for none.

        Anchors (n, dim) and candidates (m, dim) are unit vectors. ``meaning`` (n,) and ``meanings`` (m,)
        are equal for those that mean the same, or are the same sentence: these are no negatives.
        """
        found = np.full((len(anchors), self.closest), -1)
        for begin in range(0, len(anchors), AT_ONCE):
            part = slice(begin, begin + AT_ONCE)
            cosines = anchors[part] @ candidates.T
            cosines[meaning[part, None] == meanings] = -np.inf
            cosines[cosines <= self.closer_than] = -np.inf
            order = np.argsort(-cosines, axis=1, kind="stable")[:, : self.closest]
            there = np.isfinite(np.take_along_axis(cosines, order, axis=1))
            found[part, : order.shape[1]] = np.where(there, order, -1)
        return found


def distinct_by_rank(found: Indices) -> Indices:
    """Return the distinct results of :meth:`HardNegatives.search`, those of first rank first."""
    ranked = found.T.reshape(-1)
    return np.array(list(dict.fromkeys(ranked[ranked >= 0].tolist())), np.int64)
