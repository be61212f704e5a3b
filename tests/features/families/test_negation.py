"""Negation: sentences and how many words deny."""

from __future__ import annotations

from typing import Any

import pytest

from features.families.small_words import negations
from tests.features.support import Value, wrong_so_far


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("He can't go", 1),
        ("He cannot go", 1),
        ("He can not go", 1),
        ("It isn’t", 1),
        ("No, no!", 2),
        ("nobody ever lacked anything", 2),
        ("We never fail", 2),
        ("hardly without", 2),
        ("knot, note, Norwegian", 0),
        ("", 0),
        ("Neither he nor she", 1),
        wrong_so_far("They dont know", 1),
    ],
)
def test_negations(batch_of: Any, text: str, count: int) -> None:
    left, right = negations(batch_of([text], ["nothing"]))
    assert (left.tolist(), right.tolist()) == ([count], [1])


@pytest.mark.parametrize(
    ("left", "right", "match", "count"),
    [
        ("He goes", "She goes", 1, 0),
        ("He doesn't go", "She goes", 0, 1),
        ("He doesn't go", "She never goes", 1, 0),
        ("It's not that nobody goes", "They go", 1, 2),  # twice is not at all
        ("no " * 9, "yes", 0, 6),  # no more than six are told apart
    ],
)
def test_negation_of_a_pair(value: Value, left: str, right: str, match: int, count: int) -> None:
    assert value("negation_match", left, right) == match
    assert value("negation_count", left, right) == count
