"""Linear regression: ridge over all columns, and least squares over one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin

from features.regressors.standardise import Matrix, Standardiser
from features.regressors.validation import Tensors, scoring_data, training_data


class Ridge(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """scikit-learn's ridge regression over standardised columns without NaN.

    Args:
        alpha: weight of the penalty on the squared coefficients.
    """

    def __init__(self, alpha: float = 1000.0) -> None:
        self.alpha = alpha

    def fit(self, X: Matrix, y: NDArray[np.float64]) -> Ridge:
        """Fit to an (n, k) matrix and (n,) gold scores."""
        from sklearn import linear_model

        X, y = training_data(self, X, y)
        self.standardiser_ = Standardiser.of(X)
        model = linear_model.Ridge(self.alpha).fit(self.standardiser_(X), y)
        self.coef_, self.intercept_ = model.coef_, float(model.intercept_)
        return self

    def predict(self, X: Matrix) -> NDArray[np.float64]:
        """Scores (n,), not clipped."""
        X = scoring_data(self, X)
        rows = self.standardiser_(X)
        # A product of matrices adds up in an order that depends on the number of rows.
        sums = np.einsum("nk,k->n", rows, self.coef_)
        return np.asarray(sums + self.intercept_, np.float64)

    def tensors(self) -> Tensors:
        """What is fitted, as arrays by name."""
        return {
            "mean": self.standardiser_.mean,
            "scale": self.standardiser_.scale,
            "coef": self.coef_,
            "intercept": np.array([self.intercept_]),
        }

    def restore(self, tensors: Tensors) -> Ridge:
        """Become the regressor that :meth:`tensors` was called on.

        Raises:
            KeyError: a tensor is missing.
        """
        self.standardiser_ = Standardiser(tensors["mean"], tensors["scale"])
        self.coef_, self.intercept_ = tensors["coef"], float(tensors["intercept"][0])
        self.n_features_in_ = len(self.coef_)
        return self


class SimpleRegression(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Least squares over one column: a feature that holds on pairs unlike those of the training.

    Args:
        column: its place in the matrix.
    """

    def __init__(self, column: int = 0) -> None:
        self.column = column

    def __sklearn_tags__(self) -> Any:
        """One column predicts poorly in general."""
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags

    def fit(self, X: Matrix, y: NDArray[np.float64]) -> SimpleRegression:
        """Fit to an (n, k) matrix and (n,) gold scores."""
        X, y = training_data(self, X, y)
        values = X[:, self.column]
        centred = values - values.mean()
        spread = float(centred @ centred)
        self.coef_ = float(centred @ y) / spread if spread > 0 else 0.0
        self.intercept_ = float(y.mean() - self.coef_ * values.mean())
        return self

    def predict(self, X: Matrix) -> NDArray[np.float64]:
        """Scores (n,), not clipped."""
        return scoring_data(self, X)[:, self.column] * self.coef_ + self.intercept_

    def tensors(self) -> Tensors:
        """What is fitted, as arrays by name."""
        return {"coef": np.array([self.coef_]), "intercept": np.array([self.intercept_])}

    def restore(self, tensors: Tensors) -> SimpleRegression:
        """Become the regressor that :meth:`tensors` was called on.

        Raises:
            KeyError: a tensor is missing.
        """
        self.coef_ = float(tensors["coef"][0])
        self.intercept_ = float(tensors["intercept"][0])
        return self
