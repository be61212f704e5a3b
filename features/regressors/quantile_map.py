"""Columns of another language, mapped to the values that they have in English.

A column rarely has the same distribution in two languages: German has fewer and longer words
than English, so the same change of order breaks other counts. Each value is replaced by the value
at its quantile among English pairs (quantile matching, also called histogram matching), which
needs pairs of the other language but no label: an adaptation without supervision, as is CORAL
(Sun et al., 2016, Return of Frustratingly Easy Domain Adaptation), here a column at a time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semaniacs.features.regressors.fitted import Column, Matrix

KNOTS = 201  # quantiles that are kept of a column: every half percent

Quantiles = NDArray[np.float32]


def quantiles_of(matrix: Matrix) -> Quantiles:
    """(201, k) the quantiles of the columns of an (n, k) matrix without NaN, lowest first."""
    return np.asarray(np.quantile(matrix, np.linspace(0, 1, KNOTS), axis=0), np.float32)


@dataclass(frozen=True)
class QuantileMap:
    """A rising function of each column; between two quantiles it is a straight line.

    Attributes:
        source: (q, k) quantiles at even levels from 0 to 1 of the pairs that are mapped.
        target: (q, k) those of the pairs whose values are wanted.
    """

    source: Quantiles
    target: Quantiles

    def __call__(self, matrix: Matrix) -> Matrix:
        """The (n, k) matrix with each value at its quantile; outside the source, at its ends."""
        columns = zip(matrix.T.astype(np.float32), self.source.T, self.target.T, strict=True)
        mapped = [_map(values, source, target) for values, source, target in columns]
        return np.stack(mapped, axis=1).astype(np.float64)


def _map(values: NDArray[np.float32], source: Quantiles, target: Quantiles) -> Column:
    places = np.arange(len(source), dtype=np.float64)
    first = np.searchsorted(source, values, "left")
    after = np.searchsorted(source, values, "right")
    # A value that many pairs share has the middle of their ranks.
    place = np.where(after > first, (first + after - 1) / 2, np.interp(values, source, places))
    mapped: Column = np.interp(place, places, target)
    return mapped
