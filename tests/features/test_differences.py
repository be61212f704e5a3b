"""Contradictions put in words."""

from __future__ import annotations

import numpy as np
import pytest

from features.columns import FeatureColumns
from features.differences import differences
from sts.data.pairs import Pairs

COLUMNS = (
    "polarity_conflict", "opposite_words", "exclusive_words", "factuality_conflict",
    "quantifier_conflict", "calendar_conflict", "quantity_conflict", "name_conflict",
    "structure_conflict", "traded",
)  # fmt: skip


def told(left: str, right: str) -> tuple[str, ...]:
    pair = Pairs("one", (left,), (right,), np.zeros(1))
    values = FeatureColumns(COLUMNS).compute(pair)[0]
    return differences(left, right, dict(zip(COLUMNS, values.tolist(), strict=True)))


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("The lamp is cheap.", "The lamp is not cheap.", "denied on one side only: cheap"),
        ("It cost $3 million", "It cost $3 billion", "$ 3 million ≠ $ 3 billion"),
        ("We meet on Monday", "We meet on Tuesday", "Monday ≠ Tuesday"),
        ("Well done 👍", "Well done 👎", "opposites: 👍 ↔ 👎"),
        ("the dog bit the man", "the man bit the dog", "traded: dog ↔ man"),
        ("Turn left at the corner.", "Turn right at the corner.", "opposites: left ↔ right"),
        ("She may go to Rome.", "She went to Rome.", "status of go / went: may ↔ did"),
        ("Only kids ate.", "All except children ate.", "only ↔ except: kids / children"),
    ],
)
def test_a_contradiction_is_told(left: str, right: str, expected: str) -> None:
    assert expected in told(left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Ann is taller than Bob.", "Bob is shorter than Ann."),
        ("She ate before he left.", "He left after she ate."),
        ("A ferry sank off the coast.", "Shares fell sharply on Friday."),
        ("The lamp is cheap.", "The lamp is cheap."),
        ("The dog bit the man.", "The man was bitten by the dog."),
        ("Ann read the book.", "The book was read by Ann."),
    ],
)
def test_nothing_is_told_of_what_agrees_or_has_nothing_in_common(left: str, right: str) -> None:
    assert told(left, right) == ()


def test_what_no_column_speaks_of_is_not_told() -> None:
    assert differences("the dog bit the man", "the man bit the dog", {}) == ()
