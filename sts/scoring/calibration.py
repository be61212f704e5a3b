"""Calibration: intervals around a score, maps to a user's own gold, thresholds with a guarantee.

Intervals contain the gold of 90 % of such pairs: the residuals (gold − score) of pairs that a
model had not learned from are sorted into up to ten bins by score. Their quantiles, interpolated
between the bins, are the interval (Vovk et al., 2005, *Algorithmic Learning in a Random World*,
section 4.5: conformal prediction by categories). Folds hold whole sources of data, because a
user's text is of a new kind.

Maps are isotonic regressions, made piecewise linear.

For a threshold above which the pairs have a wanted precision, each score from the highest down is
tested at the same level until the first fails: fixed-sequence testing, which needs no correction
for the number of thresholds (Angelopoulos et al., 2021, *Learn then Test*, section 2). A test
passes if the Clopper–Pearson lower bound of the share of right pairs reaches the precision. The
sequence depends on the scores, never on the labels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from semaniacs.sts.data.pairs import HIGHEST, HIGHEST_OF_OTHERS, LOWEST, Scores
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.files import write_bytes
from semaniacs.sts.tensors import FORMAT, check_finite, is_sealed, read_tensors, seal, to_bytes

LEVEL = 0.9  # share of pairs whose gold an interval should contain
PROBABILITIES = np.arange(1, 100) / 100  # probabilities of the quantiles that are stored

_MOST_BINS = 10

_RESIDUALS_OF_A_BIN = 50  # fewest pairs per bin, if there are several
FEWEST = 20  # fewest pairs to fit intervals to


@dataclass(frozen=True)
class Intervals:
    """Quantiles of the residuals by score.

    A ValueError is raised if the shapes do not match, or a value is not finite.

    Attributes:
        centres: (b,) mean score of each bin.
        residuals: (b, 99) quantiles of gold − score, see :data:`PROBABILITIES`.
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

        The quantiles are those of n + 1 values, as conformal prediction asks. Fewer than twenty
        pairs are a StsError.
        """
        if len(scores) < FEWEST:
            raise StsError(f"{len(scores)} pairs are too few for intervals; expected {FEWEST}")
        several = min(_MOST_BINS, max(1, len(scores) // _RESIDUALS_OF_A_BIN))
        bins = np.array_split(np.argsort(scores, kind="stable"), several)
        quantiles = [
            np.quantile(gold[b] - scores[b], PROBABILITIES, method="weibull") for b in bins
        ]
        return cls(np.array([scores[b].mean() for b in bins]), np.array(quantiles))

    def around(self, scores: Scores, level: float = LEVEL) -> tuple[Scores, Scores]:
        """Return lower and upper bounds, (n,) each, in [0, 5]; both are 5 for a score of 5.

        A level that is not from .5 to .98 is a StsError.
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


FEWEST_TO_MAP = 50  # fewest pairs to fit a map to
_PAIRS_OF_A_BIN = 10  # fewest pairs per bin; the mean of a bin is a point of the map

_MOST_MEANS = 20


