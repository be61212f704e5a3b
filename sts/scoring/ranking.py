"""R-Precision and Spearman's rho in groups of four pairs with the degrees 4, 3, 2 and 1.

Peng, Weir and Weeds, ranking of partial paraphrases: a pair of a higher degree should score
higher. The paper does not speak of ties; here a tie on top counts as if its order were drawn at
random, and scores that are all equal have rank correlation 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semaniacs.sts.data.pairs import Scores
from semaniacs.sts.errors import DataError, ValuesError
from semaniacs.sts.progress import counted
from semaniacs.sts.scoring.correlation import spearman

DEGREES = (4, 3, 2, 1)  # degrees of the pairs of a group, each once

Groups = NDArray[np.intp]
"""(g, 4) rows of each group's pairs, the pair of degree 4 first."""


def find_groups(
    names: Sequence[str],
    degrees: Sequence[int],
    origin: Path | str = "groups",
    lines: Sequence[int] | None = None,
) -> Groups:
    """Return the (g, 4) rows of each group in order of first appearance, by falling degree.

    Args:
        names: (n,) group of each pair, in any order.
        degrees: (n,) degree of each pair.
        origin: file name, for errors.
        lines: (n,) line number of each pair, for errors; None counts from 1.

    Raises:
        DataError: there is no pair, or a group has not four pairs of the degrees 4, 3, 2 and 1.
    """
    if not len(names):
        raise DataError(f"{origin}: no groups; expected four pairs per group")
    found: dict[str, list[int]] = {}
    for row, name in enumerate(names):
        found.setdefault(name, []).append(row)
    groups = []
    for name, rows in found.items():
        line = lines[rows[0]] if lines is not None else rows[0] + 1
        if len(rows) != len(DEGREES):
            raise DataError(
                f"{origin}:{line}: group {name!r} has {counted(len(rows), 'pair')}; "
                "expected 4, of the degrees 4, 3, 2 and 1"
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
    """Return (g,) R-Precision from (g, 4) scores by falling degree; a tie shares it."""
    top = scores == scores.max(axis=1, keepdims=True)
    shared: Scores = top[:, 0] / top.sum(axis=1)
    return shared


def spearmans(scores: Scores) -> Scores:
    """Return (g,) Spearman's rho from (g, 4) scores by falling degree; 0 if all tie."""
    degrees = np.array(DEGREES, np.float64)
    return np.nan_to_num([spearman(row, degrees) for row in scores], nan=0.0)


def accuracy_by_degree(scores: Scores, groups: Groups, threshold: float) -> dict[int, float]:
    """Return by degree the share of pairs on the right side: degree 4 at or above, others below."""
    table = np.asarray(scores, np.float64)[groups]
    if np.isnan(table).any():
        raise ValuesError("a score is NaN; expected a number for each pair of a group")
    above: NDArray[Any] = table >= threshold
    shares = np.append(above[:, :1].mean(axis=0), 1 - above[:, 1:].mean(axis=0))
    return dict(zip(DEGREES, map(float, shares), strict=True))
