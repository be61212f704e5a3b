"""Scores of a data set, and the three averages over the data sets of a task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from semaniacs.sts.data.pairs import Scores
from semaniacs.sts.scoring.correlation import pearson, spearman


@dataclass(frozen=True)
class DatasetScore:
    """Correlations of one data set over its scored pairs, those with gold; NaN if undefined."""

    pairs: int
    scored: int
    pearson: float
    spearman: float


@dataclass(frozen=True)
class TaskScore:
    """Data sets of a task and the three averages, NaN if no pair has a gold score.

    Attributes:
        weighted_mean: Pearson by data set, weighted by scored pairs (the official result).
        mean: Pearson by data set, each with the same weight.
        spearman_all: Spearman over the scored pairs of all data sets in one list.
    """

    datasets: Mapping[str, DatasetScore]
    weighted_mean: float
    mean: float
    spearman_all: float


def score_dataset(predicted: Scores, gold: Scores) -> DatasetScore:
    """Compare (n,) predictions with (n,) gold scores where gold is not NaN."""
    scored = ~np.isnan(gold)
    return DatasetScore(
        len(gold),
        int(scored.sum()),
        pearson(predicted[scored], gold[scored]),
        spearman(predicted[scored], gold[scored]),
    )


def weighted_mean(values: Sequence[float], weights: Sequence[int]) -> float:
    """Return the official average: Pearson by data set, weighted by scored pairs.

    A value of weight 0 is left out, even if it is NaN; NaN if all weights are 0.
    """
    counted = [(value, weight) for value, weight in zip(values, weights, strict=True) if weight]
    if not counted:
        return float("nan")
    values, weights = zip(*counted, strict=True)
    return float(np.average(values, weights=weights))


def score_task(predicted: Mapping[str, Scores], gold: Mapping[str, Scores]) -> TaskScore:
    """Score the data sets of a task; the keys of both mappings are their names.

    A data set without any gold score has no part in the averages.
    """
    datasets = {name: score_dataset(predicted[name], gold[name]) for name in gold}
    values = [score.pearson for score in datasets.values()]
    scored = [score.scored for score in datasets.values()]
    every_gold = np.concatenate([*gold.values(), np.empty(0)])
    every_prediction = np.concatenate([*(predicted[name] for name in gold), np.empty(0)])
    return TaskScore(
        datasets,
        weighted_mean(values, scored),
        weighted_mean(values, [min(count, 1) for count in scored]),
        score_dataset(every_prediction, every_gold).spearman,
    )
