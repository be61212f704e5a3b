"""Threshold above which the pairs have a wanted precision, with a guarantee from few labels.

From the highest scores down, each threshold is tested at the same level until the first fails:
fixed-sequence testing, which needs no correction for the number of thresholds (Angelopoulos et
al., 2021, *Learn then Test*, section 2). A test passes if the Clopper–Pearson lower bound of the
share of right pairs reaches the precision. The sequence depends on the scores, never on the
labels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semaniacs.sts.data.pairs import Scores
from semaniacs.sts.errors import StsError

_FIRST = 0.1
"""Share of the pairs above the first threshold, or more where that is too few."""

_GROWTH = 1.1
"""Factor by which the number of pairs above the next threshold grows."""


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
        precision: wanted share of right pairs above the threshold.
        confidence: probability that it is reached.

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
