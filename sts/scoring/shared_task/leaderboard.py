"""The ranking of many submissions, and which differences between them are real.

Graded pairs are ranked by the official weighted mean of Pearson's r, labelled ones by the area
under the ROC curve (AUC).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from semaniacs.sts.data.pairs import Scores
from semaniacs.sts.scoring.bootstrap import Difference, Resampling, check_defined, resample
from semaniacs.sts.scoring.classification import (
    ClassificationScore,
    Labels,
    roc_auc,
    score_classification,
)
from semaniacs.sts.scoring.task_score import TaskScore, score_task

ScoreT = TypeVar("ScoreT")
"""The figures of a submission: :class:`TaskScore` or :class:`LabelledScore`."""


@dataclass(frozen=True)
class LabelledScore:
    """Figures of a submission for labelled pairs.

    Attributes:
        datasets: by name; at a threshold of infinity if none was given.
        auc: mean over the data sets, weighted by pairs.
    """

    datasets: Mapping[str, ClassificationScore]
    auc: float


@dataclass(frozen=True)
class Compared:
    """Two submissions and the difference of their weighted means.

    Attributes:
        a, b: indices in the ranking, from 0; a is the better one.
        p_corrected: p-value after Holm's correction for all comparisons of the table.
    """

    a: int
    b: int
    difference: Difference
    p_corrected: float


@dataclass(frozen=True)
class Ranked(Generic[ScoreT]):
    """One line of the ranking.

    Attributes:
        rank: from 1; equal means share the better rank.
        system: index among the systems that were ranked.
        score: figures of the official scorer.
        intervals, interval: 95 % bootstrap intervals by data set, and of the mean.
    """

    rank: int
    system: int
    score: ScoreT
    intervals: Mapping[str, tuple[float, float]]
    interval: tuple[float, float]


@dataclass(frozen=True)
class Leaderboard(Generic[ScoreT]):
    """Submissions by falling mean, equal ones in the order of the input."""

    lines: Sequence[Ranked[ScoreT]]
    resamples: int
    _mean: Resampling

    @classmethod
    def of(
        cls,
        scores: Sequence[ScoreT],
        means: Sequence[float],
        datasets: Mapping[str, Resampling],
        mean: Resampling,
    ) -> Leaderboard[ScoreT]:
        """Rank s scores by their means."""
        order = sorted(range(len(scores)), key=lambda system: -means[system])
        lines = [
            Ranked(
                1 + sum(other > means[system] for other in means),
                system,
                scores[system],
                {name: metric.interval(system) for name, metric in datasets.items()},
                mean.interval(system),
            )
            for system in order
        ]
        return cls(lines, len(mean.draws), mean)

    def against_the_best(self) -> list[Compared]:
        """Compare the first with each of the others."""
        return self._compare([(0, other) for other in range(1, len(self.lines))])

    def every_two(self) -> list[Compared]:
        """Compare each with each below it."""
        return self._compare([*combinations(range(len(self.lines)), 2)])

    def _compare(self, places: Sequence[tuple[int, int]]) -> list[Compared]:
        systems = [line.system for line in self.lines]
        found = [self._mean.difference(systems[a], systems[b]) for a, b in places]
        corrected = holm([one.p_value for one in found])
        return [
            Compared(*two, one, p) for two, one, p in zip(places, found, corrected, strict=True)
        ]


def holm(p_values: Sequence[float]) -> list[float]:
    """Return (n,) p-values of n tests, corrected so that all of them err with the same level.

    The smallest is multiplied by n, the next by n − 1, and so on; none is below one that was
    smaller, or above 1 (Holm, 1979, A simple sequentially rejective multiple test procedure).
    """
    p = np.asarray(p_values, np.float64)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return [float(one) for one in np.minimum(adjusted, 1.0)]


def too_few_resamples(comparisons: int, resamples: int) -> str | None:
    """Return a warning if no corrected p-value of so many comparisons can fall below .05.

    The smallest p-value of r resamples is 2 / (r + 1), and Holm multiplies it by their number.
    """
    lowest = 2 * comparisons / (resamples + 1)
    if lowest < 0.05:
        return None
    return (
        f"{resamples:,} resamples are too few for {comparisons} comparisons: no corrected p can be "
        f"below {min(lowest, 1):.2g}; pass --resamples {200 * comparisons}"
    )


def rank(
    systems: Sequence[Mapping[str, Scores]],
    gold: Mapping[str, Scores],
    *,
    resamples: int = 10_000,
    seed: int = 0,
) -> Leaderboard[TaskScore]:
    """Rank systems by the official weighted mean.

    Args:
        systems: (n,) predictions by data set, of each system.
        gold: (n,) gold scores by data set, NaN if unscored; a data set without any gold counts
            in no mean.
        resamples, seed: number of bootstrap resamples, on which all systems are scored, and
            random seed.

    Raises:
        ValuesError: a correlation is undefined.
    """
    scored = {name: values for name, values in gold.items() if not np.isnan(values).all()}
    datasets, mean = resample(systems, scored, resamples=resamples, seed=seed)
    check_defined(datasets)
    scores = [score_task(system, gold) for system in systems]
    return Leaderboard.of(scores, [score.weighted_mean for score in scores], datasets, mean)


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
        resamples, seed: as for :func:`rank`.

    Raises:
        ValuesError: all pairs of a data set have one label.
    """
    datasets, mean = resample(
        systems,
        labels,
        resamples=resamples,
        seed=seed,
        metric=lambda scores, truth: roc_auc(truth, scores),
        metric_of_draws=_auc_of_draws,
    )
    figures = [
        {
            name: score_classification(truth, system[name], threshold)
            for name, truth in labels.items()
        }
        for system in systems
    ]
    means = mean.observed.tolist()
    scores = [LabelledScore(*both) for both in zip(figures, means, strict=True)]
    return Leaderboard.of(scores, means, datasets, mean)


def _auc_of_draws(
    systems: Sequence[Scores], truth: Labels, drawn: NDArray[np.intp]
) -> list[Scores]:
    """Return (r,) AUC of each system in r resamples; NaN if a draw has one label only."""
    rows, n = drawn.shape
    places = drawn + n * np.arange(rows)[:, None]
    times = np.bincount(places.ravel(), minlength=rows * n).reshape(rows, n)
    return [_weighted_auc(scores, truth, times) for scores in systems]


def _weighted_auc(scores: Scores, truth: Labels, times: NDArray[np.int64]) -> Scores:
    """Return (r,) AUC from (r, n) counts of each pair; a tie counts half."""
    order = np.argsort(scores, kind="stable")
    starts = np.flatnonzero(np.diff(scores[order], prepend=-np.inf))
    drawn, right = times[:, order], truth[order]
    positive = np.add.reduceat(drawn * right, starts, axis=1)
    negative = np.add.reduceat(drawn * ~right, starts, axis=1)
    below = 2 * np.cumsum(negative, axis=1) - negative
    pairs = positive.sum(axis=1) * negative.sum(axis=1)
    found: Scores = np.full(len(times), np.nan)
    np.divide((positive * below).sum(axis=1), 2 * pairs, out=found, where=pairs > 0)
    return found
