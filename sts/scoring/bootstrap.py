"""Bootstrap confidence intervals of the official average, and of the difference of two systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sts.data.pairs import Scores
from sts.errors import ValuesError
from sts.scoring.correlation import CentredRows, pearson, pearson_by_row


def bootstrap_weighted_mean(
    predicted: Mapping[str, Scores],
    gold: Mapping[str, Scores],
    *,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> tuple[float, float]:
    """Percentile interval of the official weighted mean.

    Pairs are drawn with replacement within each data set (Efron and Tibshirani, 1993,
    section 13.3), so that every resample has as many pairs per data set as the data. A resample
    in which a correlation is undefined, because it holds one score only, is left out.

    Args:
        predicted: (n,) predictions by data set.
        gold: (n,) gold scores by data set, NaN if unscored; its keys are the data sets.
        resamples: how many to draw.
        confidence: of the interval, in (0, 1).
        seed: of the draws.

    Returns:
        The lower and the upper bound; both NaN if no resample has a defined mean.
    """
    rng = np.random.default_rng(seed)
    draws, weights = [], []
    for name, values in gold.items():
        scored = ~np.isnan(values)
        if scored.any():
            draws.append(_resampled((predicted[name][scored],), values[scored], resamples, rng))
            weights.append(int(scored.sum()))
    if not weights:
        return float("nan"), float("nan")
    return _interval(np.average(draws, axis=0, weights=weights)[:, 0], confidence)


def _interval(values: NDArray[np.float64], confidence: float) -> tuple[float, float]:
    """The central interval of (resamples,) values without the NaN among them."""
    defined = values[~np.isnan(values)]
    if not len(defined):
        return float("nan"), float("nan")
    tail = (1 - confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return float(low), float(high)


_BLOCK = 2**18
"""Draws computed at once, so that memory does not grow with the number of resamples."""


@dataclass(frozen=True)
class Difference:
    """The difference of two systems, A and B, in one metric, and its bootstrap distribution.

    Attributes:
        a, b: the metric of each system.
        low, high: percentile interval of a − b.
        a_holds, b_holds: fraction of the resamples in which A is at least as good as B, and B
            at least as good as A. Both count a tie.
        resamples: number of resamples in which the metric is defined.
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
        """The difference a − b; above 0 if A is better."""
        return self.a - self.b

    @property
    def real(self) -> bool:
        """Whether the interval excludes 0."""
        return self.low > 0 or self.high < 0

    @property
    def p_value(self) -> float:
        """Two-sided p-value: twice the smaller fraction, with the data as one more resample.

        The additional resample keeps it above 0 (Davison and Hinkley, 1997, section 4.2).
        """
        smaller = self.resamples * min(self.a_holds, self.b_holds)
        return min(1.0, 2 * (smaller + 1) / (self.resamples + 1))


@dataclass(frozen=True)
class Comparison:
    """Two systems on the data sets of a task and by the official weighted mean."""

    datasets: Mapping[str, Difference]
    weighted_mean: Difference


def compare(
    a: Sequence[float] | Scores,
    b: Sequence[float] | Scores,
    gold: Sequence[float] | Scores,
    *,
    resamples: int = 10_000,
    seed: int = 0,
) -> Difference:
    """Whether A or B is nearer to the gold scores of n pairs, see :func:`paired_bootstrap`.

    Args:
        a, b: (n,) scores of each system, on any scale.
        gold: (n,) gold scores, NaN if unscored.
        resamples: how many to draw.
        seed: of the draws.

    Raises:
        ValuesError: a score is no number, the lengths differ, or a correlation is undefined.
    """
    named = ("a", a), ("b", b), ("gold", gold)
    one, other, truth = ({"pairs": _numbers(values, name)} for name, values in named)
    if not len(one["pairs"]) == len(other["pairs"]) == len(truth["pairs"]):
        raise ValuesError(f"{len(a)} and {len(b)} scores for {len(gold)} gold scores")
    return paired_bootstrap(one, other, truth, resamples=resamples, seed=seed).datasets["pairs"]


def _numbers(values: Sequence[float] | Scores, name: str) -> Scores:
    try:
        return np.asarray(values, np.float64)
    except (TypeError, ValueError) as error:
        raise ValuesError(f"{name}: {error}; expected numbers") from None


