"""Gradient boosting, by LightGBM or by scikit-learn (the paper's)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from features.regressors.fitted import Matrix
from features.regressors.lightgbm_trees import LightgbmTrees, LogisticTrees
from features.regressors.tree_arrays import Trees
from features.regressors.validation import ArrayRegressor
from sts.data.pairs import HIGHEST
from sts.errors import ValuesError
from sts.scoring.submission import clip


@dataclass(eq=False, repr=False)
class Boosting(ArrayRegressor):
    """Gradient boosted regression trees over columns without NaN.

    Args:
        library: ``lightgbm``, or ``sklearn`` for GradientBoostingRegressor (Hokamp and Arora,
            2016, footnote 3).
        objective: ``squared`` error, or ``logistic``, by LightGBM alone: the cross-entropy of
            gold / 5, a probability; predictions are 5 times a probability.
        n_estimators: boosting rounds.
        learning_rate: shrinkage of each round.
        max_depth: of a tree.
        min_samples_leaf: fewest pairs in a leaf.
        subsample: share of the pairs that each round is fitted to.
        max_features: share of the columns that each split (sklearn) or tree (lightgbm) may use.
        random_state: seed of both samplings.
    """

    library: Literal["sklearn", "lightgbm"] = "lightgbm"
    objective: Literal["squared", "logistic"] = "squared"
    n_estimators: int = 600
    learning_rate: float = 0.02
    max_depth: int = 4
    min_samples_leaf: int = 20
    subsample: float = 0.5
    max_features: float = 0.3
    random_state: int = 0

    _fewest = 2  # half of one pair is none

    def _fit(self, X: Matrix, y: NDArray[np.float64]) -> Trees:
        if self.library == "lightgbm":
            return self._by_lightgbm(X, y)
        if self.objective != "squared":
            raise ValuesError(f"objective {self.objective!r} is LightGBM's; expected 'squared'")
        return self._by_sklearn(X, y)

    def _by_sklearn(self, X: Matrix, y: NDArray[np.float64]) -> Trees:
        from sklearn.ensemble import GradientBoostingRegressor

        options = self.get_params()
        del options["library"], options["objective"]
        return Trees.of_boosting(GradientBoostingRegressor(**options).fit(X, y))

    def _by_lightgbm(self, X: Matrix, y: NDArray[np.float64]) -> LightgbmTrees:
        from lightgbm import LGBMRegressor

        logistic = self.objective == "logistic"
        model = LGBMRegressor(
            objective="cross_entropy" if logistic else "regression",
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
        if logistic:
            y = clip(y) / HIGHEST
        text = model.fit(X, y).booster_.model_to_string().encode()
        kind = LogisticTrees if logistic else LightgbmTrees
        return kind.of_text(np.frombuffer(text, np.uint8))
