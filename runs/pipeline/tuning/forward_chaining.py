"""Features of training pairs by models that learned from the years before theirs.

The pairs of a year are described by a model of all earlier years, as those of a task are: one
training a year serves every task. Nothing is earlier than the first year. Its pairs are split in
two halves that share no sentence, and each half is described by a model of the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from runs.pipeline.tuning.out_of_fold import Describe, Matrix
from sts.data.pairs import Pairs, concatenate
from sts.progress import track
from sts.scoring.cross_validation import connected


def forward_chained(
    training: Sequence[Pairs],
    years: Sequence[int],
    described: Sequence[Pairs],
    train: Callable[[Sequence[Pairs]], Describe],
    seed: int,
) -> list[Matrix]:
    """Features of data sets by models that saw neither them nor a later year.

    Args:
        training: the data sets that may be trained on, every pair with gold.
        years: of each of them.
        described: the same data sets, once or again in other words, one list after another.
        train: trains a model on some data sets and returns what describes pairs by it.
        seed: of the halves of the first year.

    Returns:
        (n, k) features of each of the ``described``, in order.
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
        whole = concatenate([training[i] for i in first])
        ends = np.cumsum([len(training[i]) for i in first])[:-1]
        in_first = halves(whole, seed)
        parts = dict(zip(first, np.split(in_first, ends), strict=True))
        by_half = [
            train([training[i].select(parts[i] == turn) for i in first]) for turn in (False, True)
        ]
        for i in own:
            mask, pairs = parts[i % len(training)], described[i]
            both = [describe(pairs.select(mask == turn)) for describe, turn in
                    zip(by_half, (True, False), strict=True)]  # fmt: skip
            found[i] = np.empty((len(pairs), both[0].shape[1]))
            found[i][mask], found[i][~mask] = both
    return [found[i] for i in range(len(described))]


def halves(pairs: Pairs, seed: int) -> NDArray[np.bool_]:
    """(n,) whether a pair is in the first half; pairs that share a sentence are in one."""
    groups = connected(pairs)
    order = np.random.default_rng(seed).permutation(groups.max() + 1)
    sizes = np.cumsum(np.bincount(groups)[order])
    return np.isin(groups, order[2 * sizes <= len(pairs)])
