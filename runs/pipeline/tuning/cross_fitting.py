"""Features and scores of training pairs by models that did not learn from those pairs.

A regressor trusts features too much that come from a model trained on the same pairs. So the
pairs of a fold are described by a model that was trained on the other folds (cross-fitting, as in
stacking: Wolpert, 1992; Breiman, 1996, "Stacked regressions", section 2), and new pairs by a
model trained on all. Folds contain whole data sets, and data sets of one source stay together: a
new year brings sources that no training pair has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from semaniacs.sts.data.pairs import Pairs, Scores, concatenate
from semaniacs.sts.errors import StsError
from semaniacs.sts.progress import track
from semaniacs.sts.scoring.cross_validation import connected

FOLDS = 5

Matrix = NDArray[np.float64]
Mask = NDArray[np.bool_]
Describe = Callable[[Pairs], Matrix]
"""Pairs (n) to features (n, k)."""

ModelT = TypeVar("ModelT")


def source_of(name: str) -> str:
    """Return the source of a data set: its name without the year's additions.

    ``MSRpar-train`` and ``MSRpar`` are both ``MSRpar``; ``surprise.OnWN`` is ``OnWN``.
    """
    return name.removesuffix("-train").removeprefix("surprise.")


def split_sources(data_sets: Sequence[Pairs]) -> list[frozenset[str]]:
    """Return the sources of each fold: at most :data:`FOLDS` sets of about as many pairs with gold.

    The largest source comes first and each goes into the fold with the fewest pairs so far.
    """
    size: Counter[str] = Counter()
    for pairs in data_sets:
        size[source_of(pairs.name)] += int(pairs.scored.sum())
    by_size = sorted(size, key=lambda name: (-size[name], name))
    split: list[set[str]] = [set() for _ in range(min(FOLDS, len(size)))]
    for name in by_size:
        min(split, key=lambda fold: sum(size[other] for other in fold)).add(name)
    return [frozenset(fold) for fold in split]


def out_of_fold(
    training: Sequence[Pairs],
    described: Sequence[Pairs],
    train: Callable[[Sequence[Pairs]], Describe],
) -> list[Matrix]:
    """Return features (n, k) of data sets by models trained without any data set of their source.

    Args:
        training: the data sets that may be trained on.
        described: data sets of these sources: the same ones, or their sentences in other words.
        train: trains a model on some of the data sets; returns a function that describes pairs.
    """
    found: dict[int, Matrix] = {}
    for held_out in track(split_sources(training), "out-of-fold features", "folds"):
        describe = train([pairs for pairs in training if source_of(pairs.name) not in held_out])
        own = [i for i, pairs in enumerate(described) if source_of(pairs.name) in held_out]
        found |= {i: describe(described[i]) for i in own}
    return [found[i] for i in range(len(described))]


def predict_out_of_fold(
    make: Callable[[], Any], described: Sequence[Pairs], matrix: Matrix
) -> Scores:
    """Return scores (n,) of training pairs by regressors that did not learn from their source.

    Args:
        make: returns a regressor, not fitted.
        described: data sets of several sources, every pair with gold.
        matrix: (n, k) features of all of them, in order.
    """
    split = split_sources(described)
    if len(split) < 2:
        raise StsError("every data set is of one source, so none can be held out")
    gold = np.concatenate([pairs.gold for pairs in described])
    sources = np.repeat([source_of(p.name) for p in described], [len(p) for p in described])
    scores = np.empty(len(matrix))
    for held_out in track(split, "out-of-fold scores", "folds"):
        out = np.isin(sources, sorted(held_out))
        scores[out] = make().fit(matrix[~out], gold[~out]).predict(matrix[out])
    return scores


def forward_chained(
    training: Sequence[Pairs],
    years: Sequence[int],
    described: Sequence[Pairs],
    train: Callable[[Sequence[Pairs]], Describe],
    seed: int,
) -> list[Matrix]:
    """Return features (n, k) of data sets by models that saw neither them nor a later year.

    The pairs of a year are described by a model of all earlier years, as those of a task are. The
    pairs of the first year are split in two halves that share no sentence, and each half is
    described by a model of the other.

    Args:
        training, years: the data sets that may be trained on, and their years.
        described: the same data sets, once or again in other words, one list after another.
        train: trains a model on some data sets; returns a function that describes pairs.
        seed: random seed of the halves of the first year.
    """
    found: dict[int, Matrix] = {}
    for year in track(sorted(set(years)), "features by trained transformers", "years"):
        own = [i for i in range(len(described)) if years[i % len(training)] == year]
        if year > min(years):
            earlier = [p for p, y in zip(training, years, strict=True) if y < year]
            describe = train(earlier)
            found |= {i: describe(described[i]) for i in own}
            continue
        first = [i for i in own if i < len(training)]
        in_first = held_out_mask(concatenate([training[i] for i in first]), 0.5, seed)
        ends = np.cumsum([len(training[i]) for i in first])[:-1]
        parts = dict(zip(first, np.split(in_first, ends), strict=True))
        by_half = [
            train([training[i].select(parts[i] == turn) for i in first]) for turn in (False, True)
        ]
        for i in own:
            mask, pairs = parts[i % len(training)], described[i]
            of_first, of_second = by_half[0](pairs.select(mask)), by_half[1](pairs.select(~mask))
            found[i] = np.empty((len(pairs), of_first.shape[1]))
            found[i][mask], found[i][~mask] = of_first, of_second
    return [found[i] for i in range(len(described))]


def held_out_mask(pairs: Pairs, share: float, seed: int) -> Mask:
    """Return (n,) whether each pair is held out: about this share of them.

    Pairs that share a sentence, directly or through others, are held out together.
    """
    groups = connected(pairs)
    order = np.random.default_rng(seed).permutation(groups.max() + 1)
    sizes = np.cumsum(np.bincount(groups)[order])
    return np.isin(groups, order[sizes <= share * len(pairs)])


def fit_folds(
    pairs: Pairs,
    folds: int,
    seed: int,
    fit: Callable[[Pairs], ModelT],
    score: Callable[[ModelT, Pairs], Scores],
) -> tuple[list[ModelT], Scores]:
    """Return a model for each fold, fitted without it, and the scores (n,) of its pairs.

    Pairs that share a sentence, directly or through others, are in one fold. A :class:`StsError`
    is raised if there are fewer such groups than folds.
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
        models.append(fit(pairs.select(~mask)))
        scores[mask] = score(models[-1], pairs.select(mask))
    return models, scores
