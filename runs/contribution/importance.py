"""Feature importance by three measures, and which features are alike.

Gini importance (Hokamp and Arora, 2016, Table 4) is the share of the training error that the
splits of a column removed in scikit-learn's booster. It comes from the training pairs alone, and
columns that hold the same information divide the importance among them. Permutation importance is
the loss of the weighted mean of the run's own ensemble when a column is shuffled within each test
set; it is small for a column that another one can replace. So the most correlated other feature is
named, with Spearman's rho over the training pairs. Shapley importance is the mean absolute Shapley
value over the test pairs, in points of score (Lundberg and Lee, 2017, section 5).

A group of features has the sum of its shares, and the mean absolute sum of its Shapley values.
Everything is fitted to the columns sorted by name, so nothing depends on their order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.inspection import permutation_importance

from semaniacs.features.registry import get_feature
from semaniacs.features.regressors.ensemble import Boosting, Ensemble
from semaniacs.features.regressors.fitted import Matrix
from semaniacs.features.regressors.shapley import explain
from semaniacs.runs.contribution.ledger import Ledger, Value, each_once
from semaniacs.runs.contribution.study import Study
from semaniacs.runs.tables.format import signed, text_table
from semaniacs.sts.data.pairs import Scores
from semaniacs.sts.scoring.correlation import pearson
from semaniacs.sts.scoring.task_score import weighted_mean
from semaniacs.sts.tensors import digest

VERSION = 3
"""Version of the results in a ledger; raise it when their meaning changes."""

REPEATS = 10
"""Number of times that each feature is shuffled."""

ORDERS, PAIRS = 2, 50
"""Orders drawn for each Shapley value, and pairs per step of the progress bar."""

BOOSTER = Boosting(library="sklearn")
"""Settings of the booster, whatever the run."""


@dataclass(frozen=True)
class FeatureImportance:
    """Importance of one feature.

    Attributes:
        feature, group: its names.
        gini: share of the training error that its splits removed.
        permutation, spread: mean and standard deviation over the repeats of the loss of the
            weighted mean when the feature is shuffled; NaN if it is undefined.
        shapley: mean absolute Shapley value over the test pairs, in points of score.
        nearest: the most correlated other feature; None if there is none.
        correlation: Spearman's rho of the two over the training pairs; NaN if there is none.
    """

    feature: str
    group: str
    gini: float
    permutation: float
    spread: float
    shapley: float
    nearest: str | None
    correlation: float


@dataclass(frozen=True)
class GroupImportance:
    """Importance of a group of features: sum of shares, and its mean absolute Shapley value."""

    group: str
    features: int
    gini: float
    shapley: float


@dataclass(frozen=True)
class Importances:
    """Importance of every feature and group, the largest Gini importance first.

    ``whole`` is the weighted mean of the ensemble with nothing shuffled.
    """

    whole: float
    rows: tuple[FeatureImportance, ...]
    groups: tuple[GroupImportance, ...]


def measure_importance(
    study: Study, ledger: Ledger, jobs: int = 1, booster: Boosting = BOOSTER
) -> Importances:
    """Measure the importance of every feature, except what the ledger has already.

    ``booster`` gives the Gini importance. The result does not depend on the number of jobs.
    """
    study = study.scored()
    columns = sorted(study.columns)
    training = fill(study.training[:, study.places(columns)])
    booster = clone(booster).set_params(random_state=study.run.seed)

    def key(*what: object) -> str:
        return digest((VERSION, study.digest, what, sorted(booster.get_params().items())))

    gini = gini_shares(booster, training, study.gold)
    fusion = study.fit(columns)
    found = each_once(
        partial(losses_on, study, fusion, columns),
        list(study.test),
        ledger,
        lambda name: key("permutation", REPEATS, name),
        jobs=jobs,
        label="shuffling",
        unit="data sets",
    )
    sizes = [len(study.test_gold[name]) for name in found]
    whole = weighted_mean([value["pearson"] for value in found.values()], sizes)
    losses = np.average([value["losses"] for value in found.values()], axis=0, weights=sizes)
    blocks = [(n, start) for n, test in study.test.items() for start in range(0, len(test), PAIRS)]
    sums = each_once(
        partial(shapley_sums, study, fusion, columns),
        blocks,
        ledger,
        lambda block: key("shapley", ORDERS, PAIRS, block),
        jobs=jobs,
        label="Shapley values",
        unit="step",
    ).values()
    shapley = {name: sum(one[name] for one in sums) / sum(sizes) for name in next(iter(sums))}
    closest = most_correlated(columns, spearman_matrix(training))
    rows = [
        FeatureImportance(
            name,
            get_feature(name).group,
            gini[place],
            float(np.mean(losses[place])),
            float(np.std(losses[place])),
            shapley[name],
            *closest[name],
        )
        for place, name in enumerate(columns)
    ]
    rows.sort(key=lambda row: -row.gini)
    groups = []
    for group in sorted({row.group for row in rows}):
        shares = [row.gini for row in rows if row.group == group]
        groups.append(GroupImportance(group, len(shares), sum(shares), shapley[GROUP + group]))
    groups.sort(key=lambda one: -one.gini)
    return Importances(whole, tuple(rows), tuple(groups))


def gini_shares(booster: Boosting, matrix: Matrix, gold: NDArray[np.float64]) -> list[float]:
    """Return the share of each column of (n, k) in what a booster learns from (n,) gold scores.

    The shares sum to 1, or are all 0 if no tree splits.
    """
    gain = clone(booster).fit(matrix, gold).fitted_.gain
    shares: list[float] = (gain / (gain.sum() or 1.0)).tolist()
    return shares


def fill(matrix: Matrix) -> Matrix:
    """Replace NaN by the median of its column, or by 0 in a column without values."""
    filled: Matrix = SimpleImputer(strategy="median", keep_empty_features=True).fit_transform(
        matrix
    )
    return filled


def losses_on(study: Study, fusion: Ensemble, columns: Sequence[str], name: str) -> Value:
    """Return Pearson's r on a test set, and what it loses with each column shuffled."""
    matrix, gold = study.test[name][:, study.places(columns)], study.test_gold[name]
    found = permutation_importance(
        fusion, matrix, gold, scoring=_pearson, n_repeats=REPEATS, random_state=study.run.seed
    )
    return {"pearson": _pearson(fusion, matrix, gold), "losses": found.importances.tolist()}


