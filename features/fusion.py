"""A matrix to scores: the gradient-boosted regressors. Knows no feature by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin

from embeddings.store import FORMAT, read_tensors, to_bytes
from features.trees import Trees
from sts.errors import DataError
from sts.files import sha256_of_bytes, write_bytes
from sts.submission import clip

Matrix = NDArray[np.float64]


class Fusion(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Gradient boosting over feature columns; predictions are clipped to [0, 5].

    A column that is NaN for every training pair is left out. Where a value is
    NaN at scoring time only, because a resource is not installed there, the
    median of the training pairs stands in.

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

    def fit(self, matrix: Matrix, gold: NDArray[np.float64]) -> Fusion:
        """Fit to an (n, k) matrix and (n,) gold scores in [0, 5]."""
        self.n_features_in_ = matrix.shape[1]
        self.used_ = np.flatnonzero(~np.isnan(matrix).all(axis=0)).astype(np.int32)
        self.medians_ = np.nanmedian(matrix[:, self.used_], axis=0)
        model = _new_model(self).fit(self._filled(matrix), gold)
        boosted = self.regressor == "lightgbm"
        self.model_: Any = model.booster_ if boosted else Trees.from_sklearn(model)
        return self

    def _filled(self, matrix: Matrix) -> Matrix:
        used = matrix[:, self.used_]
        return np.where(np.isnan(used), self.medians_, used)

    def predict(self, matrix: Matrix) -> NDArray[np.float64]:
        """Scores (n,) in [0, 5] for an (n, k) matrix."""
        if matrix.shape[1] != self.n_features_in_:
            raise ValueError(f"{matrix.shape[1]} columns, fitted on {self.n_features_in_}")
        if not len(matrix):
            return np.empty(0)
        threads = {"num_threads": 1} if self.regressor == "lightgbm" else {}
        predicted = self.model_.predict(self._filled(matrix), **threads)
        return clip(np.asarray(predicted, np.float64))

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """(k,) share of the total gain of each column: Gini importance for ``sklearn``."""
        if self.regressor == "sklearn":
            gains = self.model_.gain
        else:
            gains = self.model_.feature_importance("gain")
        importances = np.zeros(self.n_features_in_)
        if gains.any():  # no tree splits if all gold scores are one
            importances[self.used_] = gains / gains.sum()
        return importances


def _new_model(fusion: Fusion) -> Any:
    if fusion.regressor == "sklearn":
        from sklearn.ensemble import GradientBoostingRegressor

        return GradientBoostingRegressor(
            n_estimators=fusion.trees,
            learning_rate=fusion.learning_rate,
            max_depth=fusion.depth,
            min_samples_leaf=fusion.leaf,
            subsample=fusion.subsample,
            max_features=fusion.features,
            random_state=fusion.seed,
        )
    from lightgbm import LGBMRegressor

    return LGBMRegressor(
        n_estimators=fusion.trees,
        learning_rate=fusion.learning_rate,
        max_depth=fusion.depth,
        num_leaves=2**fusion.depth,
        min_child_samples=fusion.leaf,
        subsample=fusion.subsample,
        subsample_freq=1,
        colsample_bytree=fusion.features,
        random_state=fusion.seed,
        deterministic=True,
        force_row_wise=True,
        n_jobs=1,  # the sums, and so the trees, must not depend on the number of cores
        verbose=-1,
    )


def save_fusion(path: Path, fusion: Fusion, columns: tuple[str, ...]) -> None:
    """Write a fitted fusion with the names of its columns as one safetensors file."""
    tensors: dict[str, NDArray[Any]] = {"used": fusion.used_, "medians": fusion.medians_}
    metadata = {
        "format": FORMAT,
        "regressor": fusion.regressor,
        "columns": "\n".join(columns),
    }
    if fusion.regressor == "sklearn":
        tensors |= fusion.model_.tensors()
    else:
        metadata["lightgbm"] = text = fusion.model_.model_to_string()
        metadata["sha256"] = sha256_of_bytes(text.encode())
    write_bytes(path, to_bytes(tensors, metadata))


def load_fusion(path: Path) -> tuple[Fusion, tuple[str, ...]]:
    """Read what :func:`save_fusion` wrote: the fusion and its columns.

    Raises:
        DataError: the file is missing or damaged.
    """
    tensors, metadata = read_tensors(path, ("used", "medians"))
    try:
        columns = tuple(metadata["columns"].split("\n"))
        fusion = Fusion(regressor="lightgbm" if metadata["regressor"] == "lightgbm" else "sklearn")
        fusion.n_features_in_ = len(columns)
        fusion.used_, fusion.medians_ = tensors.pop("used"), tensors.pop("medians")
        if fusion.regressor == "sklearn":
            fusion.model_ = Trees(**tensors)
        else:
            fusion.model_ = _read_booster(metadata["lightgbm"], metadata["sha256"])
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"{path}: not a whole fitted fusion ({error!r})") from None
    return fusion, columns


def _read_booster(text: str, sha256: str) -> Any:
    from lightgbm import Booster

    if sha256_of_bytes(text.encode()) != sha256:  # LightGBM would end the process
        raise ValueError("the text of the trees has changed")
    return Booster(model_str=text)
