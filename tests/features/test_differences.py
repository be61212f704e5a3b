"""Contradictions put in words."""

from __future__ import annotations

import numpy as np
import pytest

from features.columns import FeatureColumns
from features.differences import differences
from sts.data.pairs import Pairs
from tests.features.support import cases

COLUMNS = (
    "polarity_conflict", "opposite_words", "exclusive_words", "factuality_conflict",
    "quantifier_conflict", "calendar_conflict", "quantity_conflict", "name_conflict",
    "structure_conflict", "traded",
)  # fmt: skip


def told(left: str, right: str) -> tuple[str, ...]:
    pair = Pairs("one", (left,), (right,), np.zeros(1))
    values = FeatureColumns(COLUMNS).compute(pair)[0]
    return differences(left, right, dict(zip(COLUMNS, values.tolist(), strict=True)))


@pytest.mark.parametrize(("left", "right", "expected"), cases("test_a_contradiction_is_told"))
def test_a_contradiction_is_told(left: str, right: str, expected: str) -> None:
    assert expected in told(left, right)


@pytest.mark.parametrize(
    ("left", "right"), cases("test_nothing_is_told_of_what_agrees_or_has_nothing_in_common")
)
def test_nothing_is_told_of_what_agrees_or_has_nothing_in_common(left: str, right: str) -> None:
    assert told(left, right) == ()


def test_what_no_column_speaks_of_is_not_told() -> None:
    assert differences("the dog bit the man", "the man bit the dog", {}) == ()
