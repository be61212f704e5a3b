"""The ranking of submissions for labelled pairs, by the area under the ROC curve."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semaniacs.sts.data.pairs import Scores
from semaniacs.sts.scoring.bootstrap import BLOCK, Resampling, mean_of
from semaniacs.sts.scoring.classification import (
    ClassificationScore,
    Labels,
    roc_auc,
    score_classification,
)
from semaniacs.sts.scoring.shared_task.leaderboard import Leaderboard


@dataclass(frozen=True)
class LabelledScore:
    """Figures of a submission.

    Attributes:
        datasets: by name; at a threshold of infinity if none was given.
        auc: mean over the data sets, weighted by pairs.
    """

    datasets: Mapping[str, ClassificationScore]
    auc: float


def rank_labelled(
    systems: Sequence[Mapping[str, Scores]],
    labels: Mapping[str, Labels],
    threshold: float = math.inf,
    *,
    resamples: int = 10_000,
    seed: int = 0,
) -> Leaderboard[LabelledScore]:
    """Rank systems by how often a paraphrase scores above another pair (AUC).

    Args:
        systems: (n,) scores by data set, of each system.
        labels: (n,) by data set, of both classes.
        threshold: lowest score of a paraphrase, chosen on other pairs.
        resamples: number of bootstrap resamples; all systems are scored on the same ones.
        seed: random seed.

    Raises:
        ValuesError: all pairs of a data set have one label.
    """
    rng = np.random.default_rng(seed)
    datasets, weights = {}, []
    for name, truth in labels.items():
        columns = [system[name] for system in systems]
        observed = np.array([roc_auc(truth, column) for column in columns])
        datasets[name] = Resampling(observed, _resampled_auc(columns, truth, resamples, rng))
        weights.append(len(truth))
    mean = mean_of(datasets, weights)
    scores = [
        LabelledScore(
            {
                name: score_classification(truth, system[name], threshold)
                for name, truth in labels.items()
            },
            float(auc),
        )
        for system, auc in zip(systems, mean.observed, strict=True)
    ]
    return Leaderboard.of(scores, [score.auc for score in scores], datasets, mean)


def _resampled_auc(
    systems: Sequence[Scores], truth: Labels, resamples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return (resamples, systems) AUC on the same draws; NaN if a draw has one label only."""
    n = len(truth)
    parts = []
    block = max(1, BLOCK // n)
    for start in range(0, resamples, block):
        rows = min(block, resamples - start)
        drawn = rng.integers(n, size=(rows, n)) + n * np.arange(rows)[:, None]
        times = np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n)
        parts.append([_weighted_auc(scores, truth, times) for scores in systems])
    return np.concatenate(parts, axis=1).T


def _weighted_auc(scores: Scores, truth: Labels, times: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return (r,) AUC from (r, n) counts of each pair; a tie counts half."""
    order = np.argsort(scores, kind="stable")
    starts = np.flatnonzero(np.diff(scores[order], prepend=-np.inf))
    drawn, right = times[:, order], truth[order]
    positive = np.add.reduceat(drawn * right, starts, axis=1)
    negative = np.add.reduceat(drawn * ~right, starts, axis=1)
    below = 2 * np.cumsum(negative, axis=1) - negative
    pairs = positive.sum(axis=1) * negative.sum(axis=1)
    found: NDArray[np.float64] = np.full(len(times), np.nan)
    np.divide((positive * below).sum(axis=1), 2 * pairs, out=found, where=pairs > 0)
    return found
