"""Small formulas that several families share."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def f1(precision: float, recall: float) -> float:
    """Harmonic mean of two numbers in [0, 1]; 0 if both are 0."""
    total = precision + recall
    return 2 * precision * recall / total if total > 0 else 0.0


def compressed_count(*counts: int) -> float:
    """log(1 + Σ counts): how many there are, large numbers counting less and less."""
    return math.log1p(sum(counts))


def relative_differences(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """|a − b| / max(a, b) of (n,) numbers each, in [0, 1]; 0 where both are 0."""
    largest = np.maximum(a, b)
    return np.divide(np.abs(a - b), largest, out=np.zeros(len(a)), where=largest > 0)
