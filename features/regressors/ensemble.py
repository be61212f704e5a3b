"""Estimators of scikit-learn over feature columns, and the mean of several of them.

No estimator knows a feature by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from semaniacs.features.regressors.fitted import (
    Conflicts,
    FittedEnsemble,
    Matrix,
    OneColumn,
    Part,
)
from semaniacs.features.regressors.saved_ensemble import (
    LightgbmTrees,
    LogisticTrees,
    Tree,
    Trees,
    join,
)
from semaniacs.sts.data.pairs import HIGHEST, clip
from semaniacs.sts.errors import ValuesError
from semaniacs.sts.progress import track


class ArrayRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A regressor of scikit-learn. A kind of regressor says in ``_fit`` what it fits.

    Attributes:
        fitted_: what ``fit`` found; it scores without scikit-learn.
    """

    fitted_: Any
    _allow_nan = False
    _fewest = 1
    """Pairs to fit to."""

    def __sklearn_tags__(self) -> Any:
        """Whether NaN is allowed."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._allow_nan
        return tags

    def fit(self, X: Matrix, y: NDArray[np.float64]) -> Self:
        """Fit to an (n, k) matrix and (n,) gold scores."""
        options = self._checked(self._fewest)
        X, y = validate_data(self, X, y, y_numeric=True, **options)
        self.fitted_ = self._fit(X, np.asarray(y, np.float64))
        return self

    def predict(self, X: Matrix) -> NDArray[np.float64]:
        """Scores (n,) of an (n, k) matrix; only those of an ensemble are clipped to [0, 5]."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, **self._checked(0))
        scores: NDArray[np.float64] = self.fitted_.predict(X)
        return scores

    def _fit(self, X: Matrix, y: NDArray[np.float64]) -> Any:
        raise NotImplementedError

    def _checked(self, rows: int) -> dict[str, Any]:
        """Options of scikit-learn's ``validate_data``."""
        finite = "allow-nan" if self._allow_nan else True
        return {"dtype": np.float64, "ensure_all_finite": finite, "ensure_min_samples": rows}


@dataclass(eq=False, repr=False)
class SimpleRegression(ArrayRegressor):
    """Least squares over one column: a feature that holds on pairs unlike those of the training."""

    column: int = 0

    def __sklearn_tags__(self) -> Any:
        """One column predicts poorly in general."""
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags

    def _fit(self, X: Matrix, y: NDArray[np.float64]) -> OneColumn:
        values = X[:, self.column]
        centred = values - values.mean()
        spread = float(centred @ centred)
        slope = float(centred @ y) / spread if spread > 0 else 0.0
        intercept = float(y.mean() - slope * values.mean())
        return OneColumn(self.column, np.array([slope]), np.array([intercept]))


@dataclass(eq=False, repr=False)
class Boosting(ArrayRegressor):
    """Gradient boosted regression trees over columns without NaN.

    Args:
        library: ``lightgbm``, or ``sklearn`` for GradientBoostingRegressor (Hokamp and Arora,
            2016, footnote 3).
        objective: ``squared`` error, or ``logistic``, by LightGBM alone: the cross-entropy of
            gold / 5, a probability; predictions are 5 times a probability.
        subsample: share of the pairs that each round is fitted to.
        max_features: share of the columns that each split (sklearn) or tree (lightgbm) may use.
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
        return boosting_trees(GradientBoostingRegressor(**options).fit(X, y))

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


REGRESSORS: dict[str, type[ArrayRegressor]] = {"boosting": Boosting}
"""The regressors of an ensemble, by the name that a recipe has for them."""


@dataclass(eq=False, repr=False)
class Ensemble(ArrayRegressor):
    """The mean of several regressors over feature columns, clipped to [0, 5].

    A column that is NaN for every training pair is left out. Where a single value is NaN, for
    example because a resource is not installed, the median of the training pairs replaces it.

    Args:
        parts: the regressors, not fitted; each has the same weight. None: LightGBM alone.
        anchors: places of columns the mean of whose simple regressions is blended in.
        blend_weight: weight w of that mean: (mean of the parts + w · it) / (1 + w).
        conflicts: lower the score at last; no part of what is learned.
    """

    parts: Sequence[ArrayRegressor] | None = None
    anchors: tuple[int, ...] = ()
    blend_weight: float = 0.0
    conflicts: tuple[Conflicts, ...] = ()

    _allow_nan = True

    def _fit(self, X: Matrix, y: NDArray[np.float64]) -> FittedEnsemble:
        used = np.flatnonzero(~np.isnan(X).all(axis=0)).astype(np.int32)
        medians = np.nanmedian(X[:, used], axis=0)
        fitted = FittedEnsemble(X.shape[1], used, medians, (), self.anchors, self.blend_weight)
        filled = fitted.fill(X)
        to_fit = track(self.parts or (Boosting(),), "fitting", "regressors")
        parts = [clone(p).fit(filled, y) for p in to_fit]
        return replace(
            fitted,
            parts=tuple(Part(type(p).__name__, p.get_params(), p.fitted_) for p in parts),
            anchored=tuple(
                SimpleRegression(place).fit(filled, y).fitted_ for place in fitted.anchor_places
            ),
            conflicts=self.conflicts,
        )


# Trees of scikit-learn as arrays


def boosting_trees(model: Any) -> Trees:
    """Return the trees of a ``GradientBoostingRegressor``: its start, plus a step each."""
    trees = []
    for tree in (estimator.tree_ for estimator in model.estimators_[:, 0]):
        children = tree.children_left, tree.children_right
        values = _below(tree.threshold), tree.value.ravel() * model.learning_rate
        trees.append(Tree(*children, tree.feature, *values))
    gain = np.asarray(model.feature_importances_, np.float64)
    return Trees(**join(trees), start=np.array([model.init_.constant_.item()]), gain=gain)


def _below(thresholds: NDArray[np.float64]) -> NDArray[np.float32]:
    """The largest float32 ≤ each threshold: a float32 is ≤ one just if it is ≤ the other."""
    nearest = thresholds.astype(np.float32)
    lower = np.nextafter(nearest, np.float32(-np.inf))
    return np.where(nearest > thresholds, lower, nearest)
