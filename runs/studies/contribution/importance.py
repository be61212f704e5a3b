"""Feature importance by five measures side by side, and which features are alike.

Gini importance (Hokamp and Arora, 2016, Table 4) is the share of the training error that a
column's splits took away in scikit-learn's booster; gain is the same in LightGBM's, and splits
the share of its splits. They are learned from the training pairs alone, and columns that hold the
same information divide the importance among them. Permutation importance is the loss of the
weighted mean of the run's own fusion on the test sets when the column is shuffled among the pairs
of a data set; for a column that another one can replace it is small. So the most correlated other
feature is named, with Spearman's rho of the two over the training pairs. Shapley importance is the
mean absolute Shapley value of the feature over the test pairs, in points of score: how far it moves
a score of the same fusion, in whichever direction (Lundberg and Lee, 2017, section 5, rank so).

A group of features has the sum of its shares, and the mean absolute sum of its Shapley values.

Nothing here depends on the order of the columns: everything is fitted to the columns sorted by
name, and a feature's shuffles are drawn from its name. What is finished is kept in a ledger.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import clone

from features.registry import get_feature
from features.regressors.boosting import Boosting
from features.regressors.ensemble import Ensemble
from features.regressors.shapley import explain
from runs.pipeline.tuning.out_of_fold import Matrix
from runs.studies.contribution.study import Study
from runs.studies.ledger import Ledger, Value, each_once
from runs.studies.workers import each
from sts.cache import key
from sts.data.pairs import Scores
from sts.scoring.correlation import pearson
from sts.scoring.task_score import weighted_mean

REPEATS = 10
"""How often each feature is shuffled."""

ORDERS, PAIRS = 2, 50
"""Orders drawn for each Shapley value, and the pairs of a step of the progress bar."""

CODE = ("runs.studies.contribution.importance:measure_importance", "features.regressors.ensemble")
"""What computes the importances, for their keys."""

Library = Literal["sklearn", "lightgbm"]
BOOSTERS: tuple[Library, ...] = ("sklearn", "lightgbm")

BOOSTER = Boosting()
"""The settings of both boosters, whatever the run: the two libraries are to be compared."""


@dataclass(frozen=True)
class FeatureImportance:
    """The importance of one feature.

    Attributes:
        feature, group: its names.
        gini: share of the training error that its splits took away in scikit-learn's booster.
        gain, splits: share of the gain and of the splits in LightGBM's booster.
        permutation, spread: mean and standard deviation of ``losses``.
        shapley: mean absolute Shapley value over the test pairs, in points of score.
        losses: what the weighted mean of the run's fusion loses with the feature
            shuffled, once a repeat; NaN if it is undefined.
        nearest: the most correlated other feature, empty if there is none.
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
    losses: tuple[float, ...]
    nearest: str
    correlation: float


@dataclass(frozen=True)
class GroupImportance:
    """The importance of a group of features: sums of shares, and its mean absolute Shapley value."""

    group: str
    features: int
    gini: float
    gain: float
    splits: float
    shapley: float