def _pearson(fusion: Ensemble, matrix: Matrix, gold: Scores) -> float:
    return pearson(fusion.predict(matrix), gold)


GROUP = "group "
"""Prefix of the names of groups among those of features."""


def shapley_sums(
    study: Study, fusion: Ensemble, columns: Sequence[str], block: tuple[str, int]
) -> Value:
    """Return the sum over :data:`PAIRS` test pairs of absolute Shapley values, also by group.

    ``block`` is the name of a test set and the place of the first pair.
    """
    name, start = block
    rows = study.test[name][start : start + PAIRS, study.places(columns)]
    found = explain(fusion.fitted_, rows, repeats=ORDERS, seed=study.run.seed).contributions
    groups = np.array([get_feature(column).group for column in columns])
    values = dict(zip(columns, found.T, strict=True))
    for group in sorted(set(groups.tolist())):
        values[GROUP + group] = found[:, groups == group].sum(axis=1)
    return {what: float(np.abs(parts).sum()) for what, parts in values.items()}


def spearman_matrix(matrix: Matrix) -> NDArray[np.float64]:
    """Return (k, k) Spearman's rho between the columns of (n, k); NaN beside a constant one."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.atleast_2d(np.corrcoef(rankdata(matrix, axis=0), rowvar=False))


def most_correlated(
    names: Sequence[str], correlation: NDArray[np.float64]
) -> dict[str, tuple[str | None, float]]:
    """Return for each of k names the other one with the largest correlation, of either sign."""
    strength = np.where(np.isnan(correlation), -1.0, np.abs(correlation))
    np.fill_diagonal(strength, -1.0)
    found: dict[str, tuple[str | None, float]] = {}
    for name, row, values in zip(names, strength, correlation, strict=True):
        best = int(row.argmax())
        found[name] = (names[best], float(values[best])) if row[best] >= 0 else (None, math.nan)
    return found


def importance_table(found: Importances) -> str:
    """Return the printed tables: one row per group, then one row per feature."""
    groups = [
        (one.group, str(one.features), f"{one.gini:.4f}", f"{one.shapley:.4f}")
        for one in found.groups
    ]
    features = [
        (
            row.feature,
            row.group,
            f"{row.gini:.4f}",
            signed(row.permutation),
            f"{row.spread:.4f}",
            f"{row.shapley:.4f}",
            row.nearest or "none",
            signed(row.correlation, 3),
        )
        for row in found.rows
    ]
    headers = [[one.name for one in fields(kind)] for kind in (GroupImportance, FeatureImportance)]
    return f"{text_table(headers[0], groups)}\n\n{text_table(headers[1], features)}"


def importance_json(study: Study, found: Importances) -> dict[str, Any]:
    """Return the content of importance.json.

    It begins with :attr:`.Study.origin` and the settings of the booster. ``weighted_mean`` is that
    of the ensemble fitted to the columns sorted by name, which may differ a little from the run's.
    """
    return study.origin | {
        "booster": BOOSTER.get_params(),
        "repeats": REPEATS,
        "weighted_mean": found.whole,
        "groups": [asdict(one) for one in found.groups],
        "features": [asdict(row) for row in found.rows],
    }
