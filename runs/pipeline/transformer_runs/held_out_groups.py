"""Labelled pairs split so that no sentence stands on both sides."""

from __future__ import annotations

import numpy as np

from sts.data.pairs import Pairs
from sts.scoring.cross_validation import connected


def split_groups(pairs: Pairs, share: float, seed: int) -> tuple[Pairs, Pairs]:
    """The pairs to learn from, and about this share of them that is held out.

    Pairs that share a sentence, directly or through others, stand on one side.
    """
    groups = connected(pairs)
    order = np.random.default_rng(seed).permutation(groups.max() + 1)
    sizes = np.cumsum(np.bincount(groups)[order])
    held_out = np.isin(groups, order[sizes <= share * len(pairs)])
    return pairs.select(~held_out), pairs.select(held_out)
