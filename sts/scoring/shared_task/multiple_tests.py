"""The correction of p-values when several hypotheses are tested at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values: rejecting those up to α errs at all with a probability of at most α.

    The smallest of n is multiplied by n, the next by n − 1, and so on, and none may be below one
    that was smaller (Holm, 1979, A simple sequentially rejective multiple test procedure).

    Args:
        p_values: of n tests, in any order.

    Returns:
        The n adjusted values in the same order, at most 1.
    """
    p = np.asarray(p_values, np.float64)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return [float(p) for p in np.minimum(adjusted, 1.0)]
