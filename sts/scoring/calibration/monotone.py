"""A map from scores to gold that never turns round: isotonic regression, made piecewise linear."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sts.data.pairs import HIGHEST, Scores
from sts.errors import StsError
from sts.scoring.submission import HIGHEST_OF_OTHERS

FEWEST = 50
"""Pairs that a map takes."""

OF_A_BIN = 10
"""Fewest pairs whose mean is a point of the map; a map has at most twenty points."""


@dataclass(frozen=True)
class MonotoneMap:
    """Points of a line from scores to gold; beyond the first and the last it is level.

    Attributes:
        scores, gold: (k,) each, neither ever falling.
    """

    scores: Scores
    gold: Scores

    @classmethod
    def fit(cls, scores: Scores, gold: Scores) -> MonotoneMap:
        """The means of bins of as many pairs, made monotone (Zadrozny and Elkan, 2002, section 4).

        Raises:
            StsError: too few pairs.
        """
        if len(scores) < FEWEST:
            raise StsError(f"{len(scores)} pairs are too few for a map of scores: label {FEWEST}")
        order = np.argsort(scores, kind="stable")
        bins = np.array_split(order, min(20, len(order) // OF_A_BIN))
        centres, means = (np.array([column[b].mean() for b in bins]) for column in (scores, gold))
        return cls(centres, isotonic(means, np.array([len(b) for b in bins], float)))

    def __call__(self, scores: Scores) -> Scores:
        """Mapped scores (n,); 5, which the same text has, stays 5, and no other becomes it."""
        mapped = np.minimum(np.interp(scores, self.scores, self.gold), HIGHEST_OF_OTHERS)
        return np.where(np.isnan(scores), np.nan, np.where(scores >= HIGHEST, HIGHEST, mapped))


def isotonic(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n,) the nearest values, by weighted squares, that never fall.

    Pools adjacent violators (Ayer et al., 1955).
    """
    blocks: list[tuple[float, float, int]] = []  # mean, weight, length
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        block = (value, weight, 1)
        while blocks and blocks[-1][0] >= block[0]:
            mean, before, length = blocks.pop()
            total = before + block[1]
            block = ((mean * before + block[0] * block[1]) / total, total, length + block[2])
        blocks.append(block)
    return np.repeat([mean for mean, _, _ in blocks], [length for _, _, length in blocks])


def mapped_left_out(scores: Scores, gold: Scores, groups: NDArray[np.int32]) -> Scores:
    """(n,) scores by maps that were fitted without the pair, in five folds; NaN if that leaves too few.

    Args:
        scores, gold: (n,).
        groups: (n,) pairs of one number are in one fold.
    """
    fold = groups % 5
    mapped = np.full(len(scores), np.nan)
    for number in np.unique(fold):
        out = fold == number
        if (~out).sum() >= FEWEST:
            mapped[out] = MonotoneMap.fit(scores[~out], gold[~out])(scores[out])
    return mapped
