"""Pearson's r and Spearman's rho."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from semaniacs.sts.data.pairs import Scores


def pearson(a: Scores, b: Scores) -> float:
    """Return Pearson's r of two (n,) arrays, in [-1, 1]; NaN if either is constant or n < 2."""
    if a.shape != b.shape:
        raise ValueError(f"shapes differ: {a.shape} and {b.shape}")
    if len(a) < 2 or np.all(a == a[0]) or np.all(b == b[0]):
        return float("nan")
    a, b = _centred(a), _centred(b)
    r = (a @ b) / np.sqrt((a @ a) * (b @ b))
    return float(np.clip(r, -1.0, 1.0))  # unlike min and max, this leaves a NaN a NaN


def spearman(a: Scores, b: Scores) -> float:
    """Return Spearman's rho: Pearson's r of the ranks; tied values share their average rank."""
    return pearson(average_ranks(a), average_ranks(b))


def average_ranks(values: Scores) -> Scores:
    """Return (n,) ranks from 1, equal values share their mean; all NaN if a value is NaN."""
    if np.isnan(values).any():
        return np.full(len(values), np.nan)
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: Scores = (last - (counts - 1) / 2)[places]
    return ranks


class CentredRows(NamedTuple):
    """Rows of an (m, n) array, each minus its mean.

    Attributes:
        rows: (m, n), each row divided by a power of two of its own.
        squares: (m,) sums of squares; NaN where all values of a row are the same.
    """

    rows: Scores
    squares: Scores

    @classmethod
    def of(cls, values: Scores) -> CentredRows:
        """Centre (m, n) values, n at least 1."""
        rows = _centred(values)
        constant = np.all(values == values[:, :1], axis=1)
        return cls(rows, np.where(constant, np.nan, (rows * rows).sum(axis=1)))


def pearson_by_row(a: CentredRows, b: CentredRows) -> NDArray[np.float64]:
    """Return (m,) Pearson's r of the rows of two (m, n) arrays, NaN where a row is constant."""
    r: NDArray[np.float64] = (a.rows * b.rows).sum(axis=1) / np.sqrt(a.squares * b.squares)
    return r


def _centred(values: Scores) -> Scores:
    """Return values minus their mean along the last axis, divided by a power of two.

    The division brings the largest value between 1/2 and 1, so that products of very small or
    very large values neither underflow nor overflow. It changes no digit of r.
    """
    _, exponent = np.frexp(np.abs(values).max(axis=-1, keepdims=True))
    scaled = np.ldexp(values, -exponent)
    centred: Scores = scaled - scaled.mean(axis=-1, keepdims=True)
    return centred
