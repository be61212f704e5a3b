"""What a score is worth: correlations, the three averages, bootstrap intervals, two compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from sts.data.pairs import Scores


def pearson(a: Scores, b: Scores) -> float:
    """Pearson's r of two (n,) arrays, in [-1, 1]; NaN if either is constant or n < 2."""
    if a.shape != b.shape:
        raise ValueError(f"shapes differ: {a.shape} and {b.shape}")
    if len(a) < 2 or np.all(a == a[0]) or np.all(b == b[0]):
        return float("nan")
    a, b = a - a.mean(), b - b.mean()
    r = (a @ b) / np.sqrt((a @ a) * (b @ b))
    return float(np.clip(r, -1.0, 1.0))  # unlike min and max, this leaves a NaN a NaN


def spearman(a: Scores, b: Scores) -> float:
    """Spearman's rho: Pearson's r of the ranks, ties sharing their average rank."""
    return pearson(rankdata(a), rankdata(b))


@dataclass(frozen=True)
class DatasetScore:
    """How one data set was scored.

    Attributes:
        pairs: input lines; scored: those of them that have gold.
        pearson, spearman: over the scored pairs, NaN if undefined.
    """

    pairs: int
    scored: int
    pearson: float
    spearman: float


@dataclass(frozen=True)
class TaskScore:
    """The data sets of a task and its three averages.

    Attributes:
        weighted_mean: Pearson by data set, weighted by scored pairs (the official figure).
        mean: Pearson by data set, each counting the same.
        spearman_all: Spearman with all scored pairs of the task in one list.
    """

    datasets: Mapping[str, DatasetScore]
    weighted_mean: float
    mean: float
    spearman_all: float


def score_dataset(predicted: Scores, gold: Scores) -> DatasetScore:
    """Compare (n,) predictions with (n,) gold where gold is not NaN."""
    scored = ~np.isnan(gold)
    return DatasetScore(
        len(gold),
        int(scored.sum()),
        pearson(predicted[scored], gold[scored]),
        spearman(predicted[scored], gold[scored]),
    )


def weighted_mean(values: Sequence[float], weights: Sequence[int]) -> float:
    """The official average: each data set's Pearson, weighted by its scored pairs."""
    return float(np.average(values, weights=weights))


def score_task(predicted: Mapping[str, Scores], gold: Mapping[str, Scores]) -> TaskScore:
    """Score every data set of a task; the keys of both mappings are the data sets' names."""
    datasets = {name: score_dataset(predicted[name], gold[name]) for name in gold}
    values = [score.pearson for score in datasets.values()]
    every_gold = np.concatenate(list(gold.values()))
    every_prediction = np.concatenate([predicted[name] for name in gold])
    return TaskScore(
        datasets,
        weighted_mean(values, [score.scored for score in datasets.values()]),
        float(np.mean(values)),
        score_dataset(every_prediction, every_gold).spearman,
    )


