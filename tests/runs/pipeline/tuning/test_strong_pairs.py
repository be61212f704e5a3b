"""Which training pairs mean the same: the threshold, and pairs without gold."""

from __future__ import annotations

import numpy as np

from runs.pipeline.tuning.strong_pairs import strong_pairs
from sts.data.pairs import Pairs


def make_pairs(name: str, *gold: float) -> Pairs:
    sides = [tuple(f"{name} {side}{i}" for i in range(len(gold))) for side in ("left", "right")]
    return Pairs(name, sides[0], sides[1], np.array(gold))


def test_strong_pairs_are_those_from_3_8_on_and_never_the_unscored() -> None:
    first = make_pairs("one", 3.8, 3.7999, np.nan, 5.0)
    second = make_pairs("two", np.nan, 0.0, 3.8001)
    assert strong_pairs([first, second]) == [
        ("one left0", "one right0"),
        ("one left3", "one right3"),
        ("two left2", "two right2"),
    ]
    assert len(strong_pairs([first, second], threshold=0.0)) == 5
    assert strong_pairs([]) == []
