"""What every regressor here is: scikit-learn's checks around a fitted record of arrays."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from features.regressors.fitted import Matrix


class ArrayRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A regressor of scikit-learn. A kind of regressor says in ``_fit`` what it fits.

    Attributes:
        fitted_: what ``fit`` found; it scores without scikit-learn.
    """

    fitted_: Any
    _allow_nan = False
    _fewest = 1
    """Pairs to fit to."""

    def __sklearn_tags__(self) -> Any:
        """Whether NaN is allowed."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._allow_nan
        return tags

    def fit(self, X: Matrix, y: NDArray[np.float64]) -> Self:
        """Fit to an (n, k) matrix and (n,) gold scores.

        Raises:
            ValueError: too few pairs, lengths that differ, or a value that is no finite number.
        """
        options = self._checked(self._fewest)
        X, y = validate_data(self, X, y, y_numeric=True, **options)
        self.fitted_ = self._fit(X, np.asarray(y, np.float64))
        return self

    def predict(self, X: Matrix) -> NDArray[np.float64]:
        """Scores (n,) of an (n, k) matrix; only those of an ensemble are clipped to [0, 5].

        Raises:
            NotFittedError: it is not fitted.
            ValueError: another number of columns than in training, or as above.
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, **self._checked(0))
        scores: NDArray[np.float64] = self.fitted_.predict(X)
        return scores

    def _fit(self, X: Matrix, y: NDArray[np.float64]) -> Any:
        raise NotImplementedError

    def _checked(self, rows: int) -> dict[str, Any]:
        """Options of scikit-learn's ``validate_data``."""
        finite = "allow-nan" if self._allow_nan else True
        return {"dtype": np.float64, "ensure_all_finite": finite, "ensure_min_samples": rows}
