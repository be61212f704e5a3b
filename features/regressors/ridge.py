"""Linear regression: ridge over all columns, and least squares over one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from features.regressors.fitted import Linear, Matrix, OneColumn
from features.regressors.standardise import Standardiser
from features.regressors.validation import ArrayRegressor, training_data


class Ridge(ArrayRegressor):
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
        standardiser = Standardiser.of(X)
        model = linear_model.Ridge(self.alpha).fit(standardiser(X), y)
        self.fitted_ = Linear(standardiser, model.coef_, float(model.intercept_))
        return self


class SimpleRegression(ArrayRegressor):
    """Least squares over one column: a feature that holds on pairs unlike those of the training.

    Args:
        column: its place in the matrix.
    """

    fitted_: OneColumn

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
        slope = float(centred @ y) / spread if spread > 0 else 0.0
        intercept = float(y.mean() - slope * values.mean())
        self.fitted_ = OneColumn(self.column, slope, intercept)
        return self