def paired_bootstrap(
    a: Mapping[str, Scores],
    b: Mapping[str, Scores],
    gold: Mapping[str, Scores],
    *,
    resamples: int = 10_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Comparison:
    """Whether two systems differ in Pearson's r by more than the choice of pairs explains.

    Pairs are drawn as in :func:`bootstrap_weighted_mean`. Both systems are scored on the same
    pairs of each resample (Efron and Tibshirani, 1993, section 13.3), so that what makes a
    resample easy for both cancels out of their difference.

    Args:
        a, b: (n,) predictions of each system by data set.
        gold: (n,) gold scores by data set, NaN if unscored; its keys are the data sets.
        resamples: how many to draw. One in which a correlation is undefined is left out.
        confidence: of the intervals, in (0, 1).
        seed: of the draws.

    Raises:
        ValuesError: a correlation is undefined: a data set has fewer than two scored pairs, or
            one system or the gold scores give all of them the same score.
    """
    datasets, mean = resample((a, b), gold, resamples=resamples, seed=seed)
    return Comparison(
        {name: metric.difference(0, 1, confidence) for name, metric in datasets.items()},
        mean.difference(0, 1, confidence),
    )


class Resampling(NamedTuple):
    """A metric of s systems, as observed and in r resamples of the pairs.

    Attributes:
        observed: (s,).
        draws: (r, s), all systems on the same pairs in each resample.
    """

    observed: NDArray[np.float64]
    draws: NDArray[np.float64]

    def interval(self, system: int, confidence: float = 0.95) -> tuple[float, float]:
        """The percentile interval of one system."""
        return _interval(self.draws[:, system], confidence)

    def difference(self, a: int, b: int, confidence: float = 0.95) -> Difference:
        """The difference of two systems."""
        return _difference(self.observed[[a, b]], self.draws[:, [a, b]], confidence)


def resample(
    systems: Sequence[Mapping[str, Scores]],
    gold: Mapping[str, Scores],
    *,
    resamples: int = 10_000,
    seed: int = 0,
) -> tuple[dict[str, Resampling], Resampling]:
    """Pearson's r of several systems by data set, and their weighted means.

    The pairs are drawn as in :func:`paired_bootstrap`, which this serves; more systems do not
    change what is drawn.

    Raises:
        ValuesError: a correlation is undefined.
    """
    rng = np.random.default_rng(seed)
    datasets, weights = {}, []
    for name, values in gold.items():
        scored = ~np.isnan(values)
        columns = [system[name][scored] for system in systems]
        observed = np.array([pearson(column, values[scored]) for column in columns])
        if np.isnan(observed).any():
            raise ValuesError(f"Pearson's r of {name!r} is undefined: two different scores needed")
        draws = _resampled(columns, values[scored], resamples, rng)
        datasets[name] = Resampling(observed, draws)
        weights.append(int(scored.sum()))
    means = [
        np.average(table, axis=0, weights=weights) for table in zip(*datasets.values(), strict=True)
    ]
    return datasets, Resampling(*means)


def _resampled(
    systems: Sequence[Scores], gold: Scores, resamples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """(resamples, systems) Pearson's r of systems, (n,) each, on the same draws; NaN if undefined."""
    block = max(1, _BLOCK // len(gold))
    parts = []
    for start in range(0, resamples, block):
        drawn = rng.integers(len(gold), size=(min(block, resamples - start), len(gold)))
        right = CentredRows.of(gold[drawn])
        parts.append([pearson_by_row(CentredRows.of(system[drawn]), right) for system in systems])
    return np.concatenate(parts, axis=1).T


class ClusterResampling(NamedTuple):
    """m metrics of s systems, as observed and in r resamples of whole clusters.

    Attributes:
        observed: (s, m).
        draws: (r, s, m).
    """

    observed: NDArray[np.float64]
    draws: NDArray[np.float64]

    def metric(self, place: int) -> Resampling:
        """One of the metrics."""
        return Resampling(self.observed[:, place], self.draws[:, :, place])


def resample_clusters(
    measure: Callable[[NDArray[np.intp]], NDArray[np.float64]],
    clusters: NDArray[np.integer[Any]],
    *,
    resamples: int = 1000,
    seed: int = 0,
) -> ClusterResampling:
    """Metrics of several systems when whole clusters of rows are drawn with replacement.

    Rows that hang together, such as pairs that share a sentence, are no independent draws, so a
    resample takes all rows of a cluster or none (Davison and Hinkley, 1997, section 3.8).

    Args:
        measure: (s, m) metrics of s systems on some rows, which may repeat; NaN if undefined.
        clusters: (n,) number of each row's cluster.
        resamples, seed: of the draws.
    """
    rng = np.random.default_rng(seed)
    _, place = np.unique(clusters, return_inverse=True)
    members = np.split(np.argsort(place, kind="stable"), np.cumsum(np.bincount(place))[:-1])
    draws = [
        measure(np.concatenate([members[i] for i in rng.integers(len(members), size=len(members))]))
        for _ in range(resamples)
    ]
    return ClusterResampling(measure(np.arange(len(place))), np.array(draws))


def _difference(
    observed: NDArray[np.float64], drawn: NDArray[np.float64], confidence: float
) -> Difference:
    """The difference of two metrics (2,), with its interval from (resamples, 2) draws."""
    values = drawn[:, 0] - drawn[:, 1]
    values = values[~np.isnan(values)]
    low, high = _interval(values, confidence)
    return Difference(
        float(observed[0]),
        float(observed[1]),
        low,
        high,
        a_holds=float(np.mean(values >= 0)),
        b_holds=float(np.mean(values <= 0)),
        resamples=len(values),
    )
