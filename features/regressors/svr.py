"""Support vector regression with a Gaussian kernel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from features.regressors.fitted import KernelSum, Matrix
from features.regressors.standardise import Standardiser
from features.regressors.validation import ArrayRegressor, training_data


class SVR(ArrayRegressor):
    """scikit-learn's ε-support vector regression over standardised columns without NaN.

    Args:
        C: weight of an error beyond ``epsilon``.
        epsilon: errors up to this size cost nothing.
        gamma: of the kernel exp(−gamma ‖x − y‖²).
    """

    def __init__(self, C: float = 1.0, epsilon: float = 0.2, gamma: float = 0.003) -> None:
        self.C = C
        self.epsilon = epsilon
        self.gamma = gamma

    def fit(self, X: Matrix, y: NDArray[np.float64]) -> SVR:
        """Fit to an (n, k) matrix and (n,) gold scores."""
        from sklearn import svm

        X, y = training_data(self, X, y)
        standardiser = Standardiser.of(X)
        model = svm.SVR(C=self.C, epsilon=self.epsilon, gamma=self.gamma, cache_size=1000)
        model.fit(standardiser(X), y)
        self.fitted_ = KernelSum(
            standardiser,
            model.support_vectors_.astype(np.float32),
            model.dual_coef_[0].astype(np.float32),
            float(model.intercept_[0]),
            self.gamma,
        )
        return self
