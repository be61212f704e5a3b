"""Gradient boosting, by LightGBM or by scikit-learn, the paper's own."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin

from features.regressors.tree_arrays import Trees

Matrix = NDArray[np.float64]


class Boosting(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Boosted regression trees over feature columns without NaN.

    Args:
        regressor: ``sklearn`` (GradientBoostingRegressor, the paper's, footnote 3)
            or ``lightgbm``.
        trees: boosting rounds.
        learning_rate: shrinkage of each round.
        depth: of a tree.
        leaf: fewest pairs in a leaf.
        subsample: share of the pairs that each round sees.
        features: share of the columns that each split (sklearn) or tree (lightgbm) may use.
        seed: of both samplings.
    """

    def __init__(
        self,
        regressor: Literal["sklearn", "lightgbm"] = "lightgbm",
        trees: int = 600,
        learning_rate: float = 0.02,
        depth: int = 4,
        leaf: int = 20,
        subsample: float = 0.5,
        features: float = 0.3,
        seed: int = 0,
    ) -> None:
        self.regressor = regressor
        self.trees = trees
        self.learning_rate = learning_rate
        self.depth = depth
        self.leaf = leaf
        self.subsample = subsample
        self.features = features
        self.seed = seed

    def fit(self, matrix: Matrix, gold: NDArray[np.float64]) -> Boosting:
        """Fit to an (n, k) matrix and (n,) gold scores."""
        model = self._new_model().fit(matrix, gold)
        boosted = self.regressor == "lightgbm"
        self.model_: Any = model.booster_ if boosted else Trees.of_boosting(model)
        return self

    def predict(self, matrix: Matrix) -> NDArray[np.float64]:
        """Scores (n,), not clipped."""
        threads = {"num_threads": 1} if self.regressor == "lightgbm" else {}
        return np.asarray(self.model_.predict(matrix, **threads), np.float64)

    @property
    def gain_(self) -> NDArray[np.float64]:
        """(k,) the error that each column's splits took away: Gini importance for ``sklearn``."""
        if self.regressor == "sklearn":
            gain: NDArray[np.float64] = self.model_.gain
            return gain
        return np.asarray(self.model_.feature_importance("gain"), np.float64)

    @property
    def splits_(self) -> NDArray[np.int64]:
        """(k,) how many splits each column has."""
        if self.regressor == "sklearn":
            inner = self.model_.left >= 0
            return np.bincount(self.model_.column[inner], minlength=len(self.model_.gain))
        return np.asarray(self.model_.feature_importance("split"), np.int64)

    def _new_model(self) -> Any:
        if self.regressor == "sklearn":
            from sklearn.ensemble import GradientBoostingRegressor

            return GradientBoostingRegressor(
                n_estimators=self.trees,
                learning_rate=self.learning_rate,
                max_depth=self.depth,
                min_samples_leaf=self.leaf,
                subsample=self.subsample,
                max_features=self.features,
                random_state=self.seed,
            )
        from lightgbm import LGBMRegressor

        return LGBMRegressor(
            n_estimators=self.trees,
            learning_rate=self.learning_rate,
            max_depth=self.depth,
            num_leaves=2**self.depth,
            min_child_samples=self.leaf,
            subsample=self.subsample,
            subsample_freq=1,
            colsample_bytree=self.features,
            random_state=self.seed,
            deterministic=True,
            force_row_wise=True,
            n_jobs=1,  # the sums, and so the trees, must not depend on the number of cores
            verbose=-1,
        )

    def tensors(self) -> dict[str, NDArray[Any]]:
        """What is fitted, as arrays: of scikit-learn's trees all, of LightGBM's their text."""
        if self.regressor == "sklearn":
            return dict(self.model_.tensors())
        text = self.model_.model_to_string().encode()
        return {"text": np.frombuffer(text, np.uint8)}

    def restore(self, tensors: dict[str, NDArray[Any]]) -> Boosting:
        """Become what :meth:`tensors` was taken from.

        Raises:
            ValueError, TypeError, KeyError: the tensors are not whole.
        """
        if self.regressor == "sklearn":
            self.model_ = Trees(**tensors)
        else:
            from lightgbm import Booster

            # LightGBM ends the process at text that is not whole: whoever read it has checked it.
            self.model_ = Booster(model_str=tensors["text"].tobytes().decode())
        return self
