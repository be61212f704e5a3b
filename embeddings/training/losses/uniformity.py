"""Metrics of how sentence vectors are distributed on the sphere (Wang and Isola, 2020)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

AT_ONCE = 1024
"""Rows that are compared with all others at once."""


def alignment(left: NDArray[np.float32], right: NDArray[np.float32]) -> float:
    """Mean of ‖u − v‖² over paraphrases, from unit vectors (n, dim); from 0 to 4, low is close."""
    return float(((left.astype(np.float64) - right) ** 2).sum(axis=1).mean())


def uniformity(vectors: NDArray[np.float32]) -> float:
    """log of the mean of exp(−2 ‖u − v‖²) over all two of (n, dim) unit vectors; low is spread.

    From −8 to 0, the value of vectors that are all the same.
    """
    total, exact = 0.0, vectors.astype(np.float64)
    n = len(exact)
    for begin in range(0, n, AT_ONCE):
        distances = 2 - 2 * exact[begin : begin + AT_ONCE] @ exact.T
        total += float(np.exp(-2 * np.maximum(distances, 0)).sum())
    return float(np.log((total - n) / (n * (n - 1))))
