"""Amounts: how much they are worth, and how far apart two are."""

from __future__ import annotations

import math

import pytest

from features.families.numbers import quantity_differences
from features.measures.amounts import amounts
from tests.features.support import Value, cases, sentence_of


@pytest.mark.parametrize(
    ("text", "dimension", "low", "high"), cases("test_what_an_amount_is_worth")
)
def test_what_an_amount_is_worth(text: str, dimension: str, low: float, high: float) -> None:
    (found,) = amounts(sentence_of(text))
    assert found.readings[0].dimension == dimension
    assert found.readings[0].low == pytest.approx(low)
    assert found.readings[0].high == pytest.approx(high)


def test_a_difference_is_said_in_words() -> None:
    (found,) = quantity_differences(
        sentence_of("It cost 3 million dollars"), sentence_of("It cost 3 billion dollars")
    )
    assert str(found) == "3 million dollars ≠ 3 billion dollars"


def test_farther_apart_is_graded_higher(value: Value) -> None:
    near = value("quantity_conflict", "It cost $3", "It cost $4")
    far = value("quantity_conflict", "It cost $3 million", "It cost $3 billion")
    assert near == pytest.approx(0.5 + 0.5 * math.log(4 / 3) / math.log(1000))
    assert far == 1.0


def test_dates_are_no_amounts() -> None:
    assert amounts(sentence_of("On 3 May 2020 at 5 pm, in the 1990s, in 1999")) == ()
