"""Values that the rules read in one sentence, or in two: names, numbers, amounts, dates, questions, edits."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from semaniacs.features.families.names import entities
from semaniacs.features.families.numbers import quantity_differences
from semaniacs.features.families.small_words import (
    edit_differences,
    question_differences,
    question_type,
)
from semaniacs.features.families.surface import names, numbers, same_number, stocks
from semaniacs.features.measures.amounts import amounts
from semaniacs.features.measures.moments import moments
from semaniacs.features.measures.sameness import same_amount
from semaniacs.sts.text.analysis import Sentence
from tests.features.support import Value, cases, sentence_of


@pytest.mark.parametrize(("text", "kind", "readings"), cases("test_what_a_moment_means"))
def test_what_a_moment_means(text: str, kind: str, readings: tuple[tuple[int, ...], ...]) -> None:
    (found,) = moments(sentence_of(text))
    assert (found.kind, found.readings) == (kind, readings)


@pytest.mark.parametrize(
    "text", ["You may go", "They march on", "2000 people", "3.1.2", "the sun and the moon", ""]
)
def test_what_is_no_moment(text: str) -> None:
    assert moments(sentence_of(text)) == ()


@pytest.mark.parametrize(
    "text", ["31 April", "on April 31", "the 30th of February", "Feb 30, 2020", "31/04/2020"]
)
def test_a_day_that_a_month_lacks_is_no_date(text: str) -> None:
    assert all(day == 0 for m in moments(sentence_of(text)) for _, _, day in m.readings)


@pytest.mark.parametrize(("text", "words", "initials"), cases("test_entities"))
def test_entities(text: str, words: str, initials: str) -> None:
    found = entities(sentence_of(text))
    assert {word for name in found for word in name} == set(words.split())
    shortened = {"".join(word[0] for word in name) for name in found if len(name) > 1}
    assert shortened == set(initials.split())


@pytest.mark.parametrize(
    ("text", "dimension", "low", "high"), cases("test_what_an_amount_is_worth")
)
def test_what_an_amount_is_worth(text: str, dimension: str, low: float, high: float) -> None:
    (found,) = amounts(sentence_of(text))
    assert found.readings[0] == (dimension, pytest.approx(low), pytest.approx(high))


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("It is 3/4.", "It is 0.75.", True),
        ("It is ½.", "It is 50%.", True),
        ("It is 3/4.", "It is 4/3.", False),
        ("It holds 1500 ml.", "It holds 1.5 l.", True),
        ("It holds 1500 ml.", "It holds 15 l.", False),
    ],
)
def test_amounts_in_other_notations(left: str, right: str, same: bool) -> None:
    (one,), (other,) = amounts(sentence_of(left)), amounts(sentence_of(right))
    assert same_amount(one, other) is same


def test_amounts_differ_more_the_farther_apart_they_are(value: Value) -> None:
    millions, billions = "It cost 3 million dollars", "It cost 3 billion dollars"
    (found,) = quantity_differences(sentence_of(millions), sentence_of(billions))
    assert str(found) == "3 million dollars ≠ 3 billion dollars"
    assert value("quantity_conflict", millions, billions) == 1.0
    near = value("quantity_conflict", "It cost $3", "It cost $4")
    assert near == pytest.approx(0.5 + 0.5 * math.log(4 / 3) / math.log(1000))


def test_dates_are_no_amounts() -> None:
    assert amounts(sentence_of("On 3 May 2020 at 5 pm, in the 1990s, in 1999")) == ()


@pytest.mark.parametrize(("text", "kind"), cases("test_question_type"))
def test_question_type(text: str, kind: str) -> None:
    assert question_type(sentence_of(text)) == kind


@pytest.mark.parametrize(("a", "b", "said"), cases("test_what_one_side_asks_and_the_other_says"))
def test_what_one_side_asks_and_the_other_says(a: str, b: str, said: list[str]) -> None:
    assert [str(d) for d in question_differences(sentence_of(a), sentence_of(b))] == said


TURNED = cases("TURNED")


@pytest.mark.parametrize(("a", "b", "said", "grade"), TURNED, ids=[t[2] for t in TURNED])
def test_one_edit_that_turns_the_meaning_is_found_both_ways(
    a: str, b: str, said: str, grade: float
) -> None:
    (found,) = edit_differences(sentence_of(a), sentence_of(b))
    (back,) = edit_differences(sentence_of(b), sentence_of(a))
    assert (str(found), found.grade) == (said, grade)
    assert (back.left, back.right, back.grade) == (found.right, found.left, grade)


@pytest.mark.parametrize(("a", "b"), cases("KEPT"))
def test_other_edits_are_none_of_its_business(a: str, b: str) -> None:
    assert edit_differences(sentence_of(a), sentence_of(b)) == ()
    assert edit_differences(sentence_of(b), sentence_of(a)) == ()


def test_people_who_trade_places_may_say_the_same(value: Value) -> None:
    wife = "Mary is John's wife.", "John is Mary's husband."
    assert value("exclusive_words", *wife) == value("opposite_words", *wife) == 0
    assert value("opposite_words", "I am taller than you.", "You are shorter than me.") == 0
    assert value("opposite_words", "I am taller than you.", "I am shorter than you.") > 0.5
    assert value("single_edit_conflict", "I owe you money.", "You owe me money.") == 0.8
    assert value("single_edit_conflict", "I met her.", "She met me.") == 0
    assert value("single_edit_conflict", "He is my cousin.", "I am his cousin.") == 0


def test_the_column_reads_only_pairs_with_nearly_the_same_words(value: Value) -> None:
    assert value("single_edit_conflict", "We left with Ann.", "We left without Ann.") == 0.8
    assert value("single_edit_conflict", "with", "without") == 0.8
    long = "We left early this morning ", " them and their two old dogs."
    assert value("single_edit_conflict", "with".join(long), "Nobody came without us.") == 0.0


@pytest.mark.parametrize(
    ("find", "text", "expected"),
    [
        (numbers, "7 cats, 1,200 dogs and 3.5 %", {"7", "1200", "3.5"}),
        (numbers, "the 2nd of B52s, half past ½", set()),
        (names, "Paris is in France", {"France"}),
        (names, "He left the U.S. in May", {"May"}),
        (stocks, "The end .So it was. DJI fell .5 points", set()),
    ],
)
def test_what_is_found_as_it_is_written(
    find: Callable[[Sentence], frozenset[str]], text: str, expected: set[str]
) -> None:
    assert find(sentence_of(text)) == expected


@pytest.mark.parametrize(("a", "b", "same"), cases("test_same_number"))
def test_same_number(a: str, b: str, same: bool) -> None:
    assert same_number(a, b) == same_number(b, a) == same
