"""Numbers by value: sentences and the values in them."""

from __future__ import annotations

import pytest

from features.families.numbers import values
from tests.features.support import Value, cases, sentence_of


@pytest.mark.parametrize(("text", "expected"), cases("test_values"))
def test_values(text: str, expected: set[float]) -> None:
    assert values(sentence_of(text)) == expected


@pytest.mark.parametrize(
    ("left", "right", "match", "conflict"),
    [
        ("two cats", "2 cats", 1, 0),
        ("$3m", "three million dollars", 1, 0),
        ("a 3m tall wall", "three million people", 0, 1),
        ("a 3m tall wall", "a wall of three metres", 1, 0),
        ("cats", "dogs", 1, 0),
        ("2 cats", "cats", 0, 0),
        ("2 cats", "3 cats", 0, 1),
        ("2 cats, 3 dogs", "2 cats", 2 / 3, 0),  # 1/2 and 1
        ("2 cats, 3 dogs", "2 cats, 4 dogs", 1 / 2, 1),
    ],
)
def test_numbers_of_a_pair(
    value: Value, left: str, right: str, match: float, conflict: float
) -> None:
    assert value("number_value_match", left, right) == pytest.approx(match)
    assert value("number_conflict", left, right) == conflict
