"""The order of words by worked examples: what was moved, what was traded, what left its phrase."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from semaniacs.features.families.order import described, traded
from semaniacs.features.measures.word_order.kinds import ORDER_COLUMNS
from semaniacs.features.resources import Resources
from tests.features.support import make_batch, sentence_of

Value = Callable[[str, str, str], float]


@pytest.fixture(scope="module")
def value() -> Value:
    """One column of one pair."""
    resources = Resources()

    def find(name: str, left: str, right: str) -> float:
        return float(
            described(make_batch([left], [right], resources))[0, ORDER_COLUMNS.index(name)]
        )

    return find


FLIGHT = ("The flights from Berlin to Amsterdam were late.",
          "The flights from Amsterdam to Berlin were late.")  # fmt: skip
CLAUSE = ("In 1902 the old painter sold his house.", "The old painter sold his house in 1902.")
LIST = ("She likes Berlin and Amsterdam.", "She likes Amsterdam and Berlin.")
ADJECTIVES = ("The red car passed the green house.", "The green car passed the red house.")
ROLES = ("The dog chased the man.", "The man chased the dog.")


def test_inversions_are_counted_by_hand(value: Value) -> None:
    # flights, Berlin, Amsterdam, late: one of six pairs is inverted
    assert value("order_inversions", *FLIGHT) == pytest.approx(1 / 6)
    # 1902 stands behind old, painter, sold, house: four of ten
    assert value("order_inversions", *CLAUSE) == pytest.approx(4 / 10)
    assert value("order_moved_count", *CLAUSE) == 1


def test_traded_names_are_told_from_a_moved_clause_and_from_a_list(value: Value) -> None:
    assert value("traded_words", *FLIGHT) > 0.3
    assert value("traded_words", *CLAUSE) == 0
    assert value("traded_words", *LIST) == 0
    assert value("traded_in_list", *LIST) > 0.3


def test_traded_adjectives_left_their_phrase(value: Value) -> None:
    assert value("adjective_noun_traded", *ADJECTIVES) == 2
    assert value("phrase_kept", *ADJECTIVES) == 0
    assert value("phrase_split", *ADJECTIVES) == 2
    assert value("traded_words", *ADJECTIVES) > 0.3


@pytest.mark.parametrize(
    ("pair", "expected"),
    [(FLIGHT, {"Berlin", "Amsterdam"}), (ROLES, {"dog", "man"}), (LIST, set()), (("a", ""), set())],
)
def test_what_was_traded_is_said_in_words(pair: tuple[str, str], expected: set[str]) -> None:
    left, right = map(sentence_of, pair)
    found = traded(left, right)
    assert {word for trade in found for word in trade} == expected
    assert traded(right, left) == found


@pytest.mark.parametrize("pair", [CLAUSE, ADJECTIVES, ("", "a")])
def test_the_sides_may_be_given_either_way_round(pair: tuple[str, str]) -> None:
    batch = make_batch(pair, pair[::-1], Resources())
    there, back = described(batch)
    np.testing.assert_array_equal(there, back)
    assert np.isfinite(there).all()
