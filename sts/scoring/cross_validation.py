"""How well a regressor would score pairs that it has not seen, told from the pairs at hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sts.data.pairs import Pairs, Scores
from sts.errors import StsError
from sts.progress import track
from sts.scoring.correlation import pearson, spearman

FEWEST = 40
"""Pairs below which trees of twenty pairs a leaf cannot split."""


@dataclass(frozen=True)
class CrossValidation:
    """Correlations with the gold scores of n pairs.

    Attributes:
        pairs, folds: how many of each.
        pearson, spearman: of scores that each pair got from a model fitted without its fold.
        pearson_before, spearman_before: of the scores that the model gave before it was fitted.
    """

    pairs: int
    folds: int
    pearson: float
    spearman: float
    pearson_before: float
    spearman_before: float

    def __str__(self) -> str:
        return (
            f"{self.pairs} pairs, {self.folds} folds: "
            f"Pearson {self.pearson:.4f} ({self.pearson_before:.4f} before fitting), "
            f"Spearman {self.spearman:.4f} ({self.spearman_before:.4f})"
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
        make: a new regressor, not fitted.
        matrix: (n, k) features of the pairs.
        pairs: with gold for each.
        before: (n,) what the model gave them before.
        folds: at most as many as there are groups of pairs without a sentence in common.
        seed: shuffles the groups.

    Raises:
        StsError: too few pairs, fewer than two folds, or all pairs hang together.
    """
    groups = connected(pairs)
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
    """(n,) scores that each pair gets from a model fitted without its fold.

    Pairs that share a sentence, directly or through others, are in one fold. The arguments and
    the errors are those of :func:`cross_validate`.
    """
    from sklearn.model_selection import GroupKFold

    if len(pairs) < FEWEST:
        raise StsError(f"{len(pairs)} pairs to fit to; expected {FEWEST} or more")
    check_gold(pairs)
    groups = connected(pairs)
    folds = min(folds, int(groups.max()) + 1)
    if folds < 2:
        raise StsError("every pair shares a sentence with another, so none can be held out")
    scores = np.empty(len(pairs))
    splits = GroupKFold(folds, shuffle=True, random_state=seed).split(matrix, groups=groups)
    for training, test in track(splits, "cross-validation", "folds", folds):
        scores[test] = make().fit(matrix[training], pairs.gold[training]).predict(matrix[test])
    return scores


def check_gold(pairs: Pairs) -> None:
    """Refuse gold that no scale can be learned from.

    Raises:
        StsError: it is the same for every pair, or 0 and 1 alone.
    """
    values = np.unique(pairs.gold)
    if len(values) == 1:
        raise StsError(f"every pair has the gold score {values[0]:g}; expected different ones")
    if values.tolist() == [0, 1]:
        raise StsError(
            "the gold scores are 0 and 1 alone; expected 0 to 5: write labels as 0 and 5, or find "
            "a threshold for them with: semaniacs calibrate --precision 0.95"
        )


def connected(pairs: Pairs) -> NDArray[np.int32]:
    """(n,) the number of each pair's group: pairs that share a sentence are in one."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    number = {text: place for place, text in enumerate(pairs.sentences())}
    left, right = ([number[text] for text in side] for side in (pairs.left, pairs.right))
    edges = coo_array((np.ones(len(pairs)), (left, right)), shape=(len(number), len(number)))
    _, labels = connected_components(edges, directed=False)
    groups: NDArray[np.int32] = labels[left]
    return groups
