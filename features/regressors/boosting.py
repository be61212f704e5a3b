"""Gradient boosting, by LightGBM or by scikit-learn (the paper's)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from features.regressors.fitted import Matrix
from features.regressors.lightgbm_trees import LightgbmTrees
from features.regressors.tree_arrays import Trees
from features.regressors.validation import ArrayRegressor


@dataclass(eq=False, repr=False)
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

    library: Literal["sklearn", "lightgbm"] = "lightgbm"
    n_estimators: int = 600
    learning_rate: float = 0.02
    max_depth: int = 4
    min_samples_leaf: int = 20
    subsample: float = 0.5
    max_features: float = 0.3
    random_state: int = 0

    _fewest = 2  # half of one pair is none

    def _fit(self, X: Matrix, y: NDArray[np.float64]) -> Trees:
        return self._by_sklearn(X, y) if self.library == "sklearn" else self._by_lightgbm(X, y)

    def _by_sklearn(self, X: Matrix, y: NDArray[np.float64]) -> Trees:
        from sklearn.ensemble import GradientBoostingRegressor

        options = self.get_params()
        del options["library"]
        return Trees.of_boosting(GradientBoostingRegressor(**options).fit(X, y))

    def _by_lightgbm(self, X: Matrix, y: NDArray[np.float64]) -> LightgbmTrees:
        from lightgbm import LGBMRegressor

        model = LGBMRegressor(
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
        text = model.fit(X, y).booster_.model_to_string().encode()
        return LightgbmTrees.of_text(np.frombuffer(text, np.uint8))
