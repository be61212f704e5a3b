"""The figures of one scorer on some groups, and how they are written."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sts.data.pairs import Scores
from sts.scoring.bootstrap import resample_clusters
from sts.scoring.ranking import Groups, r_precisions, spearmans

Interval = tuple[float, float]


@dataclass(frozen=True)
class RankingFigures:
    """How well scores rank g groups; see :class:`sts.scoring.ranking.RankingScore`.

    Attributes:
        groups: g.
        r_precision, spearman: means over the groups.
        r_precision_interval, spearman_interval: of 95 %, by drawing groups with replacement.
    """

    groups: int
    r_precision: float
    spearman: float
    r_precision_interval: Interval
    spearman_interval: Interval


def ranking_figures(
    scores: Scores, groups: Groups, *, resamples: int = 1000, seed: int = 0
) -> RankingFigures:
    """The figures of (n,) scores, none of them NaN, on (g, 4) rows by falling degree."""
    table = np.asarray(scores, np.float64)[groups]
    by_group = np.array([r_precisions(table), spearmans(table)])

    def measure(rows: NDArray[np.intp]) -> NDArray[np.float64]:
        means: NDArray[np.float64] = by_group[:, rows].mean(axis=1)[None]
        return means

    drawn = resample_clusters(measure, np.arange(len(groups)), resamples=resamples, seed=seed)
    precision, correlation = (drawn.metric(place) for place in (0, 1))
    return RankingFigures(
        len(groups),
        float(precision.observed[0]),
        float(correlation.observed[0]),
        precision.interval(0),
        correlation.interval(0),
    )


def percent(value: float) -> str:
    """A share or a correlation × 100, as the paper prints it."""
    return f"{100 * value:.2f}"
