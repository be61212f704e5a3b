"""How much of a matrix two boosted regressors make use of, column by column."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from features.regressors.boosting import Boosting
from runs.studies.ledger import Value
from runs.studies.matrices import Matrix

Library = Literal["sklearn", "lightgbm"]

BOOSTER = Boosting()
"""The settings of both boosters, whatever the run: the two libraries are to be compared."""


def boost(matrix: Matrix, gold: NDArray[np.float64], seed: int, library: Library) -> Value:
    """What one library's booster makes of an (n, k) matrix and (n,) gold scores.

    A column without values is of no use; where single values are missing, the
    median stands in, as in the fusion.

    Returns:
        ``gain``: k shares of the training error that the splits of a column took
        away, from 0 to 1, which is Gini importance; ``splits``: k shares of the splits.
        Either sums to 1, or is all 0 if no tree splits.
    """
    booster = clone(BOOSTER).set_params(library=library, random_state=seed).fit(fill(matrix), gold)
    return {"gain": _share(booster.gain_), "splits": _share(booster.splits_)}


def fill(matrix: Matrix) -> Matrix:
    """The median of the column for NaN; 0 in a column that has no value."""
    filled = matrix.copy()
    for column in filled.T:
        missing = np.isnan(column)
        column[missing] = 0.0 if missing.all() else np.median(column[~missing])
    return filled


def _share(amounts: NDArray[Any]) -> list[float]:
    total = amounts.sum()
    return [float(amount / total) if total else 0.0 for amount in amounts]
