"""Extremely randomised trees (Geurts et al., 2006): deep trees on random splits, averaged."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from features.regressors.fitted import Matrix
from features.regressors.tree_arrays import Trees
from features.regressors.validation import ArrayRegressor, training_data


class ExtraTrees(ArrayRegressor):
    """scikit-learn's ExtraTreesRegressor over columns without NaN.

    Args:
        n_estimators: number of trees.
        min_samples_leaf: fewest pairs in a leaf.
        max_features: share of the columns that each split may use.
        random_state: seed of the random splits.
    """

    def __init__(
        self,
        n_estimators: int = 100,
        min_samples_leaf: int = 10,
        max_features: float = 0.33,
        random_state: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.random_state = random_state

    def fit(self, X: Matrix, y: NDArray[np.float64]) -> ExtraTrees:
        """Fit to an (n, k) matrix and (n,) gold scores."""
        from sklearn.ensemble import ExtraTreesRegressor

        X, y = training_data(self, X, y)
        model = ExtraTreesRegressor(
            self.n_estimators,
            min_samples_leaf=self.min_samples_leaf,
            max_features=self.max_features,
            random_state=self.random_state,
            n_jobs=-1,  # each tree has its own seed, so the threads do not change the result
        )
        self.fitted_ = Trees.of_forest(model.fit(X, y))
        return self
