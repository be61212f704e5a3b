"""The regressors of an ensemble, by the name that a recipe has for them."""

from __future__ import annotations

from features.regressors.boosting import Boosting
from features.regressors.extra_trees import ExtraTrees
from features.regressors.ridge import Ridge
from features.regressors.svr import SVR
from features.regressors.validation import ArrayRegressor

REGRESSORS: dict[str, type[ArrayRegressor]] = {
    "boosting": Boosting,
    "extra-trees": ExtraTrees,
    "svr": SVR,
    "ridge": Ridge,
}
