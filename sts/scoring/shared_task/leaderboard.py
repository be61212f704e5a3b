"""The ranking of many submissions, and which differences between them are real."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Generic, TypeVar

import numpy as np

from sts.data.pairs import Scores
from sts.scoring.bootstrap import Difference, Resampling, resample
from sts.scoring.shared_task.multiple_tests import holm
from sts.scoring.task_score import TaskScore, score_task

ScoreT = TypeVar("ScoreT")
"""The figures of a submission: a :class:`TaskScore`, or those of labelled pairs."""


@dataclass(frozen=True)
class Compared:
    """Two submissions and the difference of their weighted means.

    Attributes:
        a, b: their places in the ranking, from 0; a is the better one.
        difference: with its interval and its p-value.
        p_corrected: the p-value after Holm's correction for all comparisons of the same table.
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
        system: its place in what was ranked.
        score: as the official scorer counts.
        intervals: 95 % bootstrap intervals of what is ranked by data set.
        interval: that of the mean.
    """

    rank: int
    system: int
    score: ScoreT
    intervals: Mapping[str, tuple[float, float]]
    interval: tuple[float, float]


@dataclass(frozen=True)
class Leaderboard(Generic[ScoreT]):
    """Submissions, the best first.

    Attributes:
        lines: in order of the mean; equals stay in the order they came in.
        resamples: how many the intervals and p-values rest on.
    """

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
        """Rank (s,) scores by their means; both are resampled, each data set and the mean."""
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
        """The first with each of the others."""
        return self._compare([(0, other) for other in range(1, len(self.lines))])

    def every_two(self) -> list[Compared]:
        """Each with each that stands below it."""
        return self._compare([*combinations(range(len(self.lines)), 2)])

    def _compare(self, places: Sequence[tuple[int, int]]) -> list[Compared]:
        systems = [line.system for line in self.lines]
        found = [self._mean.difference(systems[a], systems[b]) for a, b in places]
        corrected = holm([one.p_value for one in found])
        return [
            Compared(*two, one, p) for two, one, p in zip(places, found, corrected, strict=True)
        ]


def too_few_resamples(comparisons: int, resamples: int) -> str | None:
    """A sentence if no corrected p-value of so many comparisons can fall below .05.

    The smallest that r resamples give is 2 / (r + 1), see
    :attr:`sts.scoring.bootstrap.Difference.p_value`, and Holm multiplies it by their number.
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

    All are scored on the same resampled pairs, see
    :func:`sts.scoring.bootstrap.paired_bootstrap`.

    Args:
        systems: of each the (n,) predictions by data set.
        gold: (n,) gold scores by data set, NaN if unscored; a data set without any takes no
            part in means.
        resamples: how many to draw.
        seed: of the draws.

    Raises:
        ValueError: a correlation is undefined.
    """
    scored = {name: values for name, values in gold.items() if not np.isnan(values).all()}
    datasets, mean = resample(systems, scored, resamples=resamples, seed=seed)
    scores = [score_task(system, gold) for system in systems]
    return Leaderboard.of(scores, [score.weighted_mean for score in scores], datasets, mean)
