"""Support vector regression with a Gaussian kernel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin

from features.regressors.standardise import Matrix, Standardiser
from features.regressors.validation import Tensors, scoring_data, training_data

_ROWS = 256
"""Rows of a block of the kernel matrix."""


class SVR(RegressorMixin, BaseEstimator):  # type: ignore[misc]
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
        self.standardiser_ = Standardiser.of(X)
        model = svm.SVR(C=self.C, epsilon=self.epsilon, gamma=self.gamma, cache_size=1000)
        model.fit(self.standardiser_(X), y)
        self.support_vectors_ = model.support_vectors_.astype(np.float32)
        self.dual_coef_ = model.dual_coef_[0].astype(np.float32)
        self.intercept_ = float(model.intercept_[0])
        return self

    def predict(self, X: Matrix) -> NDArray[np.float64]:
        """Scores (n,), not clipped."""
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

        X = scoring_data(self, X)
        rows = self.standardiser_(X).astype(np.float32)
        starts = range(0, len(rows), _ROWS)
        with threadpool_limits(1):  # split among threads, a product rounds by their number
            blocks = [self._sum_kernels(rows[start : start + _ROWS]) for start in starts]
        return np.concatenate(blocks) + self.intercept_

    def _sum_kernels(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """(n,) Σ coefficient · kernel over the support vectors, for n ≤ ``_ROWS`` rows.

        The rows are padded to a full block: a product of matrices of another shape is added up
        in another order, and a pair would have another score in another file.
        """
        block = np.zeros((_ROWS, rows.shape[1]), np.float32)
        block[: len(rows)] = rows
        squares = (self.support_vectors_**2).sum(axis=1)
        products = block @ self.support_vectors_.T
        distances = (block**2).sum(axis=1)[:, None] + squares - 2 * products
        kernels = np.exp(-self.gamma * np.maximum(distances, 0))
        return np.asarray((kernels @ self.dual_coef_)[: len(rows)], np.float64)

    def tensors(self) -> Tensors:
        """What is fitted, as arrays by name."""
        return {
            "mean": self.standardiser_.mean,
            "scale": self.standardiser_.scale,
            "support_vectors": self.support_vectors_,
            "dual_coef": self.dual_coef_,
            "intercept": np.array([self.intercept_]),
        }

    def restore(self, tensors: Tensors) -> SVR:
        """Become the regressor that :meth:`tensors` was called on.

        Raises:
            KeyError: a tensor is missing.
        """
        self.standardiser_ = Standardiser(tensors["mean"], tensors["scale"])
        self.support_vectors_, self.dual_coef_ = tensors["support_vectors"], tensors["dual_coef"]
        self.intercept_ = float(tensors["intercept"][0])
        self.n_features_in_ = self.support_vectors_.shape[1]
        return self