@dataclass(frozen=True)
class Importances:
    """The importance of every feature of a study.

    Attributes:
        whole: weighted mean of the fusion with nothing shuffled.
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
    """Measure the importance of every feature, as far as the ledger does not hold it yet.

    Args:
        study: the matrices.
        ledger: where what is finished is kept.
        jobs: processes, see :func:`runs.studies.workers.each`. The result does not depend on it.
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
    whole, losses, shapley = _measure_fusion(study, columns, ledger, jobs)
    correlation = spearman_matrix(fill(training))
    closest = most_correlated(columns, correlation)
    rows = [
        FeatureImportance(
            name,
            get_feature(name).group,
            shares["sklearn"]["gain"][place],
            shares["lightgbm"]["gain"][place],
            shares["lightgbm"]["splits"][place],
            float(np.mean(losses[name])),
            float(np.std(losses[name])),
            shapley[name],
            losses[name],
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
    groups: dict[str, list[FeatureImportance]] = {}
    for row in rows:
        groups.setdefault(row.group, []).append(row)
    found = [
        GroupImportance(
            group,
            len(own),
            sum(row.gini for row in own),
            sum(row.gain for row in own),
            sum(row.splits for row in own),
            shapley[_GROUP + group],
        )
        for group, own in groups.items()
    ]
    return tuple(sorted(found, key=lambda one: (-one.gini, one.group)))


# --- boosters


def booster_shares(matrix: Matrix, gold: NDArray[np.float64], seed: int, library: Library) -> Value:
    """The share of each column of (n, k) in what a booster learns from (n,) gold scores.

    A column without values has none; where single values are missing, the median stands in,
    as in the fusion.

    Returns:
        ``gain``: k shares of the training error that the splits of a column took
        away, from 0 to 1, which is Gini importance; ``splits``: k shares of the splits.
        Either sums to 1, or is all 0 if no tree splits.
    """
    booster = clone(BOOSTER).set_params(library=library, random_state=seed)
    trees = booster.fit(fill(matrix), gold).fitted_
    return {"gain": _shares(trees.gain), "splits": _shares(trees.splits)}


def fill(matrix: Matrix) -> Matrix:
    """The median of the column for NaN; 0 in a column that has no value."""
    filled = matrix.copy()
    for column in filled.T:
        missing = np.isnan(column)
        column[missing] = 0.0 if missing.all() else np.median(column[~missing])
    return filled


def _shares(amounts: NDArray[Any]) -> list[float]:
    total = amounts.sum()
    return [float(amount / total) if total else 0.0 for amount in amounts]


# --- permutation and Shapley values


_GROUP = "group "
"""Before the name of a group, among those of features."""

Block = tuple[str, int]
"""Name of a test set, and the place of the first of :data:`PAIRS` pairs."""


def _measure_fusion(
    study: Study, columns: Sequence[str], ledger: Ledger, jobs: int
) -> tuple[float, dict[str, tuple[float, ...]], dict[str, float]]:
    """The weighted mean of the fusion; the losses of every feature; the Shapley importances."""
    keys = {name: _key(study, "losses", name) for name in columns}
    sizes = {name: len(matrix) for name, matrix in study.test.items()}
    blocks = [(name, start) for name, size in sizes.items() for start in range(0, size, PAIRS)]
    block_keys = {block: _key(study, "shapley", ORDERS, PAIRS, *block) for block in blocks}
    whole_key = _key(study, "whole")
    if not all(k in ledger for k in (whole_key, *keys.values(), *block_keys.values())):
        work = partial(_fit_and_score, study)
        ((_, (fusion, whole)),) = each(work, [columns], 1, label="fusion", unit="fits")
        if whole_key not in ledger:
            ledger[whole_key] = {"weighted_mean": whole}
        each_once(
            partial(losses_of, study, fusion, columns, whole),
            columns,
            ledger,
            keys.__getitem__,
            jobs=jobs,
            label="shuffling",
            unit="features",
        )
        each_once(
            partial(shapley_sums, study, fusion, columns),
            blocks,
            ledger,
            block_keys.__getitem__,
            jobs=jobs,
            label="Shapley values",
            unit="step",
        )
    losses = {name: tuple(ledger[k]["losses"]) for name, k in keys.items()}
    sums = [ledger[k] for k in block_keys.values()]
    pairs = sum(sizes.values())
    shapley = {name: sum(one[name] for one in sums) / pairs for name in sums[0]}
    return ledger[whole_key]["weighted_mean"], losses, shapley


def shapley_sums(study: Study, fusion: Ensemble, columns: Sequence[str], block: Block) -> Value:
    """Sum over some test pairs of the absolute Shapley value of each feature and each group."""
    name, start = block
    rows = study.test[name][start : start + PAIRS, study.places(columns)]
    found = explain(fusion.fitted_, rows, repeats=ORDERS, seed=study.run.seed).contributions
    groups = np.array([get_feature(column).group for column in columns])
    values = dict(zip(columns, found.T, strict=True))
    for group in sorted(set(groups.tolist())):
        values[_GROUP + group] = found[:, groups == group].sum(axis=1)
    return {what: float(np.abs(parts).sum()) for what, parts in values.items()}


def _key(study: Study, *what: object) -> str:
    """sha256 of everything that a result depends on."""
    return key(*CODE, inputs=(study.digest, what), configuration=BOOSTER.get_params())


def _fit_and_score(study: Study, columns: Sequence[str]) -> tuple[Ensemble, float]:
    """The run's fusion of these columns, and its weighted mean on the test sets."""
    fusion, chosen = study.fit(columns), study.places(columns)
    predicted = {name: fusion.predict(matrix[:, chosen]) for name, matrix in study.test.items()}
    return fusion, _weighted_mean(predicted, study.test_gold)


def losses_of(
    study: Study, fusion: Ensemble, columns: Sequence[str], whole: float, name: str
) -> Value:
    """What ``whole`` loses with one feature shuffled within each data set, ``REPEATS`` times."""
    rng = np.random.default_rng([study.run.seed, crc32(name.encode())])
    chosen, place = study.places(columns), columns.index(name)
    shuffled = {}
    for dataset, matrix in study.test.items():
        copies = np.tile(matrix[:, chosen], (REPEATS, 1, 1))
        for copy in copies:
            rng.shuffle(copy[:, place])
        rows = fusion.predict(copies.reshape(-1, len(chosen)))  # all repeats at once: one call
        shuffled[dataset] = rows.reshape(REPEATS, len(matrix))
    scores = [
        _weighted_mean({dataset: rows[i] for dataset, rows in shuffled.items()}, study.test_gold)
        for i in range(REPEATS)
    ]
    return {"losses": [whole - score for score in scores]}


def _weighted_mean(predicted: Mapping[str, Scores], gold: Mapping[str, Scores]) -> float:
    """The official average over data sets without unscored pairs."""
    correlations = [pearson(predicted[name], scores) for name, scores in gold.items()]
    return weighted_mean(correlations, [len(scores) for scores in gold.values()])


# --- correlation between features


def spearman_matrix(matrix: Matrix) -> NDArray[np.float64]:
    """(k, k) Spearman's rho between the columns of (n, k); NaN beside a constant one."""
    ranks = rankdata(matrix, axis=0)
    centred = ranks - ranks.mean(axis=0)
    lengths = np.sqrt((centred**2).sum(axis=0))
    unit = centred / np.where(lengths > 0, lengths, np.nan)
    correlation: NDArray[np.float64] = np.clip(unit.T @ unit, -1.0, 1.0)
    return correlation


def most_correlated(
    names: Sequence[str], correlation: NDArray[np.float64]
) -> dict[str, tuple[str, float]]:
    """For each of k names, the other one of the largest correlation (k, k), either sign."""
    strength = np.where(np.isnan(correlation), -1.0, np.abs(correlation))
    np.fill_diagonal(strength, -1.0)
    found = {}
    for name, row, values in zip(names, strength, correlation, strict=True):
        best = int(row.argmax())
        found[name] = (names[best], float(values[best])) if row[best] >= 0 else ("", math.nan)
    return found
