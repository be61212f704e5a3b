"""Precision, recall and F1 of mined sentence pairs against gold pairs.

Zweigenbaum, Sharoff and Rapp (2018), Overview of the third BUCC shared task: a mined pair is
correct if it is a gold pair.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semaniacs.sts.data.pairs import Scores


@dataclass(frozen=True)
class MiningScore:
    """Numbers of mined pairs, of gold pairs, and of gold pairs among the mined ones."""

    mined: int
    gold: int
    correct: int

    @property
    def precision(self) -> float:
        """Fraction of the mined pairs that are gold, in [0, 1]; 0 if nothing was mined."""
        return self.correct / self.mined if self.mined else 0.0

    @property
    def recall(self) -> float:
        """Fraction of the gold pairs that were mined, in [0, 1]; 0 if there are none."""
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall, in [0, 1]."""
        both = self.mined + self.gold
        return 2 * self.correct / both if both else 0.0


def score_mined(mined: Collection[Hashable], gold: Collection[Hashable]) -> MiningScore:
    """Compare mined pairs with gold pairs, both without duplicates."""
    return MiningScore(len(mined), len(gold), len(set(mined) & set(gold)))


def best_threshold(scores: Scores, correct: NDArray[np.bool_], gold: int) -> float:
    """Return the highest threshold with the best F1, if pairs with at least that score pass.

    It is halfway between the lowest accepted score and the next, so that it also suits other
    sets of pairs.

    Args:
        scores: (n,) of mined pairs, in any order.
        correct: (n,) whether the pair is gold; a ValueError if none is.
        gold: number of gold pairs, mined or not.
    """
    if not correct.any():
        raise ValueError("no mined pair is gold; no threshold is better than another")
    order = np.argsort(-scores, kind="stable")
    falling, hits = scores[order], np.cumsum(correct[order])
    f1 = 2 * hits / (np.arange(1, len(scores) + 1) + gold)
    # Pairs of one score pass together, so a cut is only possible below the last of them.
    last_of_equals = np.append(falling[:-1] > falling[1:], True)
    cut = int(np.argmax(np.where(last_of_equals, f1, -1)))
    lower = falling[min(cut + 1, len(falling) - 1)]
    middle = (falling[cut] + lower) / 2
    return float(middle if middle > lower else falling[cut])
