"""Extremely randomised trees (Geurts et al., 2006): deep trees, drawn apart and averaged."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin

from features.regressors.tree_arrays import Trees

Matrix = NDArray[np.float64]


class Forest(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """scikit-learn's ExtraTreesRegressor over feature columns without NaN.

    Args:
        trees: how many are averaged.
        leaf: fewest pairs in a leaf.
        features: share of the columns that each split may use.
        seed: of the draws.
    """

    def __init__(
        self, trees: int = 100, leaf: int = 10, features: float = 0.33, seed: int = 0
    ) -> None:
        self.trees = trees
        self.leaf = leaf
        self.features = features
        self.seed = seed

    def fit(self, matrix: Matrix, gold: NDArray[np.float64]) -> Forest:
        """Fit to an (n, k) matrix and (n,) gold scores."""
        from sklearn.ensemble import ExtraTreesRegressor

        model = ExtraTreesRegressor(
            self.trees,
            min_samples_leaf=self.leaf,
            max_features=self.features,
            random_state=self.seed,
            n_jobs=-1,  # each tree has a seed of its own, whoever grows it
        )
        self.model_ = Trees.of_forest(model.fit(matrix, gold))
        return self

    def predict(self, matrix: Matrix) -> NDArray[np.float64]:
        """Scores (n,)."""
        return self.model_.predict(matrix)

    @property
    def gain_(self) -> NDArray[np.float64]:
        """(k,) Gini importance."""
        return self.model_.gain

    def tensors(self) -> dict[str, NDArray[Any]]:
        """What is fitted, as arrays."""
        return self.model_.tensors()

    def restore(self, tensors: dict[str, NDArray[Any]]) -> Forest:
        """Become what :meth:`tensors` was taken from.

        Raises:
            TypeError: the tensors are not whole.
        """
        self.model_ = Trees(**tensors)
        return self
