"""Amounts: pairs that exclude each other, and pairs that say the same in other words."""

from __future__ import annotations

import math

import pytest

from features.families.numbers import quantity_differences
from features.measures.values.amounts import amounts
from tests.features.support import Value, sentence_of


@pytest.mark.parametrize(
    ("text", "dimension", "low", "high"),
    [
        ("5 km", "length", 5000, 5000),
        ("$1.5bn", "usd", 1.5e9, 1.5e9),
        ("75 cents", "usd", 0.75, 0.75),
        ("an hour and a half", "time", 5400, 5400),
        ("two hours and 30 minutes", "time", 9000, 9000),
        ("212 °F", "temperature", 100, 100),
        ("5-10 kg", "mass", 5, 10),
        ("36 km/h", "speed", 10, 10),
        ("three out of four", "share", 0.75, 0.75),
        ("hundreds of cats", "count", 200, 999),
        ("two and a half million", "count", 2.5e6, 2.5e6),
        ("the twenty-first", "ordinal", 21, 21),
        ("3 cubic metres", "volume", 3000, 3000),
    ],
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
