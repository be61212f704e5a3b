"""Columns brought to one scale, as Ridge and SVR need them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

FARTHEST = 4.0
"""Standard deviations at which a value is clipped: beyond, linear and kernel models extrapolate."""


@dataclass(frozen=True)
class Standardiser:
    """Brings each column to mean 0 and standard deviation 1 over the training pairs.

    Attributes:
        mean: (k,) means of the training pairs.
        scale: (k,) their standard deviations; 1 for a constant column, which becomes 0.
    """

    mean: NDArray[np.float64]
    scale: NDArray[np.float64]

    @classmethod
    def of(cls, matrix: Matrix) -> Standardiser:
        """The standardiser of an (n, k) training matrix."""
        deviation = matrix.std(axis=0)
        return cls(matrix.mean(axis=0), np.where(deviation > 1e-9, deviation, 1.0))

    def __call__(self, matrix: Matrix) -> Matrix:
        """The (n, k) matrix on that scale, clipped to ±4 standard deviations."""
        return np.clip((matrix - self.mean) / self.scale, -FARTHEST, FARTHEST)
