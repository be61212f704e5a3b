"""What every regressor here is: scikit-learn's checks around a fitted record of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from features.regressors.fitted import Matrix, Scorer


class ArrayRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A regressor over columns without NaN.

    Attributes:
        fitted_: what ``fit`` found; it scores without scikit-learn.
    """

    fitted_: Scorer

    def predict(self, X: Matrix) -> NDArray[np.float64]:
        """Scores (n,), not clipped, of an (n, k) matrix."""
        X = scoring_data(self, X)
        return self.fitted_.predict(X)


def training_data(
    estimator: Any, matrix: Any, gold: Any, *, allow_nan: bool = False, rows: int = 1
) -> tuple[Matrix, NDArray[np.float64]]:
    """The (n, k) matrix and the (n,) gold scores as float64; sets ``n_features_in_``.

    Raises:
        ValueError: there are fewer pairs than ``rows``, the lengths differ, or a value is not
            a finite number (NaN is allowed in the matrix if ``allow_nan``).
    """
    finite = "allow-nan" if allow_nan else True
    matrix, gold = validate_data(
        estimator,
        matrix,
        gold,
        dtype=np.float64,
        ensure_all_finite=finite,
        ensure_min_samples=rows,
        y_numeric=True,
    )
    return matrix, np.asarray(gold, np.float64)


def scoring_data(estimator: Any, matrix: Any, *, allow_nan: bool = False, rows: int = 1) -> Matrix:
    """The (n, k) matrix as float64.

    Args:
        estimator: a fitted regressor.
        matrix: what was given to ``predict``.
        allow_nan: whether a value may be NaN.
        rows: the fewest that there must be.

    Raises:
        NotFittedError: the estimator is not fitted.
        ValueError: the matrix has another number of columns than in training, or as above.
    """
    check_is_fitted(estimator)
    finite = "allow-nan" if allow_nan else True
    checked: Matrix = validate_data(
        estimator,
        matrix,
        reset=False,
        dtype=np.float64,
        ensure_all_finite=finite,
        ensure_min_samples=rows,
    )
    return checked
