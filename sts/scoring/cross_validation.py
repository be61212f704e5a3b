"""Cross-validation: how well a regressor would score pairs that it has not seen."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from semaniacs.sts.data.pairs import LOWEST, Pairs, Scores
from semaniacs.sts.errors import StsError
from semaniacs.sts.progress import note, track
from semaniacs.sts.scoring.correlation import pearson, spearman

FEWEST = 40  # fewest pairs to fit to: trees with 20 pairs per leaf cannot split fewer


@dataclass(frozen=True)
class CrossValidation:
    """Correlations with gold of n out-of-fold scores, and of the scores before fitting."""

    pairs: int
    folds: int
    pearson: float
    spearman: float
    pearson_before: float
    spearman_before: float

    def __str__(self) -> str:
        worse = (
            "\nFitting did not help: on pairs held out the model was better before. Keep that one."
        )
        return (
            f"{self.pairs} pairs, {self.folds} folds: "
            f"Pearson {self.pearson:.4f} ({self.pearson_before:.4f} before fitting), "
            f"Spearman {self.spearman:.4f} ({self.spearman_before:.4f})"
            f"{worse if self.pearson <= self.pearson_before else ''}"
        )


class Regressor(Protocol):
    """A regressor with scikit-learn's methods."""

    def fit(self, matrix: Any, gold: Any, /) -> Any:
        """Fit to an (n, k) matrix and (n,) gold scores."""
        ...


def cross_validate(
    make: Callable[[], Regressor],
    matrix: NDArray[np.float64],
    pairs: Pairs,
    before: Scores,
    *,
    folds: int,
    seed: int,
) -> CrossValidation:
    """Fit to all folds but one and score that one, for each fold.

    Args:
        make: returns a new regressor, not fitted.
        matrix: (n, k) features of the pairs.
        pairs: n pairs with gold.
        before: (n,) scores before fitting.
        folds: number of folds; at most one per group of pairs that share sentences.
        seed: random seed, which shuffles the groups.

    Raises:
        StsError: every pair shares a sentence with another.
    """
    check_direction(before, pairs.gold)
    groups = separable(pairs)
    scores = out_of_fold_scores(make, matrix, pairs, folds=folds, seed=seed)
    folds = min(folds, int(groups.max()) + 1)
    return CrossValidation(
        len(pairs),
        folds,
        pearson(scores, pairs.gold),
        spearman(scores, pairs.gold),
        pearson(before, pairs.gold),
        spearman(before, pairs.gold),
    )


def out_of_fold_scores(
    make: Callable[[], Regressor],
    matrix: NDArray[np.float64],
    pairs: Pairs,
    *,
    folds: int,
    seed: int,
) -> Scores:
    """Return (n,) scores of each pair by a model that was fitted without the pair's fold.

    Pairs that share a sentence, directly or through others, are in one fold. Arguments and
    errors are those of :func:`cross_validate`.
    """
    from sklearn.model_selection import GroupKFold

    groups = separable(pairs)
    folds = min(folds, int(groups.max()) + 1)
    if folds < 2:
        raise StsError("every pair shares a sentence with another, so none can be held out")
    scores = np.empty(len(pairs))
    splits = GroupKFold(folds, shuffle=True, random_state=seed).split(matrix, groups=groups)
    for training, test in track(splits, "cross-validation", "folds", folds):
        scores[test] = make().fit(matrix[training], pairs.gold[training]).predict(matrix[test])
    return scores


def check_direction(scores: Scores, gold: Scores) -> None:
    """Print a note if the correlation (n,) of scores and gold is negative, and hardly by chance."""
    found = pearson(scores, gold)
    if found < -2 / math.sqrt(len(gold)):
        note(f"higher scores have lower gold (Pearson {found:.2f}): is the scale reversed?")


def check_gold(pairs: Pairs, *, to_fit: bool = False) -> None:
    """Raise a :class:`StsError` if pairs are too few, or their gold is the same, or only 0 and 1."""
    if to_fit and len(pairs) < FEWEST:
        raise StsError(f"{len(pairs)} pairs to fit to; expected {FEWEST} or more")
    values = np.unique(pairs.gold)
    if len(values) == 1:
        raise StsError(f"every pair has the gold score {values[0]:g}; expected different ones")
    if values[-1] <= 1 and len(values) > 2:
        note(f"all gold is from {values[0]:g} to {values[-1]:g}; multiply gold from 0 to 1 by 5")
    if values.tolist() == [0, 1]:
        raise StsError(
            "the gold scores are 0 and 1 alone; expected 0 to 5: write labels as 0 and 5, or find "
            "a threshold for them with: semaniacs calibrate --precision 0.95"
        )


_SHUFFLED = 500  # fewest pairs to look for unrelated ones among, if the file has as many

_MOST_SHUFFLED = 2000


def shuffled(pairs: Pairs) -> Pairs:
    """Return left sentences with the right ones of later pairs, for gold that ends above 0.

    A pair of sentences that the file connects, directly or through others, is left out.
    """
    groups, count = connected(pairs), len(pairs)
    first = np.tile(np.arange(count), min(count - 1, -(-_SHUFFLED // count)))
    second = (first + 1 + np.arange(len(first)) // count) % count
    apart = np.flatnonzero(groups[first] != groups[second])[:_MOST_SHUFFLED]
    left, right = (
        tuple(side[row] for row in rows[apart])
        for side, rows in ((pairs.left, first), (pairs.right, second))
    )
    return Pairs(pairs.name, left, right, np.full(len(apart), LOWEST))


def connected(pairs: Pairs) -> NDArray[np.int32]:
    """Return the (n,) number of each pair's group; pairs that share a sentence are in one."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    number = {text: place for place, text in enumerate(pairs.sentences())}
    left, right = ([number[text] for text in side] for side in (pairs.left, pairs.right))
    edges = coo_array((np.ones(len(pairs)), (left, right)), shape=(len(number), len(number)))
    _, labels = connected_components(edges, directed=False)
    groups: NDArray[np.int32] = labels[left]
    return groups


REFERENCE = 10  # pairs that a sentence is in at least if it is the reference of many answers


def separable(pairs: Pairs) -> NDArray[np.int32]:
    """Return groups (n,) as :func:`connected`; of fewer than three, a shared reference joins none.

    A sentence in a tenth of the pairs is the reference of many answers, and known when it is used.
    """
    groups = connected(pairs)
    if groups.max() > 1:
        return groups
    counts = Counter((*pairs.left, *pairs.right))
    most = max(REFERENCE, len(pairs) / 10)

    def alone(side: Sequence[str], name: str) -> tuple[str, ...]:
        return tuple(f"{name} {i}" if counts[t] >= most else f"= {t}" for i, t in enumerate(side))

    left, right = alone(pairs.left, "left"), alone(pairs.right, "right")
    return connected(Pairs(pairs.name, left, right, pairs.gold))
