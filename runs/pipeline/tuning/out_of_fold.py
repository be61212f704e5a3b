"""Features of training pairs by models that never saw those pairs.

A model that was trained on the training pairs describes them better than it will ever describe
new ones. A regressor that learns from such features trusts them too much. So the training data
sets are split into folds; the pairs of a fold are described by a model that was trained on the
other folds (cross-fitting, as in stacking: Wolpert, 1992; Breiman, 1996, "Stacked regressions",
section 2). New pairs are described by the model trained on all of them.

Folds hold whole data sets, and data sets of one source stay together: the headlines of 2013 and
of 2014 look alike, and a new year brings sources that no training pair has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sts.data.pairs import Pairs, Scores
from sts.errors import StsError
from sts.progress import track

FOLDS = 5

Matrix = NDArray[np.float64]
Describe = Callable[[Pairs], Matrix]
"""Pairs (n) to features (n, k)."""


def source_of(name: str) -> str:
    """The source of a data set: its name without the year's additions.

    ``MSRpar-train`` and ``MSRpar`` are both ``MSRpar``; ``surprise.OnWN`` is ``OnWN``.
    """
    return name.removesuffix("-train").removeprefix("surprise.")


def split_sources(
    data_sets: Sequence[Pairs], folds: int = FOLDS, source: Callable[[str], str] = source_of
) -> list[frozenset[str]]:
    """The sources of each fold: at most ``folds`` sets of about as many pairs with gold.

    The largest source comes first and each goes into the fold with the fewest so far, so
    that the same data sets are always split in the same way.
    """
    size: Counter[str] = Counter()
    for pairs in data_sets:
        size[source(pairs.name)] += int(pairs.scored.sum())
    by_size = sorted(size, key=lambda name: (-size[name], name))
    split: list[set[str]] = [set() for _ in range(min(folds, len(size)))]
    for name in by_size:
        min(split, key=lambda fold: sum(size[other] for other in fold)).add(name)
    return [frozenset(fold) for fold in split]


def out_of_fold(
    training: Sequence[Pairs],
    described: Sequence[Pairs],
    train: Callable[[Sequence[Pairs]], Describe],
    folds: int = FOLDS,
    source: Callable[[str], str] = source_of,
) -> list[Matrix]:
    """Features of data sets by models that were trained without any data set of their source.

    Args:
        training: the data sets that may be trained on.
        described: the data sets to describe, each of a source in ``training``: the same ones, or
            the same sentences in other words.
        train: trains a model on some of the data sets and returns what describes pairs by it.
        folds: into how many parts the sources are split, at most.
        source: data set name to source.

    Returns:
        (n, k) features of each of the ``described``, in order.
    """
    found: dict[int, Matrix] = {}
    split = split_sources(training, folds, source)
    for held_out in track(split, "out-of-fold features", "folds"):
        describe = train([pairs for pairs in training if source(pairs.name) not in held_out])
        own = [i for i, pairs in enumerate(described) if source(pairs.name) in held_out]
        found |= {i: describe(described[i]) for i in own}
    return [found[i] for i in range(len(described))]


def predict_out_of_fold(
    make: Callable[[], Any], described: Sequence[Pairs], matrix: Matrix, folds: int = FOLDS
) -> Scores:
    """(n,) scores of training pairs by regressors that learned from no data set of their source.

    Args:
        make: a regressor, not fitted.
        described: the data sets, every pair with gold.
        matrix: (n, k) the features of all of them, in order.
        folds: into how many parts the sources are split, at most.

    Raises:
        StsError: all data sets are of one source.
    """
    split = split_sources(described, folds)
    if len(split) < 2:
        raise StsError("every data set is of one source, so none can be held out")
    gold = np.concatenate([pairs.gold for pairs in described])
    sources = np.repeat([source_of(p.name) for p in described], [len(p) for p in described])
    scores = np.empty(len(matrix))
    for held_out in track(split, "out-of-fold scores", "folds"):
        out = np.isin(sources, sorted(held_out))
        scores[out] = make().fit(matrix[~out], gold[~out]).predict(matrix[out])
    return scores