@dataclass(frozen=True)
class MonotoneMap:
    """Points of a line from scores (k,) to gold (k,), constant beyond the last; 0 stays 0."""

    scores: Scores
    gold: Scores

    @classmethod
    def fit(cls, scores: Scores, gold: Scores) -> MonotoneMap:
        """Fit to the means of bins of equal size (Zadrozny and Elkan, 2002, section 4).

        Fewer than :data:`FEWEST_TO_MAP` pairs are a StsError.
        """
        from sklearn.isotonic import isotonic_regression

        if len(scores) < FEWEST_TO_MAP:
            raise StsError(
                f"{len(scores)} pairs are too few for a map of scores: label {FEWEST_TO_MAP}"
            )
        order = np.argsort(scores, kind="stable")
        bins = np.array_split(order, min(_MOST_MEANS, len(order) // _PAIRS_OF_A_BIN))
        centres, means = (np.array([column[b].mean() for b in bins]) for column in (scores, gold))
        sizes = np.array([len(b) for b in bins], float)
        rising = isotonic_regression(means, sample_weight=sizes)
        if centres[0] > LOWEST:  # no labelled pair may be unrelated, and 0 is still 0
            centres, rising = np.append(LOWEST, centres), np.append(LOWEST, rising)
        return cls(centres, rising)

    def __call__(self, scores: Scores) -> Scores:
        """Return (n,) mapped scores; 5, the score of the same text, stays 5, and no other does."""
        mapped = np.minimum(np.interp(scores, self.scores, self.gold), HIGHEST_OF_OTHERS)
        return np.where(np.isnan(scores), np.nan, np.where(scores >= HIGHEST, HIGHEST, mapped))


def mapped_left_out(scores: Scores, gold: Scores, groups: NDArray[np.int32]) -> Scores:
    """Return (n,) scores by maps fitted without the pair's fold of five; NaN if too few are left.

    Pairs with the same number in ``groups`` (n,) are in one fold.
    """
    fold = groups % 5
    mapped = np.full(len(scores), np.nan)
    for number in np.unique(fold):
        out = fold == number
        if (~out).sum() >= FEWEST_TO_MAP:
            mapped[out] = MonotoneMap.fit(scores[~out], gold[~out])(scores[out])
    return mapped


_FIRST = 0.1  # share of the pairs above the first threshold, or more where that is too few
_GROWTH = 1.1  # factor by which the number of pairs above the next threshold grows


@dataclass(frozen=True)
class Threshold:
    """Score from which pairs have a wanted precision.

    Attributes:
        score: the threshold; a pair with this score is above it.
        precision, confidence: the wanted ones, each between 0 and 1.
        pairs, right: numbers of labelled pairs above it, and of right ones among them.
        lower: Clopper–Pearson lower bound of the precision.
    """

    score: float
    precision: float
    confidence: float
    pairs: int
    right: int
    lower: float

    def __str__(self) -> str:
        return (
            f"threshold {self.score:.4f}: of {self.pairs} labelled pairs above it {self.right} are "
            f"right; precision at least {self.lower:.4f} with confidence {self.confidence:g}"
        )


def fewest_pairs(precision: float, confidence: float) -> int:
    """Return how many pairs above a threshold are needed if all are right: ln(1 − c) / ln p."""
    return math.ceil(math.log(1 - confidence) / math.log(precision) - 1e-9)


def lower_bound(right: int, pairs: int, confidence: float) -> float:
    """Return the lower bound of a share, one-sided and exact (Clopper and Pearson, 1934)."""
    from scipy.special import betaincinv

    return float(betaincinv(right, pairs - right + 1, 1 - confidence)) if right else 0.0


def find_threshold(
    scores: Scores, labels: NDArray[np.bool_], precision: float, confidence: float = 0.9
) -> Threshold:
    """Return the lowest threshold of the sequence before the first that fails.

    Args:
        scores: (n,) of labelled pairs, a random sample of the pairs to judge.
        labels: (n,) whether each is right.
        precision, confidence: wanted share of right pairs above the threshold, and the probability
            that it is reached.

    Raises:
        StsError: a share is not between 0 and 1, the labels are all alike, there are too few
            pairs, or no threshold passes.
    """
    for name, share in (("precision", precision), ("confidence", confidence)):
        if not 0 < share < 1:
            raise StsError(f"{name} {share:g}; expected a number between 0 and 1, such as 0.9")
    takes = fewest_pairs(precision, confidence)
    wanted = f"precision {precision:g} with confidence {confidence:g}"
    if len(scores) < takes:
        raise StsError(
            f"{len(scores)} labelled pairs are too few: {wanted} takes at least {takes} above the "
            "threshold, even if all of them are right; label more pairs"
        )
    if labels.all() or not labels.any():
        raise StsError(
            f"all {len(scores)} labels are {int(labels[0])}; a threshold takes both kinds"
        )
    order = np.argsort(-scores, kind="stable")
    descending, right = scores[order], np.cumsum(labels[order])
    found: Threshold | None = None
    rank = max(takes, round(_FIRST * len(scores)))
    while rank <= len(scores):
        score = float(descending[rank - 1])
        above = int((scores >= score).sum())
        bound = lower_bound(int(right[above - 1]), above, confidence)
        here = Threshold(score, precision, confidence, above, int(right[above - 1]), bound)
        if bound < precision:
            break
        found = here
        rank = max(above + 1, math.ceil(_GROWTH * above))
    if found is None:
        raise StsError(
            f"no threshold has {wanted}: of the {here.pairs} pairs of the highest scores "
            f"{here.right} are right, so it may be as low as {here.lower:.4f}; ask for less, "
            "or label more pairs"
        )
    return found
