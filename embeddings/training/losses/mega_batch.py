"""Hard negatives from a mega-batch: the closest sentences that do not mean the same.

Wieting and Gimpel (2018), 4.2; Fedorova and Musatow, Cross-lingual paraphrase identification,
algorithm 2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

AT_ONCE = 512
"""Anchors whose cosines with all candidates are in memory at once."""

Vectors = NDArray[np.float32]
Places = NDArray[np.int64]


@dataclass(frozen=True)
class HardNegatives:
    """Choice of the hard negatives of an anchor among the candidates of a mega-batch.

    Attributes:
        closest: at most so many of each anchor, the closest first.
        closer_than: only those with a higher cosine than this.
    """

    closest: int = 1
    closer_than: float = -np.inf

    def search(
        self, anchors: Vectors, candidates: Vectors, meaning: Places, meanings: Places
    ) -> Places:
        """The places (n, closest) of the hard negatives of each anchor, −1 where there is none.

        Args:
            anchors: (n, dim) unit vectors.
            candidates: (m, dim) unit vectors.
            meaning, meanings: (n,) and (m,) equal for an anchor and a candidate that are known to
                mean the same, or are the same sentence: these are no negatives.
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

    def of_batch(self, found: Places, most: int) -> Places:
        """The distinct hard negatives of the anchors of one batch, first those of first rank.

        Args:
            found: rows of :meth:`search`.
            most: how many the batch has room for; the others are left out.
        """
        ranked = found.T.reshape(-1)
        distinct = list(dict.fromkeys(ranked[ranked >= 0].tolist()))
        return np.array(distinct[:most], np.int64)
