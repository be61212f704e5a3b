"""How well scores rank the four pairs of a group by how much meaning they share.

Peng, Weir and Weeds, ranking of partial paraphrases: the pairs of a group have the degrees 4, 3,
2 and 1, and every pair of a higher degree should score higher. The paper does not speak of ties;
here a tie on top counts as if its order were drawn by lot, and scores that are all equal have
rank correlation 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sts.data.pairs import Scores
from sts.errors import DataError, ValuesError
from sts.scoring.bootstrap import Difference, resample_clusters
from sts.scoring.correlation import spearman

DEGREES = (4, 3, 2, 1)
"""The degrees of the pairs of a group, each once."""

Groups = NDArray[np.intp]
"""(g, 4) the rows of each group's pairs, the pair of degree 4 first."""


@dataclass(frozen=True)
class RankingScore:
    """How well scores rank the pairs of g groups.

    Attributes:
        groups: g.
        r_precision: share of the groups whose highest score is that of degree 4, in [0, 1];
            1/k where k pairs tie on top and it is one of them.
        spearman: rank correlation of scores and degrees in each group, averaged, in [-1, 1].
    """

    groups: int
    r_precision: float
    spearman: float


def find_groups(
    names: Sequence[str],
    degrees: Sequence[int],
    origin: Path | str = "groups",
    lines: Sequence[int] | None = None,
) -> Groups:
    """(g, 4) the rows of each group in order of first appearance, by falling degree.

    Args:
        names: (n,) the group of each pair; its pairs may stand apart.
        degrees: (n,) of each pair.
        origin: the file, for errors.
        lines: (n,) line of each pair in it; None: they begin with the first.

    Raises:
        DataError: no pair at all, or a group that has other than four pairs, of the degrees
            4, 3, 2 and 1; names the line where the group begins.
    """
    if not len(names):
        raise DataError(f"{origin}: no groups; expected four pairs a group")
    found: dict[str, list[int]] = {}
    for row, name in enumerate(names):
        found.setdefault(name, []).append(row)
    groups = []
    for name, rows in found.items():
        line = lines[rows[0]] if lines is not None else rows[0] + 1
        if len(rows) != len(DEGREES):
            raise DataError(
                f"{origin}:{line}: group {name!r} has {len(rows)} "
                f"pair{'s' * (len(rows) != 1)}; expected 4, of the degrees 4, 3, 2 and 1"
            )
        ordered = sorted(rows, key=lambda row: -degrees[row])
        here = tuple(degrees[row] for row in ordered)
        if here != DEGREES:
            raise DataError(
                f"{origin}:{line}: group {name!r} has the degrees "
                f"{', '.join(map(str, here))}; expected 4, 3, 2 and 1, each once"
            )
        groups.append(ordered)
    return np.array(groups, np.intp)


def r_precisions(scores: Scores) -> Scores:
    """(g,) R-Precision of each group from (g, 4) scores by falling degree; a tie shares it."""
    top = scores == scores.max(axis=1, keepdims=True)
    shared: Scores = top[:, 0] / top.sum(axis=1)
    return shared


def spearmans(scores: Scores) -> Scores:
    """(g,) Spearman's rho of each group from (g, 4) scores by falling degree; 0 if all tie."""
    degrees = np.array(DEGREES, np.float64)
    return np.nan_to_num([spearman(row, degrees) for row in scores], nan=0.0)


def score_ranking(scores: Scores, groups: Groups) -> RankingScore:
    """R-Precision and mean Spearman of (n,) scores.

    Raises:
        ValuesError: a score is NaN.
    """
    table = _table(scores, groups)
    means = float(r_precisions(table).mean()), float(spearmans(table).mean())
    return RankingScore(len(groups), *means)


def compare_rankings(
    a: Scores, b: Scores, groups: Groups, *, resamples: int = 10_000, seed: int = 0
) -> Mapping[str, Difference]:
    """Whether A ranks better than B, by ``r_precision`` and ``spearman``: groups are drawn.

    Args:
        a, b: (n,) scores of each system.
        groups: see :func:`find_groups`.
        resamples, seed: of the draws.

    Raises:
        ValuesError: a score is NaN.
    """
    tables = [_table(scores, groups) for scores in (a, b)]
    by_group = np.array([[r_precisions(table), spearmans(table)] for table in tables])

    def measure(rows: NDArray[np.intp]) -> NDArray[np.float64]:
        means: NDArray[np.float64] = by_group[:, :, rows].mean(axis=2)
        return means

    each = np.arange(len(groups))
    drawn = resample_clusters(measure, each, resamples=resamples, seed=seed)
    return {
        name: drawn.metric(place).difference(0, 1)
        for place, name in enumerate(("r_precision", "spearman"))
    }


def accuracy_by_degree(scores: Scores, groups: Groups, threshold: float) -> dict[int, float]:
    """By degree: the share of pairs on their side of a threshold; degree 4 alone is at or above it."""
    above: NDArray[Any] = _table(scores, groups) >= threshold
    shares = np.append(above[:, :1].mean(axis=0), 1 - above[:, 1:].mean(axis=0))
    return dict(zip(DEGREES, map(float, shares), strict=True))


def _table(scores: Scores, groups: Groups) -> Scores:
    table: Scores = np.asarray(scores, np.float64)[groups]
    if np.isnan(table).any():
        raise ValuesError("a score is NaN; expected a number for each pair of a group")
    return table
