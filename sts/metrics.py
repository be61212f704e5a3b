"""What a score is worth: correlations, the three averages, bootstrap intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from sts.pairs import Scores


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
    1993, §13.3), so every resample has the data sets' own sizes.
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


def _row_pearson(a: Scores, b: Scores) -> NDArray[np.float64]:
    """Pearson's r of each row of two (m, n) arrays: (m,)."""
    a = a - a.mean(axis=1, keepdims=True)
    b = b - b.mean(axis=1, keepdims=True)
    r: NDArray[np.float64] = (a * b).sum(axis=1) / np.sqrt(
        (a * a).sum(axis=1) * (b * b).sum(axis=1)
    )
    return r
