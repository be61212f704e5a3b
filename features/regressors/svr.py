"""Support vector regression with a Gaussian kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from features.regressors.fitted import STEP, KernelSum, Matrix, mean_and_scale, standardise
from features.regressors.validation import ArrayRegressor


@dataclass(eq=False, repr=False)
class SVR(ArrayRegressor):
    """scikit-learn's ε-support vector regression over standardised columns without NaN.

    The training values are rounded to about 1/32 of a standard deviation: then the support vectors,
    which are most of what is saved, take a byte a value.

    Args:
        C: weight of an error beyond ``epsilon``.
        epsilon: errors up to this size cost nothing.
        gamma: of the kernel exp(−gamma ‖x − y‖²).
    """

    C: float = 1.0
    epsilon: float = 0.2
    gamma: float = 0.003

    def _fit(self, X: Matrix, y: NDArray[np.float64]) -> KernelSum:
        from sklearn import svm

        scaling = mean_and_scale(X)
        model = svm.SVR(**self.get_params(), cache_size=1000)
        rounded = np.rint(standardise(X, *scaling) / STEP)
        model.fit(rounded * STEP, y)
        vectors = rounded[model.support_].astype(np.int8)
        weights = model.dual_coef_[0].astype(np.float32)
        return KernelSum(*scaling, vectors, weights, model.intercept_, self.gamma)
