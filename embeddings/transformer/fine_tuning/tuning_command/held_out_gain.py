"""Whether a trained model is better on held-out pairs than the one that it started from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from embeddings.transformer.fine_tuning.tuning_command.graded_pairs import has_labels
from sts.data.pairs import Pairs, Scores
from sts.scoring.bootstrap import Difference, resample_clusters
from sts.scoring.classification import roc_auc
from sts.scoring.correlation import pearson
from sts.scoring.cross_validation import connected

RESAMPLES = 1000


@dataclass(frozen=True)
class Gain:
    """The metric of both models on the same pairs.

    Attributes:
        metric: its name.
        pairs, groups: how many; pairs that share a sentence are in one group.
        difference: tuned minus untuned, with a 95 % interval by a paired bootstrap over groups.
    """

    metric: str
    pairs: int
    groups: int
    difference: Difference

    def __str__(self) -> str:
        return f"{self.figures}\n{self.verdict}"

    @property
    def figures(self) -> str:
        """The metric of both, and their difference."""
        by, low, high = self.difference.value, self.difference.low, self.difference.high
        return (
            f"{self.metric} on {self.pairs:,} held-out pairs in {self.groups:,} groups: "
            f"{self.difference.b:.4f} untuned, {self.difference.a:.4f} tuned, "
            f"{by:+.4f} (95 %: {low:+.4f} to {high:+.4f})"
        )

    @property
    def verdict(self) -> str:
        """What may be claimed: nothing, if the interval contains 0."""
        if not self.difference.real:
            return "no gain is claimed: the interval contains 0"
        return "a gain" if self.difference.value > 0 else "training did harm"


def metric_of(gold: Scores, scores: Scores) -> float:
    """AUC if gold, from 0 to 1, is 0 or 1, else Pearson's r; NaN if the gold is all the same.

    The r of scores that are all the same is 0: they say nothing.
    """
    if len(np.unique(gold)) < 2:
        return float("nan")
    if has_labels(gold):
        return roc_auc(gold, scores)
    return pearson(scores, gold) if np.ptp(scores) else 0.0


def gain(pairs: Pairs, untuned: Scores, tuned: Scores, seed: int = 0) -> Gain:
    """Compare two models on pairs with gold from 0 to 1, by AUC if all of it is 0 or 1, else by r.

    Pairs that share a sentence, directly or through others, are drawn together.
    """

    def measure(rows: NDArray[np.intp]) -> NDArray[np.float64]:
        gold = pairs.gold[rows]
        return np.array([[metric_of(gold, scores[rows])] for scores in (tuned, untuned)])

    return compare("AUC" if has_labels(pairs.gold) else "Pearson", connected(pairs), measure, seed)


def compare(
    metric: str,
    groups: NDArray[np.int32],
    measure: Callable[[NDArray[np.intp]], NDArray[np.float64]],
    seed: int,
) -> Gain:
    """Compare two models by what ``measure`` gives, (2, 1), of some of the pairs: tuned, untuned."""
    found = resample_clusters(measure, groups, resamples=RESAMPLES, seed=seed)
    difference = found.metric(0).difference(0, 1)
    return Gain(metric, len(groups), len(np.unique(groups)), difference)
