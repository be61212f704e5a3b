"""Bootstrap confidence intervals of the official average, and of the difference of two systems.

Pairs are drawn with replacement within each data set, and all systems are scored on the same
draws, so that the difficulty of a draw cancels out of a difference (Efron and Tibshirani, 1993,
section 13.3). A resample in which a correlation is undefined is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from semaniacs.sts.data.pairs import Scores
from semaniacs.sts.errors import ValuesError, warn_caller
from semaniacs.sts.scoring.correlation import CentredRows, pearson, pearson_by_row

BLOCK = 2**18  # draws computed at once, so that memory does not grow with the number of resamples
FEWEST = 10  # pairs whose resamples differ enough for an interval and a p-value


Numbers = ArrayLike | Iterator[float]

MetricOfDraws = Callable[[Sequence[Scores], NDArray[Any], NDArray[np.intp]], list[Scores]]


@dataclass(frozen=True)
class Difference:
    """Difference of two systems, A and B, in one metric, with its bootstrap distribution.

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

    def __repr__(self) -> str:
        """Return the figures that :func:`compare` is asked for."""
        names = "value low high p_value a b resamples".split()
        return f"Difference({', '.join(f'{name}={getattr(self, name):.4g}' for name in names)})"

    @property
    def value(self) -> float:
        """Difference a − b; above 0 if A is better."""
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


class Resampling(NamedTuple):
    """A metric of s systems, as observed and in r resamples of the pairs.

    Attributes:
        observed: (s,).
        draws: (r, s), all systems on the same pairs in each resample; NaN if undefined.
    """

    observed: NDArray[np.float64]
    draws: NDArray[np.float64]

    def interval(self, system: int, confidence: float = 0.95) -> tuple[float, float]:
        """Return the percentile interval of one system."""
        return _interval(self.draws[:, system], confidence)

    def difference(self, a: int, b: int, confidence: float = 0.95) -> Difference:
        """Return the difference of two systems."""
        values = self.draws[:, a] - self.draws[:, b]
        values = values[~np.isnan(values)]
        return Difference(
            float(self.observed[a]),
            float(self.observed[b]),
            *_interval(values, confidence),
            a_holds=float(np.mean(values >= 0)),
            b_holds=float(np.mean(values <= 0)),
            resamples=len(values),
        )


