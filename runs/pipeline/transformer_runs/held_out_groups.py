"""Labelled pairs split so that no sentence stands on both sides."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sts.data.pairs import Pairs, Scores
from sts.errors import StsError
from sts.progress import track
from sts.scoring.cross_validation import connected

Mask = NDArray[np.bool_]

ModelT = TypeVar("ModelT")


def split_groups(pairs: Pairs, share: float, seed: int) -> tuple[Pairs, Pairs]:
    """The pairs to learn from, and about this share of them that is held out.

    Pairs that share a sentence, directly or through others, stand on one side.
    """
    groups = connected(pairs)
    order = np.random.default_rng(seed).permutation(groups.max() + 1)
    sizes = np.cumsum(np.bincount(groups)[order])
    held_out = np.isin(groups, order[sizes <= share * len(pairs)])
    return pairs.select(~held_out), pairs.select(held_out)


def fit_folds(
    pairs: Pairs,
    folds: int,
    seed: int,
    fit: Callable[[Mask], ModelT],
    score: Callable[[ModelT, Mask], Scores],
) -> tuple[list[ModelT], Scores]:
    """A model for each fold, fitted without it, and the scores (n,) that it gives to its pairs.

    Pairs that share a sentence, directly or through others, are in one fold.

    Args:
        pairs: labelled ones.
        folds, seed: how many folds, and how they are drawn.
        fit: a model that has seen the pairs where a mask (n,) holds.
        score: its scores of the pairs where a mask holds.

    Raises:
        StsError: there are fewer groups of pairs than folds.
    """
    from sklearn.model_selection import GroupKFold

    groups = connected(pairs)
    if groups.max() + 1 < folds:
        raise StsError(
            f"{len(pairs)} pairs in {groups.max() + 1} groups without a sentence in common; "
            f"expected {folds} groups or more"
        )
    scores, models = np.empty(len(pairs)), []
    splits = GroupKFold(folds, shuffle=True, random_state=seed).split(groups, groups=groups)
    for _, held_out in track(splits, "training without a fold", "folds", folds):
        mask = np.isin(np.arange(len(pairs)), held_out)
        models.append(fit(~mask))
        scores[mask] = score(models[-1], mask)
    return models, scores
