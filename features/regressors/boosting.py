"""Gradient boosting, by LightGBM or by scikit-learn (the paper's)."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from features.regressors.fitted import Matrix
from features.regressors.lightgbm_trees import LightgbmTrees
from features.regressors.tree_arrays import Trees
from features.regressors.validation import ArrayRegressor, training_data


class Boosting(ArrayRegressor):
    """Gradient boosted regression trees over columns without NaN.

    Args:
        library: ``lightgbm``, or ``sklearn`` for GradientBoostingRegressor (Hokamp and Arora,
            2016, footnote 3).
        n_estimators: boosting rounds.
        learning_rate: shrinkage of each round.
        max_depth: of a tree.
        min_samples_leaf: fewest pairs in a leaf.
        subsample: share of the pairs that each round is fitted to.
        max_features: share of the columns that each split (sklearn) or tree (lightgbm) may use.
        random_state: seed of both samplings.
    """

    def __init__(
        self,
        library: Literal["sklearn", "lightgbm"] = "lightgbm",
        n_estimators: int = 600,
        learning_rate: float = 0.02,
        max_depth: int = 4,
        min_samples_leaf: int = 20,
        subsample: float = 0.5,
        max_features: float = 0.3,
        random_state: int = 0,
    ) -> None:
        self.library = library
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.subsample = subsample
        self.max_features = max_features
        self.random_state = random_state

    def fit(self, X: Matrix, y: NDArray[np.float64]) -> Boosting:
        """Fit to an (n, k) matrix and (n,) gold scores."""
        X, y = training_data(self, X, y, rows=2)  # half of one pair is none
        model = self._new_model().fit(X, y)
        if self.library == "sklearn":
            self.fitted_ = Trees.of_boosting(model)
        else:
            text = model.booster_.model_to_string().encode()
            self.fitted_ = LightgbmTrees.of_text(np.frombuffer(text, np.uint8))
        return self

    def _new_model(self) -> Any:
        if self.library == "sklearn":
            from sklearn.ensemble import GradientBoostingRegressor

            return GradientBoostingRegressor(
                n_estimators=self.n_estimators,
                learning_rate=self.learning_rate,
                max_depth=self.max_depth,
                min_samples_leaf=self.min_samples_leaf,
                subsample=self.subsample,
                max_features=self.max_features,
                random_state=self.random_state,
            )
        from lightgbm import LGBMRegressor

        return LGBMRegressor(
            n_estimators=self.n_estimators,
            learning_rate=self.learning_rate,
            max_depth=self.max_depth,
            num_leaves=2**self.max_depth,
            min_child_samples=self.min_samples_leaf,
            subsample=self.subsample,
            subsample_freq=1,
            colsample_bytree=self.max_features,
            random_state=self.random_state,
            deterministic=True,
            force_row_wise=True,
            n_jobs=1,  # the sums, and so the trees, must not depend on the number of cores
            verbose=-1,
        )
