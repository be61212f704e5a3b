"""Regressors of different kinds, averaged. It knows no feature by name.

Regressors of one kind make similar errors; the errors of linear, tree and kernel models differ,
so that their mean is better than the best of them (Breiman, 1996, *Stacked regressions*).
``docs/fusion.md`` has the figures behind the choice of parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin, clone

from features.regressors.boosting import Boosting
from features.regressors.extra_trees import ExtraTrees
from features.regressors.fitted import FittedEnsemble, Matrix, OneColumn, Part
from features.regressors.ridge import Ridge, SimpleRegression
from features.regressors.svr import SVR
from features.regressors.validation import ArrayRegressor, scoring_data, training_data

REGRESSORS: dict[str, type[ArrayRegressor]] = {
    "boosting": Boosting,
    "extra-trees": ExtraTrees,
    "svr": SVR,
    "ridge": Ridge,
}
"""The regressors of an ensemble, by the name that a recipe has for them."""


class Ensemble(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """The mean of several regressors over feature columns, clipped to [0, 5].

    A column that is NaN for every training pair is left out. Where a single value is NaN, for
    example because a resource is not installed, the median of the training pairs replaces it.

    Args:
        parts: the regressors, not fitted; each has the same weight. None: LightGBM alone.
        anchor: place of a column whose simple regression is blended in, or None.
        blend_weight: weight w of that regression: (mean + w · regression) / (1 + w).
    """

    def __init__(
        self,
        parts: Sequence[ArrayRegressor] | None = None,
        anchor: int | None = None,
        blend_weight: float = 0.0,
    ) -> None:
        self.parts = parts
        self.anchor = anchor
        self.blend_weight = blend_weight

    def __sklearn_tags__(self) -> Any:
        """NaN is allowed."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X: Matrix, y: NDArray[np.float64]) -> Ensemble:
        """Fit to an (n, k) matrix and (n,) gold scores in [0, 5]."""
        X, y = training_data(self, X, y, allow_nan=True)
        used = np.flatnonzero(~np.isnan(X).all(axis=0)).astype(np.int32)
        medians = np.nanmedian(X[:, used], axis=0)
        fitted = FittedEnsemble(X.shape[1], used, medians, (), self.anchor, self.blend_weight)
        filled = fitted.fill(X)
        parts = [clone(p).fit(filled, y) for p in self.parts or (Boosting(),)]
        self.fitted_ = replace(
            fitted,
            parts=tuple(Part(type(p).__name__, p.get_params(), p.fitted_) for p in parts),
            anchored=self._anchored(used, filled, y),
        )
        return self

    def _anchored(
        self, used: NDArray[np.int32], filled: Matrix, y: NDArray[np.float64]
    ) -> OneColumn | None:
        """The regression on the anchor; None without an anchor that is used."""
        if self.anchor is None or self.anchor not in used:
            return None
        place = int(np.flatnonzero(used == self.anchor)[0])
        anchored: OneColumn = SimpleRegression(place).fit(filled, y).fitted_
        return anchored

    def predict(self, X: Matrix) -> NDArray[np.float64]:
        """Scores (n,) in [0, 5] for an (n, k) matrix."""
        X = scoring_data(self, X, allow_nan=True, rows=0)
        return self.fitted_.predict(X)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """(k,) see :attr:`FittedEnsemble.importances`."""
        return self.fitted_.importances
