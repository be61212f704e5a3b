"""Clauses that trade places around before, after, because, so and if."""

from __future__ import annotations

import pytest

from semaniacs.features.families.clause_order import clause_conflict, clause_differences
from semaniacs.sts.text.analysis import analyse


@pytest.mark.parametrize(
    ("left", "right", "told"),
    [
        ("Anna cried because Tom left.", "Tom left because Anna cried.", "reason"),
        ("Anna cried because Tom left.", "Because Anna cried, Tom left.", "reason"),
        (
            "They are starving because the animals revolt.",
            "The animals are starving because they revolt.",
            None,
        ),
        ("The animals rest because they work.", "The animals work because they rest.", "reason"),
        ("Tom left, so Anna cried.", "Tom left because Anna cried.", "reason"),
        (
            "The storm broke before the ship sank.",
            "The ship sank before the storm broke.",
            "earlier event",
        ),
        (
            "The storm broke before the ship sank.",
            "After the ship sank, the storm broke.",
            "earlier event",
        ),
        (
            "If the alarm sounds, the pump fails.",
            "If the pump fails, the alarm sounds.",
            "condition",
        ),
        ("The storm broke before the ship sank.", "The ship sank after the storm broke.", None),
        ("The storm broke before the ship sank.", "Before the ship sank, the storm broke.", None),
        ("Anna cried because Tom left.", "Tom left if Anna cried.", None),
        ("Anna cried because Tom left.", "His parents left home because Anna cried.", None),
        ("He ate before he slept before noon.", "He slept before he ate before noon.", None),
        ("Because", "before", None),
    ],
)
def test_clauses_that_trade_places(left: str, right: str, told: str | None) -> None:
    pair = [analyse([left, right])[text] for text in (left, right)]
    found = clause_differences(*pair)
    assert len(found) == (told is not None)
    assert all(one.startswith(f"the {told} in one sentence is the ") for one in found)
    assert clause_conflict(*pair) == clause_conflict(*pair[::-1]) == float(told is not None)
