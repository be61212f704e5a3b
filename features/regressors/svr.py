"""Regressors without steps: lines, and a sum of bells around known pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin

Matrix = NDArray[np.float64]
Tensors = dict[str, NDArray[Any]]

FARTHEST = 4.0
"""Standard deviations to which a feature is clipped: beyond, both would run away."""

_ROWS = 256
"""Rows of a block."""


class Standard:
    """Columns brought to mean 0 and deviation 1 over the training pairs, outliers clipped."""

    def __init__(self, mean: NDArray[np.float64], deviation: NDArray[np.float64]) -> None:
        self.mean, self.deviation = mean, deviation

    @classmethod
    def of(cls, matrix: Matrix) -> Standard:
        """The scale of an (n, k) matrix; constant columns are left at 0."""
        deviation = matrix.std(axis=0)
        return cls(matrix.mean(axis=0), np.where(deviation > 1e-9, deviation, 1.0))

    def __call__(self, matrix: Matrix) -> Matrix:
        """Rows (n, k) on that scale."""
        return np.clip((matrix - self.mean) / self.deviation, -FARTHEST, FARTHEST)


class Line(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Ridge regression over standardised columns without NaN.

    Args:
        penalty: on the squared weights, scikit-learn's ``alpha``.
    """

    def __init__(self, penalty: float = 1000.0) -> None:
        self.penalty = penalty

    def fit(self, matrix: Matrix, gold: NDArray[np.float64]) -> Line:
        """Fit to an (n, k) matrix and (n,) gold scores."""
        from sklearn.linear_model import Ridge

        self.scale_ = Standard.of(matrix)
        model = Ridge(self.penalty).fit(self.scale_(matrix), gold)
        self.weights_, self.start_ = model.coef_, float(model.intercept_)
        return self

    def predict(self, matrix: Matrix) -> NDArray[np.float64]:
        """Scores (n,), not clipped."""
        # Not a product of matrices: that is added up by how many rows there are.
        sums = np.einsum("nk,k->n", self.scale_(matrix), self.weights_)
        return np.asarray(sums + self.start_, np.float64)

    def tensors(self) -> Tensors:
        """What is fitted, as arrays."""
        return {
            "mean": self.scale_.mean,
            "deviation": self.scale_.deviation,
            "weights": self.weights_,
            "start": np.array([self.start_]),
        }

    def restore(self, tensors: Tensors) -> Line:
        """Become what :meth:`tensors` was taken from.

        Raises:
            KeyError: the tensors are not whole.
        """
        self.scale_ = Standard(tensors["mean"], tensors["deviation"])
        self.weights_, self.start_ = tensors["weights"], float(tensors["start"][0])
        return self


class Anchor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A line over one column alone: a feature that holds where the training pairs are no guide.

    Args:
        column: its place in the matrix.
    """

    def __init__(self, column: int = 0) -> None:
        self.column = column

    def fit(self, matrix: Matrix, gold: NDArray[np.float64]) -> Anchor:
        """Fit to an (n, k) matrix and (n,) gold scores, by least squares."""
        values = matrix[:, self.column]
        centred = values - values.mean()
        spread = float(centred @ centred)
        self.slope_ = float(centred @ gold) / spread if spread > 0 else 0.0
        self.start_ = float(gold.mean() - self.slope_ * values.mean())
        return self

    def predict(self, matrix: Matrix) -> NDArray[np.float64]:
        """Scores (n,), not clipped."""
        return matrix[:, self.column] * self.slope_ + self.start_

    def tensors(self) -> Tensors:
        """What is fitted, as arrays."""
        return {"line": np.array([self.slope_, self.start_])}

    def restore(self, tensors: Tensors) -> Anchor:
        """Become what :meth:`tensors` was taken from.

        Raises:
            KeyError, ValueError: the tensors are not whole.
        """
        self.slope_, self.start_ = map(float, tensors["line"])
        return self


class Kernel(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Support vector regression with a Gaussian kernel over standardised columns without NaN.

    Args:
        cost: of an error beyond ``tolerance``, scikit-learn's ``C``.
        tolerance: errors up to which cost nothing, ``epsilon``.
        width: ``gamma`` of the kernel exp(−γ ‖x − y‖²).
    """

    def __init__(self, cost: float = 1.0, tolerance: float = 0.2, width: float = 0.003) -> None:
        self.cost = cost
        self.tolerance = tolerance
        self.width = width

    def fit(self, matrix: Matrix, gold: NDArray[np.float64]) -> Kernel:
        """Fit to an (n, k) matrix and (n,) gold scores."""
        from sklearn.svm import SVR

        self.scale_ = Standard.of(matrix)
        model = SVR(C=self.cost, epsilon=self.tolerance, gamma=self.width, cache_size=1000)
        model.fit(self.scale_(matrix), gold)
        self.vectors_ = model.support_vectors_.astype(np.float32)
        self.weights_ = model.dual_coef_[0].astype(np.float32)
        self.start_ = float(model.intercept_[0])
        return self

    def predict(self, matrix: Matrix) -> NDArray[np.float64]:
        """Scores (n,), not clipped."""
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

        rows = self.scale_(matrix).astype(np.float32)
        starts = range(0, len(rows), _ROWS)
        with threadpool_limits(1):  # split among threads, a product rounds by their number
            blocks = [self._sum(rows[start : start + _ROWS]) for start in starts]
        return np.concatenate(blocks) + self.start_

    def _sum(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """Σ weight · bell, always of a full block of rows: products of matrices of another shape
        are added up in another order, and a pair would have another score in another file.
        """
        block = np.zeros((_ROWS, rows.shape[1]), np.float32)
        block[: len(rows)] = rows
        squares = (self.vectors_**2).sum(axis=1)
        distances = (block**2).sum(axis=1)[:, None] + squares - 2 * (block @ self.vectors_.T)
        bells = np.exp(-self.width * np.maximum(distances, 0))
        return np.asarray((bells @ self.weights_)[: len(rows)], np.float64)

    def tensors(self) -> Tensors:
        """What is fitted, as arrays."""
        return {
            "mean": self.scale_.mean,
            "deviation": self.scale_.deviation,
            "vectors": self.vectors_,
            "weights": self.weights_,
            "start": np.array([self.start_]),
            "width": np.array([self.width]),
        }

    def restore(self, tensors: Tensors) -> Kernel:
        """Become what :meth:`tensors` was taken from.

        Raises:
            KeyError: the tensors are not whole.
        """
        self.scale_ = Standard(tensors["mean"], tensors["deviation"])
        self.vectors_, self.weights_ = tensors["vectors"], tensors["weights"]
        self.start_, self.width = float(tensors["start"][0]), float(tensors["width"][0])
        return self
