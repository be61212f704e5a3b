"""Regressors of different kinds, averaged. It knows no feature by name.

Regressors of one kind make similar errors; the errors of linear, tree and kernel models differ,
so that their mean is better than the best of them (Breiman, 1996, *Stacked regressions*).
``docs/fusion.md`` has the figures behind the choice of parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin, clone

from features.regressors.boosting import Boosting
from features.regressors.ridge import SimpleRegression
from features.regressors.validation import Matrix, Tensors, scoring_data, training_data
from sts.scoring.submission import clip


class Part(Protocol):
    """A regressor that can be saved as arrays."""

    def fit(self, X: Matrix, y: NDArray[np.float64]) -> Part:
        """Fit to an (n, k) matrix without NaN and (n,) gold scores."""
        ...

    def predict(self, X: Matrix) -> NDArray[np.float64]:
        """Scores (n,), not clipped."""
        ...

    def tensors(self) -> Tensors:
        """What is fitted, as arrays by name."""
        ...

    def restore(self, tensors: Tensors) -> Part:
        """Become the regressor that :meth:`tensors` was called on."""
        ...

    def get_params(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        ...


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
        parts: Sequence[Part] | None = None,
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
        self.used_ = np.flatnonzero(~np.isnan(X).all(axis=0)).astype(np.int32)
        self.medians_ = np.nanmedian(X[:, self.used_], axis=0)
        filled = self._filled(X)
        parts = (Boosting(),) if self.parts is None else self.parts
        self.parts_ = [clone(part).fit(filled, y) for part in parts]
        anchored = self.anchor_regression()
        self.anchored_ = None if anchored is None else anchored.fit(filled, y)
        return self

    def anchor_regression(self) -> SimpleRegression | None:
        """The regression on the anchor, not fitted; None without an anchor that is used."""
        if self.anchor is None or self.anchor not in self.used_:
            return None
        return SimpleRegression(int(np.flatnonzero(self.used_ == self.anchor)[0]))

    def _filled(self, X: Matrix) -> Matrix:
        used = X[:, self.used_]
        return np.where(np.isnan(used), self.medians_, used)

    def predict(self, X: Matrix) -> NDArray[np.float64]:
        """Scores (n,) in [0, 5] for an (n, k) matrix."""
        X = scoring_data(self, X, allow_nan=True, rows=0)
        if not len(X):
            return np.empty(0)
        filled = self._filled(X)
        scores = np.mean([part.predict(filled) for part in self.parts_], axis=0)
        if self.anchored_ is not None:
            anchored = self.anchored_.predict(filled)
            scores = (scores + self.blend_weight * anchored) / (1 + self.blend_weight)
        return clip(scores)

    @property
    def reference_(self) -> NDArray[np.float64]:
        """(k,) the medians of the training pairs; NaN for a column that was left out."""
        reference = np.full(self.n_features_in_, np.nan)
        reference[self.used_] = self.medians_
        return reference

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """(k,) mean share of the gain of each column, over the parts that are trees.

        Gini importance where the trees are scikit-learn's; 0 if no part is a tree.
        """
        gains = [part.gain_ for part in self.parts_ if hasattr(part, "gain_")]
        shares = [gain / gain.sum() for gain in gains if gain.any()]  # no split, no gain
        importances = np.zeros(self.n_features_in_)
        if shares:
            importances[self.used_] = np.mean(shares, axis=0)
        return importances
