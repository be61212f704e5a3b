"""Pairs of sentences with gold, from a file of a person's own."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sts.data.pairs import Pairs
from sts.errors import StsError
from sts.scoring.cross_validation import connected

OF_LABELS = (
    "contrastive", "online-contrastive", "classification", "margin-scale", "multiple-negatives",
)  # fmt: skip
"""Losses of pairs whose gold is 0 or 1."""


class Range(NamedTuple):
    """The gold of pairs that mean nothing alike, and of those that mean the same."""

    lowest: float
    highest: float


def range_of(gold: NDArray[np.float64], given: Sequence[float] | None) -> Range:
    """From where to where gold goes: as given, or 0 to 1, or 0 to 5, whichever holds it.

    Raises:
        StsError: gold lies outside.
    """
    low, high = float(gold.min()), float(gold.max())
    if given is None:
        for highest in (1.0, 5.0):
            if low >= 0 and high <= highest:
                return Range(0.0, highest)
        raise StsError(
            f"gold from {low:g} to {high:g}: say what is unrelated and what is the same, "
            f"with --range, such as --range {low:g} {high:g}"
        )
    found = Range(*given)
    if not found.lowest <= low <= high <= found.highest or found.lowest == found.highest:
        raise StsError(
            f"--range {found.lowest:g} {found.highest:g}, but gold goes from {low:g} to {high:g}"
        )
    return found


def scaled(pairs: Pairs, to: Range) -> Pairs:
    """The same pairs with gold from 0 to 1."""
    gold = (pairs.gold - to.lowest) / (to.highest - to.lowest)
    return Pairs(pairs.name, pairs.left, pairs.right, gold)


def has_labels(gold: NDArray[np.float64]) -> bool:
    """Whether all gold, from 0 to 1, is 0 or 1."""
    return bool(np.isin(gold, (0.0, 1.0)).all())


def check_loss(pairs: Pairs, loss: str | None) -> None:
    """Check that a loss can learn from the gold, from 0 to 1, of pairs.

    Raises:
        StsError: it wants labels and the gold has grades, or all gold is the same.
    """
    if loss in OF_LABELS and not has_labels(pairs.gold):
        raise StsError(
            f"--loss {loss} learns from gold of two values, and {pairs.name} has grades; "
            "leave it out, or take cosent, correlation or squared-error"
        )
    if len(np.unique(pairs.gold)) < 2:
        raise StsError(
            f"{pairs.name}: all {len(pairs):,} pairs have one gold; expected pairs that mean the "
            "same and pairs that do not"
        )


def hold_out(pairs: Pairs, share: float, seed: int) -> tuple[Pairs, Pairs]:
    """The pairs to learn from, and about this share of them, which have no sentence in common.

    Raises:
        StsError: either part would have no two values of gold.
    """
    groups = connected(pairs)
    chosen = chosen_groups(groups, share, seed)
    training, held_out = pairs.select(~chosen[groups]), pairs.select(chosen[groups])
    for part, what in ((training, "to learn from"), (held_out, "held out")):
        values = np.unique(part.gold)
        if len(values) < 2:
            gold = f", all of gold {values[0]:g}" if len(values) else ""
            raise StsError(
                f"{pairs.name}: {len(part):,} of {len(pairs):,} pairs {what}{gold}; expected "
                "several values; give more pairs, or others in a file of their own, with --dev"
            )
    return training, held_out


def chosen_groups(groups: NDArray[np.int32], share: float, seed: int) -> NDArray[np.bool_]:
    """Of each group whether it is held out: about this share of what is in the groups (n,)."""
    sizes = np.bincount(groups)
    chosen, room = np.zeros(len(sizes), bool), share * len(groups)
    for group in np.random.default_rng(seed).permutation(len(sizes)):
        chosen[group] = sizes[group] <= room  # one that is too large is learned from
        room -= sizes[group] * chosen[group]
    return chosen


def check_apart(training: Pairs, held_out: Pairs) -> None:
    """Check that no sentence that is trained on is held out.

    Raises:
        StsError: one is; a gain on it would show nothing.
    """
    check_shared(training.name, training.sentences(), held_out.name, held_out.sentences())
    if len(np.unique(held_out.gold)) < 2:
        raise StsError(
            f"{held_out.name}: all {len(held_out)} pairs have the gold {held_out.gold[0]:g}; "
            "expected several values"
        )


def check_shared(name: str, learned: Collection[str], other: str, compared: Sequence[str]) -> None:
    """Raise an :class:`StsError` if a file's sentences and another's have one in common."""
    shared = set(learned) & set(compared)
    if shared:
        first = next(text for text in compared if text in shared)
        raise StsError(
            f"{other}: {len(shared):,} of its sentences stand in {name} too, "
            f"such as {first[:60]!r}; leave them out of one of both"
        )
