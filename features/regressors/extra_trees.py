"""Extremely randomised trees (Geurts et al., 2006): deep trees on random splits, averaged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from features.regressors.fitted import Matrix
from features.regressors.tree_arrays import Trees
from features.regressors.validation import ArrayRegressor


@dataclass(eq=False, repr=False)
class ExtraTrees(ArrayRegressor):
    """scikit-learn's ExtraTreesRegressor over columns without NaN.

    Args:
        n_estimators: number of trees.
        min_samples_leaf: fewest pairs in a leaf.
        max_features: share of the columns that each split may use.
        random_state: seed of the random splits.
    """

    n_estimators: int = 100
    min_samples_leaf: int = 10
    max_features: float = 0.33
    random_state: int = 0

    def _fit(self, X: Matrix, y: NDArray[np.float64]) -> Trees:
        from sklearn.ensemble import ExtraTreesRegressor

        # Each tree has its own seed, so that the threads do not change the result.
        model = ExtraTreesRegressor(**self.get_params(), n_jobs=-1)
        return Trees.of_forest(model.fit(X, y))