def bootstrap_weighted_mean(
    predicted: Mapping[str, Scores],
    gold: Mapping[str, Scores],
    *,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> tuple[float, float]:
    """Percentile interval of the official weighted mean.

    Pairs are drawn with replacement within each data set (Efron and Tibshirani,
    1993, 13.3), so every resample has the data sets' own sizes.
    """
    rng = np.random.default_rng(seed)
    means, weights = [], []
    for name, values in gold.items():
        scored = np.flatnonzero(~np.isnan(values))
        drawn = rng.choice(scored, size=(resamples, len(scored)))
        means.append(_row_pearson(predicted[name][drawn], values[drawn]))
        weights.append(len(scored))
    averages = np.average(np.stack(means), axis=0, weights=weights)
    tail = (1 - confidence) / 2
    low, high = np.quantile(averages, [tail, 1 - tail])
    return float(low), float(high)


_AT_ONCE = 2**18
"""Draws of a block of resamples, so that memory does not grow with their number."""


@dataclass(frozen=True)
class Difference:
    """How two systems, A and B, differ in one figure, and how sure that is.

    Attributes:
        a, b: the figure of each.
        low, high: percentile interval of a − b.
        a_holds, b_holds: share of the resamples in which A is at least as good as B,
            and B at least as good as A. Both count a tie.
        resamples: how many the shares are of: those in which the figures are defined.
    """

    a: float
    b: float
    low: float
    high: float
    a_holds: float
    b_holds: float
    resamples: int

    @property
    def value(self) -> float:
        """The difference a − b: above 0 if A is better."""
        return self.a - self.b

    @property
    def real(self) -> bool:
        """Whether the interval leaves 0 out."""
        return self.low > 0 or self.high < 0

    @property
    def p_value(self) -> float:
        """Two-sided: twice the smaller share, the data themselves counted as one resample.

        Counting them keeps it above 0, which no number of resamples could show
        (Davison and Hinkley, 1997, 4.2).
        """
        fewest = self.resamples * min(self.a_holds, self.b_holds)
        return min(1.0, 2 * (fewest + 1) / (self.resamples + 1))


@dataclass(frozen=True)
class Comparison:
    """Two systems on the data sets of a task and by the official weighted mean."""

    datasets: Mapping[str, Difference]
    weighted_mean: Difference


def paired_bootstrap(
    a: Mapping[str, Scores],
    b: Mapping[str, Scores],
    gold: Mapping[str, Scores],
    *,
    resamples: int = 10_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Comparison:
    """Do two systems differ in Pearson's r by more than the choice of pairs explains?

    Pairs are drawn as by :func:`bootstrap_weighted_mean`, and each resample
    scores both systems on the same pairs (Efron and Tibshirani, 1993, 13.3):
    what makes a draw easy for both cancels out of their difference.

    Args:
        a, b: (n,) predictions of each system by data set.
        gold: (n,) gold scores by data set, NaN if unscored; its keys are the data sets.
        resamples: how many. One in which a correlation is undefined, which happens
            in a data set of a few pairs, is left out.
        confidence: of the intervals.
        seed: of the draws.

    Raises:
        ValueError: a correlation is undefined, because a data set has fewer than two
            scored pairs or a system or the gold gives all of them one score.
    """
    rng = np.random.default_rng(seed)
    figures, draws, weights = [], [], []
    for name, values in gold.items():
        scored = ~np.isnan(values)
        three = a[name][scored], b[name][scored], values[scored]
        figures.append(np.array([pearson(system, three[2]) for system in three[:2]]))
        if np.isnan(figures[-1]).any():
            raise ValueError(f"Pearson's r of {name!r} is undefined: two different scores needed")
        draws.append(_resampled(*three, resamples, rng))
        weights.append(int(scored.sum()))
    means = [np.average(table, axis=0, weights=weights) for table in (figures, draws)]
    each = zip(gold, figures, draws, strict=True)
    return Comparison(
        {name: _difference(figure, drawn, confidence) for name, figure, drawn in each},
        _difference(means[0], means[1], confidence),
    )


def _resampled(
    a: Scores, b: Scores, gold: Scores, resamples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """(resamples, 2) Pearson's r of two systems, (n,) each, on the same draws; NaN if undefined."""
    block = max(1, _AT_ONCE // len(gold))
    parts = []
    for start in range(0, resamples, block):
        drawn = rng.integers(len(gold), size=(min(block, resamples - start), len(gold)))
        right = gold[drawn]
        parts.append([_defined_pearson(system[drawn], right) for system in (a, b)])
    return np.concatenate(parts, axis=1).T


def _defined_pearson(a: Scores, b: Scores) -> NDArray[np.float64]:
    """:func:`_row_pearson`, and NaN for a row in which either side is constant."""
    constant = np.all(a == a[:, :1], axis=1) | np.all(b == b[:, :1], axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(constant, np.nan, _row_pearson(a, b))


def _difference(
    figures: NDArray[np.float64], drawn: NDArray[np.float64], confidence: float
) -> Difference:
    """The difference of two figures (2,), and its interval from their (resamples, 2) draws."""
    values = drawn[:, 0] - drawn[:, 1]
    values = values[~np.isnan(values)]
    tail = (1 - confidence) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return Difference(
        float(figures[0]),
        float(figures[1]),
        float(low),
        float(high),
        a_holds=float(np.mean(values >= 0)),
        b_holds=float(np.mean(values <= 0)),
        resamples=len(values),
    )


def _row_pearson(a: Scores, b: Scores) -> NDArray[np.float64]:
    """Pearson's r of each row of two (m, n) arrays: (m,)."""
    a = a - a.mean(axis=1, keepdims=True)
    b = b - b.mean(axis=1, keepdims=True)
    r: NDArray[np.float64] = (a * b).sum(axis=1) / np.sqrt(
        (a * a).sum(axis=1) * (b * b).sum(axis=1)
    )
    return r
