"""Linear regression: ridge over all columns, and least squares over one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from features.regressors.fitted import Linear, Matrix, OneColumn, mean_and_scale, standardise
from features.regressors.validation import ArrayRegressor


@dataclass(eq=False, repr=False)
class Ridge(ArrayRegressor):
    """scikit-learn's ridge regression over standardised columns without NaN.

    Args:
        alpha: weight of the penalty on the squared coefficients.
    """

    alpha: float = 1000.0

    def _fit(self, X: Matrix, y: NDArray[np.float64]) -> Linear:
        from sklearn import linear_model

        scaling = mean_and_scale(X)
        model = linear_model.Ridge(self.alpha).fit(standardise(X, *scaling), y)
        return Linear(*scaling, model.coef_, np.array([model.intercept_]))


@dataclass(eq=False, repr=False)
class SimpleRegression(ArrayRegressor):
    """Least squares over one column: a feature that holds on pairs unlike those of the training.

    Args:
        column: its place in the matrix.
    """

    column: int = 0

    def __sklearn_tags__(self) -> Any:
        """One column predicts poorly in general."""
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags

    def _fit(self, X: Matrix, y: NDArray[np.float64]) -> OneColumn:
        values = X[:, self.column]
        centred = values - values.mean()
        spread = float(centred @ centred)
        slope = float(centred @ y) / spread if spread > 0 else 0.0
        intercept = float(y.mean() - slope * values.mean())
        return OneColumn(self.column, np.array([slope]), np.array([intercept]))
