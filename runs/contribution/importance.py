"""Feature importance by five measures, and which features are alike.

Gini importance (Hokamp and Arora, 2016, Table 4) is the share of the training error that the
splits of a column removed in scikit-learn's booster; gain is the same in LightGBM's, and splits is
the share of its splits. They come from the training pairs alone, and columns that hold the same
information divide the importance among them. Permutation importance is the loss of the weighted
mean of the run's own ensemble when a column is shuffled within each test set; it is small for a
column that another one can replace. So the most correlated other feature is named, with Spearman's
rho over the training pairs. Shapley importance is the mean absolute Shapley value over the test
pairs, in points of score (Lundberg and Lee, 2017, section 5, rank features so).

A group of features has the sum of its shares, and the mean absolute sum of its Shapley values.
Everything is fitted to the columns sorted by name, so nothing depends on their order.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.inspection import permutation_importance

from features.registry import get_feature
from features.regressors.ensemble import Boosting, Ensemble
from features.regressors.fitted import Matrix
from features.regressors.shapley import explain
from runs.contribution.ledger import Ledger, Value, each_once
from runs.contribution.study import Study
from sts.cache import digest
from sts.data.pairs import Scores
from sts.scoring.correlation import pearson
from sts.scoring.task_score import weighted_mean

VERSION = 2
"""Version of the results in a ledger; raise it when their meaning changes."""

REPEATS = 10
"""Number of times that each feature is shuffled."""

ORDERS, PAIRS = 2, 50
"""Orders drawn for each Shapley value, and pairs per step of the progress bar."""

Library = Literal["sklearn", "lightgbm"]
BOOSTERS: tuple[Library, ...] = ("sklearn", "lightgbm")

BOOSTER = Boosting()
"""Settings of both boosters, whatever the run, so that the libraries can be compared."""


@dataclass(frozen=True)
class FeatureImportance:
    """Importance of one feature.

    Attributes:
        feature, group: its names.
        gini: share of the training error that its splits removed in scikit-learn's booster.
        gain, splits: share of the gain and of the splits in LightGBM's booster.
        permutation, spread: mean and standard deviation over the repeats of the loss of the
            weighted mean when the feature is shuffled; NaN if it is undefined.
        shapley: mean absolute Shapley value over the test pairs, in points of score.
        nearest: the most correlated other feature; empty if there is none.
        correlation: Spearman's rho of the two over the training pairs; NaN if there is none.
    """

    feature: str
    group: str
    gini: float
    gain: float
    splits: float
    permutation: float
    spread: float
    shapley: float
    nearest: str
    correlation: float


@dataclass(frozen=True)
class GroupImportance:
    """Importance of a group of features: sums of shares, and its mean absolute Shapley value."""

    group: str
    features: int
    gini: float
    gain: float
    splits: float
    shapley: float


@dataclass(frozen=True)
class Importances:
    """Importance of every feature of a study.

    Attributes:
        whole: weighted mean of the ensemble with nothing shuffled.
        rows: the features, the largest Gini importance first.
        groups: the groups of features, the largest Gini importance first.
        features: the k features by group and name.
        correlation: (k, k) Spearman's rho between them, NaN beside a constant one.
    """

    whole: float
    rows: tuple[FeatureImportance, ...]
    groups: tuple[GroupImportance, ...]
    features: tuple[str, ...]
    correlation: NDArray[np.float64]


def measure_importance(study: Study, ledger: Ledger, jobs: int = 1) -> Importances:
    """Measure the importance of every feature, except what the ledger has already.

    Args:
        study: the matrices.
        ledger: finished results.
        jobs: number of processes; the result does not depend on it.
    """
    study = study.scored()
    columns = sorted(study.columns)
    training = study.training[:, study.places(columns)]
    shares = each_once(
        partial(booster_shares, training, study.gold, study.run.seed),
        BOOSTERS,
        ledger,
        lambda library: _key(study, "boosted", library),
        jobs=jobs,
        label="boosting",
        unit="libraries",
    )
    fusion = study.fit(columns)
    whole, losses = permutation_losses(study, fusion, columns, ledger, jobs)
    shapley = shapley_means(study, fusion, columns, ledger, jobs)
    correlation = spearman_matrix(fill(training))
    closest = most_correlated(columns, correlation)
    rows = [
        FeatureImportance(
            name,
            get_feature(name).group,
            shares["sklearn"]["gain"][place],
            shares["lightgbm"]["gain"][place],
            shares["lightgbm"]["splits"][place],
            float(np.mean(losses[place])),
            float(np.std(losses[place])),
            shapley[name],
            *closest[name],
        )
        for place, name in enumerate(columns)
    ]
    by_group = sorted(range(len(columns)), key=lambda i: (rows[i].group, columns[i]))
    return Importances(
        whole,
        tuple(sorted(rows, key=lambda row: -row.gini)),
        _by_group(rows, shapley),
        tuple(columns[i] for i in by_group),
        correlation[np.ix_(by_group, by_group)],
    )


def _by_group(
    rows: Sequence[FeatureImportance], shapley: Mapping[str, float]
) -> tuple[GroupImportance, ...]:
    found = []
    for group in sorted({row.group for row in rows}):
        own = [row for row in rows if row.group == group]
        gini, gain, splits = (
            sum(getattr(row, share) for row in own) for share in ("gini", "gain", "splits")
        )
        one = GroupImportance(group, len(own), gini, gain, splits, shapley[_GROUP + group])
        found.append(one)
    return tuple(sorted(found, key=lambda one: -one.gini))


def _key(study: Study, *what: object) -> str:
    """Return the sha256 of everything that a result depends on."""
    return digest((VERSION, study.digest, what, sorted(BOOSTER.get_params().items())))


# Boosters


def booster_shares(matrix: Matrix, gold: NDArray[np.float64], seed: int, library: Library) -> Value:
    """Return the share of each column of (n, k) in what a booster learns from (n,) gold scores.

    A column without values has none; the median replaces a missing value, as in the ensemble.

    Returns:
        ``gain``: k shares of the training error that the splits of a column removed, from 0 to 1,
        which is Gini importance; ``splits``: k shares of the splits. Either sums to 1, or is all 0
        if no tree splits.
    """
    booster = clone(BOOSTER).set_params(library=library, random_state=seed)
    trees = booster.fit(fill(matrix), gold).fitted_
    return {"gain": _shares(trees.gain), "splits": _shares(trees.splits)}


def fill(matrix: Matrix) -> Matrix:
    """Replace NaN by the median of its column, or by 0 in a column without values."""
    filled = matrix.copy()
    for column in filled.T:
        missing = np.isnan(column)
        column[missing] = 0.0 if missing.all() else np.median(column[~missing])
    return filled


def _shares(amounts: NDArray[Any]) -> list[float]:
    total = amounts.sum()
    return [float(amount / total) if total else 0.0 for amount in amounts]


# Permutation


def permutation_losses(
    study: Study, fusion: Ensemble, columns: Sequence[str], ledger: Ledger, jobs: int
) -> tuple[float, NDArray[np.float64]]:
    """Return the weighted mean, and its losses (k, repeats) with each of k columns shuffled."""
    found = each_once(
        partial(losses_on, study, fusion, columns),
        list(study.test),
        ledger,
        lambda name: _key(study, "permutation", REPEATS, name),
        jobs=jobs,
        label="shuffling",
        unit="data sets",
    )
    sizes = [len(study.test_gold[name]) for name in found]
    whole = weighted_mean([value["pearson"] for value in found.values()], sizes)
    losses = np.array([value["losses"] for value in found.values()])
    return whole, np.average(losses, axis=0, weights=sizes)


def losses_on(study: Study, fusion: Ensemble, columns: Sequence[str], name: str) -> Value:
    """Return Pearson's r on a test set, and what it loses with each column shuffled."""
    matrix, gold = study.test[name][:, study.places(columns)], study.test_gold[name]
    found = permutation_importance(
        fusion, matrix, gold, scoring=_pearson, n_repeats=REPEATS, random_state=study.run.seed
    )
    return {"pearson": _pearson(fusion, matrix, gold), "losses": found.importances.tolist()}


