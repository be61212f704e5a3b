"""Prediction intervals around a score, which contain the gold of 90 % of such pairs.

The residuals (gold − score) of pairs that a model had not learned from are sorted into up to ten
bins by score. Their quantiles, interpolated between the bins, are the interval (Vovk et al., 2005,
*Algorithmic Learning in a Random World*, section 4.5: conformal prediction by categories). Folds
hold whole sources of data, because a user's text is of a new kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from semaniacs.sts.data.pairs import HIGHEST, LOWEST, Scores
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.files import write_bytes
from semaniacs.sts.tensors import FORMAT, check_finite, is_sealed, read_tensors, seal, to_bytes

LEVEL = 0.9
"""Share of pairs whose gold an interval should contain."""

PROBABILITIES = np.arange(1, 100) / 100
"""Probabilities of the quantiles that are stored."""

_MOST_BINS = 10

_OF_A_BIN = 50
"""Fewest pairs per bin, if there are several."""

FEWEST = 20
"""Fewest pairs to fit intervals to."""


@dataclass(frozen=True)
class Intervals:
    """Quantiles of the residuals by score.

    Attributes:
        centres: (b,) mean score of each bin.
        residuals: (b, 99) quantiles of gold − score, see :data:`PROBABILITIES`.

    Raises:
        ValueError: the shapes do not match, or a value is not finite.
    """

    centres: NDArray[np.float64]
    residuals: NDArray[np.float64]

    def __post_init__(self) -> None:
        bins = len(self.centres)
        shapes = [self.centres.shape, self.residuals.shape]
        if not bins or shapes != [(bins,), (bins, len(PROBABILITIES))]:
            raise ValueError(
                f"{shapes}: expected b bins and {len(PROBABILITIES)} quantiles of each"
            )
        check_finite(self.residuals, "residuals")
        check_finite(self.centres, "centres")

    @classmethod
    def fit(cls, scores: Scores, gold: Scores) -> Intervals:
        """Fit to (n,) scores of pairs that their model had not learned from, and their gold.

        The quantiles are those of n + 1 values, as conformal prediction asks.

        Raises:
            StsError: fewer than twenty pairs.
        """
        if len(scores) < FEWEST:
            raise StsError(f"{len(scores)} pairs are too few for intervals; expected {FEWEST}")
        several = min(_MOST_BINS, max(1, len(scores) // _OF_A_BIN))
        bins = np.array_split(np.argsort(scores, kind="stable"), several)
        quantiles = [
            np.quantile(gold[b] - scores[b], PROBABILITIES, method="weibull") for b in bins
        ]
        return cls(np.array([scores[b].mean() for b in bins]), np.array(quantiles))

    def around(self, scores: Scores, level: float = LEVEL) -> tuple[Scores, Scores]:
        """Return lower and upper bounds, (n,) each, in [0, 5]; both are 5 for a score of 5.

        Raises:
            StsError: the level is not from .5 to .98.
        """
        if not 0.5 <= level <= 0.98:
            raise StsError(f"interval of level {level:g}; expected a number from 0.5 to 0.98")
        bounds = []
        for probability in ((1 - level) / 2, (1 + level) / 2):
            by_bin = [np.interp(probability, PROBABILITIES, row) for row in self.residuals]
            moved = scores + np.interp(scores, self.centres, by_bin)
            bounds.append(np.where(scores >= HIGHEST, HIGHEST, np.clip(moved, LOWEST, HIGHEST)))
        return np.minimum(bounds[0], scores), np.maximum(bounds[1], scores)

    def save(self, path: Path) -> None:
        """Write them to a file of some kilobytes."""
        tensors = {"centres": self.centres, "residuals": self.residuals}
        write_bytes(path, to_bytes(tensors, seal(tensors, {"format": FORMAT})))

    @classmethod
    def load(cls, path: Path) -> Intervals:
        """Read a saved file; a :class:`DataError` if it is missing or damaged."""
        tensors, about = read_tensors(path, ("centres", "residuals"))
        sealed = "sha256" not in about or is_sealed(tensors, about)  # earlier versions have none
        try:
            if sealed:
                return cls(tensors["centres"], tensors["residuals"])
        except ValueError:
            pass
        raise DataError(f"{path}: has changed since it was written; restore or ship it")
