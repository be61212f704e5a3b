"""Regressors of different kinds, averaged. It knows no feature by name.

Regressors of one kind make similar errors; the errors of linear, tree and kernel models differ,
so that their mean is better than the best of them (Breiman, 1996, *Stacked regressions*).
``docs/fusion.md`` has the figures behind the choice of parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from features.regressors.boosting import Boosting
from features.regressors.conflicts import Conflicts
from features.regressors.extra_trees import ExtraTrees
from features.regressors.fitted import FittedEnsemble, Matrix, Part
from features.regressors.ridge import Ridge, SimpleRegression
from features.regressors.svr import SVR
from features.regressors.validation import ArrayRegressor
from sts.progress import track

REGRESSORS: dict[str, type[ArrayRegressor]] = {
    "boosting": Boosting,
    "extra-trees": ExtraTrees,
    "svr": SVR,
    "ridge": Ridge,
}
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
    conflicts: Conflicts | None = None

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

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """(k,) see :attr:`FittedEnsemble.importances`."""
        importances: NDArray[np.float64] = self.fitted_.importances
        return importances