def _interval(values: NDArray[np.float64], confidence: float) -> tuple[float, float]:
    """Return the central interval of (resamples,) values, leaving out NaN; NaN if none is left."""
    defined = values[~np.isnan(values)]
    if not len(defined):
        return float("nan"), float("nan")
    tail = (1 - confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return float(low), float(high)


@dataclass(frozen=True)
class Comparison:
    """Two systems on the data sets of a task and by the official weighted mean."""

    datasets: Mapping[str, Difference]
    weighted_mean: Difference


def bootstrap_weighted_mean(
    predicted: Mapping[str, Scores],
    gold: Mapping[str, Scores],
    *,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> tuple[float, float]:
    """Return the percentile interval of the official weighted mean.

    Args:
        predicted: (n,) predictions by data set.
        gold: (n,) gold scores by data set, NaN if unscored; its keys are the data sets.
        resamples, seed: number of resamples, and random seed.
        confidence: of the interval, in (0, 1).

    Returns:
        The lower and the upper bound; both NaN if no resample has a defined mean.
    """
    scored = {name: values for name, values in gold.items() if not np.isnan(values).all()}
    if not scored:
        return float("nan"), float("nan")
    _, mean = resample([predicted], scored, resamples=resamples, seed=seed)
    return mean.interval(0, confidence)


def compare(
    a: Numbers, b: Numbers, gold: Numbers, *, resamples: int = 10_000, seed: int = 0
) -> Difference:
    """Compare Pearson's r of two systems with the gold scores of n pairs.

    Args:
        a, b: (n,) scores of each system, on any scale, also from a generator.
        gold: (n,) gold scores, NaN if unscored.
        resamples, seed: number of resamples, and random seed.

    Raises:
        ValuesError: a score is no number, the lengths differ, or a correlation is undefined.

    Warns:
        UserWarning: there are fewer than ten pairs.
    """
    for setting, number in (("resamples", resamples), ("seed", seed)):
        least = int(setting == "resamples")
        if not isinstance(number, int | np.integer) or number < least:
            raise ValuesError(f"{setting} is {number!r}; expected a whole number from {least} on")
    given = {"a": a, "b": b, "gold": gold}
    columns = {name: _numbers(values, name) for name, values in given.items()}
    lengths = [len(column) for column in columns.values()]
    if len(set(lengths)) > 1:
        raise ValuesError("{} and {} scores for {} gold scores".format(*lengths))
    scored = ~np.isnan(columns["gold"])
    if not scored.any():
        raise ValuesError("no pair has gold; expected two or more gold scores")
    for name, column in columns.items():
        for row in np.flatnonzero(scored & ~np.isfinite(column))[:1]:
            raise ValuesError(f"{name}[{row}] is {column[row]}; expected a number")
    if scored.sum() < FEWEST:
        warn_caller(
            f"{scored.sum()} pairs are too few for an interval and a p-value; expected {FEWEST}"
        )
    one, other, truth = ({"pairs": column} for column in columns.values())
    return paired_bootstrap(one, other, truth, resamples=resamples, seed=seed).datasets["pairs"]


def _numbers(values: Numbers, name: str) -> Scores:
    try:
        given = [*values] if isinstance(values, Iterator) else values
        column = np.asarray(given, np.float64)
    except (TypeError, ValueError) as error:
        raise ValuesError(f"{name}: {error}; expected numbers") from None
    if column.ndim != 1:
        raise ValuesError(f"{name} has the shape {column.shape}; expected a list of numbers")
    return column


def paired_bootstrap(
    a: Mapping[str, Scores],
    b: Mapping[str, Scores],
    gold: Mapping[str, Scores],
    *,
    resamples: int = 10_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Comparison:
    """Return whether Pearson's r of two systems differs by more than the choice of pairs explains.

    Arguments are those of :func:`bootstrap_weighted_mean`, with (n,) predictions of each system.

    Raises:
        ValuesError: a correlation is undefined: a data set has fewer than two scored pairs, or
            one system or the gold scores give all of them the same score.
    """
    datasets, mean = resample((a, b), gold, resamples=resamples, seed=seed)
    check_defined(datasets)
    return Comparison(
        {name: metric.difference(0, 1, confidence) for name, metric in datasets.items()},
        mean.difference(0, 1, confidence),
    )


def check_defined(datasets: Mapping[str, Resampling]) -> None:
    """Raise a :class:`ValuesError` if a system has no correlation with the gold of a data set."""
    for name, metric in datasets.items():
        if np.isnan(metric.observed).any():
            raise ValuesError(f"Pearson's r of {name!r} is undefined: two different scores needed")


def pearson_of_draws(
    systems: Sequence[Scores], gold: Scores, drawn: NDArray[np.intp]
) -> list[Scores]:
    """Return (r,) Pearson's r of each system, (n,), in r resamples: rows ``drawn`` (r, n)."""
    right = CentredRows.of(gold[drawn])
    return [pearson_by_row(CentredRows.of(system[drawn]), right) for system in systems]


def resample(
    systems: Sequence[Mapping[str, Scores]],
    gold: Mapping[str, NDArray[Any]],
    *,
    resamples: int = 10_000,
    seed: int = 0,
    metric: Callable[[Scores, NDArray[Any]], float] = pearson,
    metric_of_draws: MetricOfDraws = pearson_of_draws,
) -> tuple[dict[str, Resampling], Resampling]:
    """Return a metric of several systems by data set, and its means weighted by scored pairs.

    The number of systems does not change what is drawn. ``metric_of_draws`` is the metric in
    several resamples at once, see :func:`pearson_of_draws`.
    """
    rng = np.random.default_rng(seed)
    datasets, weights = {}, []
    for name, values in gold.items():
        scored = ~np.isnan(values)
        columns, truth = [system[name][scored] for system in systems], values[scored]
        observed = np.array([metric(column, truth) for column in columns])
        block, parts = max(1, BLOCK // len(truth)), []
        for start in range(0, resamples, block):
            drawn = rng.integers(len(truth), size=(min(block, resamples - start), len(truth)))
            parts.append(metric_of_draws(columns, truth, drawn))
        datasets[name] = Resampling(observed, np.concatenate(parts, axis=1).T)
        weights.append(len(truth))
    tables = zip(*datasets.values(), strict=True)
    mean = Resampling(*(np.average(table, axis=0, weights=weights) for table in tables))
    return datasets, mean


def resample_clusters(
    measure: Callable[[NDArray[np.intp]], NDArray[np.float64]],
    clusters: NDArray[np.integer[Any]],
    *,
    resamples: int = 1000,
    seed: int = 0,
) -> list[Resampling]:
    """Return the m metrics of several systems when whole clusters of rows are drawn.

    Rows that depend on each other, such as pairs that share a sentence, are no independent
    draws: a resample takes all rows of a cluster or none (Davison and Hinkley, 1997, section 3.8).

    Args:
        measure: (s, m) metrics of s systems on some rows, which may repeat; NaN if undefined.
        clusters: (n,) number of each row's cluster.
        resamples, seed: number of resamples, and random seed.
    """
    rng = np.random.default_rng(seed)
    _, place = np.unique(clusters, return_inverse=True)
    members = np.split(np.argsort(place, kind="stable"), np.cumsum(np.bincount(place))[:-1])
    drawn = [
        measure(np.concatenate([members[i] for i in rng.integers(len(members), size=len(members))]))
        for _ in range(resamples)
    ]
    observed, draws = measure(np.arange(len(place))), np.array(drawn)
    return [Resampling(observed[:, m], draws[:, :, m]) for m in range(observed.shape[1])]
