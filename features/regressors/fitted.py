"""What a fitted ensemble is: arrays, and how they score. No library that fits is needed here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from features.regressors.standardise import Standardiser
from sts.scoring.submission import clip

Matrix = NDArray[np.float64]
Tensors = dict[str, NDArray[Any]]

_ROWS = 256
"""Rows of a block of the kernel matrix."""


class Scorer(Protocol):
    """A fitted regressor."""

    def predict(self, matrix: Matrix) -> NDArray[np.float64]:
        """Scores (n,), not clipped, of an (n, k) matrix without NaN."""
        ...

    def tensors(self) -> Tensors:
        """What is fitted, as arrays by name."""
        ...


@dataclass(frozen=True)
class Linear:
    """A weighted sum of standardised columns."""

    standardiser: Standardiser
    coef: NDArray[np.float64]
    intercept: float

    @classmethod
    def of(cls, tensors: Tensors) -> Linear:
        """What :meth:`tensors` wrote."""
        standardiser = Standardiser(tensors["mean"], tensors["scale"])
        return cls(standardiser, tensors["coef"], float(tensors["intercept"][0]))

    def predict(self, matrix: Matrix) -> NDArray[np.float64]:
        """Scores (n,), not clipped."""
        # A product of matrices adds up in an order that depends on the number of rows.
        sums = np.einsum("nk,k->n", self.standardiser(matrix), self.coef)
        return np.asarray(sums + self.intercept, np.float64)

    def tensors(self) -> Tensors:
        """What is fitted, as arrays by name."""
        scaled = {"mean": self.standardiser.mean, "scale": self.standardiser.scale}
        return scaled | {"coef": self.coef, "intercept": np.array([self.intercept])}


@dataclass(frozen=True)
class OneColumn:
    """A line through one column."""

    column: int
    coef: float
    intercept: float

    @classmethod
    def of(cls, column: int, tensors: Tensors) -> OneColumn:
        """What :meth:`tensors` wrote."""
        return cls(column, float(tensors["coef"][0]), float(tensors["intercept"][0]))

    def predict(self, matrix: Matrix) -> NDArray[np.float64]:
        """Scores (n,), not clipped."""
        return matrix[:, self.column] * self.coef + self.intercept

    def tensors(self) -> Tensors:
        """What is fitted, as arrays by name."""
        return {"coef": np.array([self.coef]), "intercept": np.array([self.intercept])}


@dataclass(frozen=True)
class KernelSum:
    """A weighted sum of Gaussian kernels exp(−gamma ‖x − y‖²) around support vectors."""

    standardiser: Standardiser
    support_vectors: NDArray[np.float32]
    dual_coef: NDArray[np.float32]
    intercept: float
    gamma: float

    @classmethod
    def of(cls, gamma: float, tensors: Tensors) -> KernelSum:
        """What :meth:`tensors` wrote."""
        standardiser = Standardiser(tensors["mean"], tensors["scale"])
        arrays = tensors["support_vectors"], tensors["dual_coef"]
        return cls(standardiser, *arrays, float(tensors["intercept"][0]), gamma)

    def predict(self, matrix: Matrix) -> NDArray[np.float64]:
        """Scores (n,), not clipped."""
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

        rows = self.standardiser(matrix).astype(np.float32)
        starts = range(0, len(rows), _ROWS)
        with threadpool_limits(1):  # split among threads, a product rounds by their number
            blocks = [self._sum_kernels(rows[start : start + _ROWS]) for start in starts]
        return np.concatenate(blocks) + self.intercept

    def _sum_kernels(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """(n,) Σ coefficient · kernel over the support vectors, for n ≤ ``_ROWS`` rows.

        The rows are padded to a full block: a product of matrices of another shape is added up
        in another order, and a pair would have another score in another file.
        """
        block = np.zeros((_ROWS, rows.shape[1]), np.float32)
        block[: len(rows)] = rows
        squares = (self.support_vectors**2).sum(axis=1)
        products = block @ self.support_vectors.T
        distances = (block**2).sum(axis=1)[:, None] + squares - 2 * products
        kernels = np.exp(-self.gamma * np.maximum(distances, 0))
        return np.asarray((kernels @ self.dual_coef)[: len(rows)], np.float64)

    def tensors(self) -> Tensors:
        """What is fitted, as arrays by name."""
        return {
            "mean": self.standardiser.mean,
            "scale": self.standardiser.scale,
            "support_vectors": self.support_vectors,
            "dual_coef": self.dual_coef,
            "intercept": np.array([self.intercept]),
        }


@dataclass(frozen=True)
class Part:
    """A regressor of an ensemble.

    Attributes:
        kind, options: of the estimator that it was fitted by: its class and its arguments.
        scorer: what was fitted.
    """

    kind: str
    options: Mapping[str, Any]
    scorer: Scorer


@dataclass(frozen=True)
class FittedEnsemble:
    """The mean of several regressors over feature columns, clipped to [0, 5].

    Attributes:
        width: k, the number of columns.
        used: the columns that some training pair had a value for.
        medians: of the used columns over the training pairs; they stand in for NaN.
        parts: the regressors, over the used columns.
        anchor: place of the column whose simple regression is blended in, or None.
        blend_weight: weight w of that regression: (mean + w · regression) / (1 + w).
        anchored: the regression; None without an anchor that is used.
    """

    width: int
    used: NDArray[np.int32]
    medians: NDArray[np.float64]
    parts: tuple[Part, ...]
    anchor: int | None = None
    blend_weight: float = 0.0
    anchored: OneColumn | None = None

    def predict(self, matrix: Matrix) -> NDArray[np.float64]:
        """Scores (n,) in [0, 5] of an (n, k) matrix.

        Raises:
            ValueError: the matrix has another number of columns than in training.
        """
        if matrix.shape[1] != self.width:
            raise ValueError(f"X has {matrix.shape[1]} features, but Ensemble is expecting "
                             f"{self.width} features as input")  # fmt: skip
        if not len(matrix):
            return np.empty(0)
        filled = self.fill(matrix)
        scores = np.mean([part.scorer.predict(filled) for part in self.parts], axis=0)
        if self.anchored is not None:
            anchored = self.anchored.predict(filled)
            scores = (scores + self.blend_weight * anchored) / (1 + self.blend_weight)
        return clip(scores)

    def fill(self, matrix: Matrix) -> Matrix:
        """The used columns of an (n, k) matrix, medians in place of NaN."""
        used = matrix[:, self.used]
        return np.where(np.isnan(used), self.medians, used)

    @property
    def reference(self) -> NDArray[np.float64]:
        """(k,) the medians of the training pairs; NaN for a column that was left out."""
        reference = np.full(self.width, np.nan)
        reference[self.used] = self.medians
        return reference

    @property
    def importances(self) -> NDArray[np.float64]:
        """(k,) mean share of the gain of each column, over the parts that are trees.

        Gini importance where the trees are scikit-learn's; 0 if no part is a tree.
        """
        gains = [part.scorer.gain for part in self.parts if hasattr(part.scorer, "gain")]
        shares = [gain / gain.sum() for gain in gains if gain.any()]  # no split, no gain
        importances = np.zeros(self.width)
        if shares:
            importances[self.used] = np.mean(shares, axis=0)
        return importances