def _pearson(fusion: Ensemble, matrix: Matrix, gold: Scores) -> float:
    return pearson(fusion.predict(matrix), gold)


# Shapley values

_GROUP = "group "
"""Prefix of the names of groups among those of features."""

Block = tuple[str, int]
"""Name of a test set, and the place of the first of :data:`PAIRS` pairs."""


def shapley_means(
    study: Study, fusion: Ensemble, columns: Sequence[str], ledger: Ledger, jobs: int
) -> dict[str, float]:
    """Return the mean absolute Shapley value of each feature and each group."""
    sizes = {name: len(matrix) for name, matrix in study.test.items()}
    sums = each_once(
        partial(shapley_sums, study, fusion, columns),
        [(name, start) for name, size in sizes.items() for start in range(0, size, PAIRS)],
        ledger,
        lambda block: _key(study, "shapley", ORDERS, PAIRS, block),
        jobs=jobs,
        label="Shapley values",
        unit="step",
    ).values()
    names = next(iter(sums))
    return {name: sum(one[name] for one in sums) / sum(sizes.values()) for name in names}


def shapley_sums(study: Study, fusion: Ensemble, columns: Sequence[str], block: Block) -> Value:
    """Return the sum over some test pairs of absolute Shapley values, by feature and by group."""
    name, start = block
    rows = study.test[name][start : start + PAIRS, study.places(columns)]
    found = explain(fusion.fitted_, rows, repeats=ORDERS, seed=study.run.seed).contributions
    groups = np.array([get_feature(column).group for column in columns])
    values = dict(zip(columns, found.T, strict=True))
    for group in sorted(set(groups.tolist())):
        values[_GROUP + group] = found[:, groups == group].sum(axis=1)
    return {what: float(np.abs(parts).sum()) for what, parts in values.items()}


# Correlation between features


def spearman_matrix(matrix: Matrix) -> NDArray[np.float64]:
    """Return (k, k) Spearman's rho between the columns of (n, k); NaN beside a constant one."""
    ranks = rankdata(matrix, axis=0)
    centred = ranks - ranks.mean(axis=0)
    lengths = np.sqrt((centred**2).sum(axis=0))
    unit = centred / np.where(lengths > 0, lengths, np.nan)
    correlation: NDArray[np.float64] = np.clip(unit.T @ unit, -1.0, 1.0)
    return correlation


def most_correlated(
    names: Sequence[str], correlation: NDArray[np.float64]
) -> dict[str, tuple[str, float]]:
    """Return for each of k names the other one with the largest correlation, of either sign."""
    strength = np.where(np.isnan(correlation), -1.0, np.abs(correlation))
    np.fill_diagonal(strength, -1.0)
    found = {}
    for name, row, values in zip(names, strength, correlation, strict=True):
        best = int(row.argmax())
        found[name] = (names[best], float(values[best])) if row[best] >= 0 else ("", math.nan)
    return found
