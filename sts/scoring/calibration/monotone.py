"""Monotone map from scores to gold: isotonic regression, made piecewise linear."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semaniacs.sts.data.pairs import HIGHEST, Scores
from semaniacs.sts.errors import StsError
from semaniacs.sts.scoring.submission import HIGHEST_OF_OTHERS

FEWEST = 50
"""Fewest pairs to fit a map to."""

OF_A_BIN = 10
"""Fewest pairs per bin; the mean of a bin is a point of the map."""

MOST_BINS = 20


@dataclass(frozen=True)
class MonotoneMap:
    """Points of a line from scores to gold, constant beyond the first and the last.

    Attributes:
        scores, gold: (k,) each, non-decreasing.
    """

    scores: Scores
    gold: Scores

    @classmethod
    def fit(cls, scores: Scores, gold: Scores) -> MonotoneMap:
        """Fit to the means of bins of equal size (Zadrozny and Elkan, 2002, section 4).

        Raises:
            StsError: too few pairs.
        """
        from sklearn.isotonic import isotonic_regression

        if len(scores) < FEWEST:
            raise StsError(f"{len(scores)} pairs are too few for a map of scores: label {FEWEST}")
        order = np.argsort(scores, kind="stable")
        bins = np.array_split(order, min(MOST_BINS, len(order) // OF_A_BIN))
        centres, means = (np.array([column[b].mean() for b in bins]) for column in (scores, gold))
        sizes = np.array([len(b) for b in bins], float)
        return cls(centres, isotonic_regression(means, sample_weight=sizes))

    def __call__(self, scores: Scores) -> Scores:
        """Return (n,) mapped scores; 5, the score of the same text, stays 5, and no other does."""
        mapped = np.minimum(np.interp(scores, self.scores, self.gold), HIGHEST_OF_OTHERS)
        return np.where(np.isnan(scores), np.nan, np.where(scores >= HIGHEST, HIGHEST, mapped))


def mapped_left_out(scores: Scores, gold: Scores, groups: NDArray[np.int32]) -> Scores:
    """Return (n,) scores by maps fitted without the pair's fold of five; NaN if too few are left.

    Args:
        scores, gold: (n,).
        groups: (n,) pairs with the same number are in one fold.
    """
    fold = groups % 5
    mapped = np.full(len(scores), np.nan)
    for number in np.unique(fold):
        out = fold == number
        if (~out).sum() >= FEWEST:
            mapped[out] = MonotoneMap.fit(scores[~out], gold[~out])(scores[out])
    return mapped
