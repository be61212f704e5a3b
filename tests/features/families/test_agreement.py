"""Negation, numbers by value, dates, names, questions: tables of sentences and what is in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from features.families.agreement import date, entities, negations, question_type, values
from sts.data.catalog import get_task
from sts.data.fetch import load
from sts.text.analysis import Sentence, analyse

Value = Callable[[str, str, str], float]


def one(text: str) -> Sentence:
    return analyse([text])[text]


def dates(sentence: Sentence) -> set[str]:
    return {found for token in sentence.tokens if (found := date(token))}


def names(sentence: Sentence) -> tuple[set[str], set[str]]:
    """The words of all names, and the initials of those of two words or more."""
    found = entities(sentence)
    initials = {"".join(word[0] for word in name) for name in found if len(name) > 1}
    return {word for name in found for word in name}, initials


def wrong_so_far(*values: Any) -> Any:
    """A case that the rules do not get right."""
    return pytest.param(
        *values, marks=pytest.mark.xfail(reason="the rules do not know it", strict=True)
    )


# Negation


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


# Numbers


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # digits
        ("7 cats and 12 dogs", {7, 12}),
        ("1,200 or 1,200,000", {1200, 1_200_000}),
        ("1,5 or 1.5", {1.5}),
        ("7.0 is 7 is 07", {7}),
        ("50 % of $40", {50, 40}),
        ("the 2nd, 21st and 3rd", {2, 21, 3}),
        ("in the 1990s", {1990}),
        ("٣", {3}),
        ("1.2.3", {123}),  # a version, like no other number
        ("A380, G8, x2", set()),
        ("½ and Ⅳ", set()),
        # words
        ("two cats", {2}),
        ("twenty-five", {25}),
        ("Twenty five", {25}),
        ("ninety-nine and nineteen", {99, 19}),
        ("the twenty-first", {21}),
        ("five-and-twenty", {5, 20}),
        ("two, three or four", {2, 3, 4}),
        ("zero", {0}),
        ("a dozen", {12}),
        ("both, twice", {2}),
        # scales
        ("3 million", {3e6}),
        ("3m, 3mn or 3mln", {3e6}),
        ("$1.5bn", {1.5e9}),
        ("$1.5 bn", {1.5e9}),
        ("€9.8M", {9.8e6}),
        ("$5-million", {5e6}),
        ("two hundred", {200}),
        ("a hundred", {100}),
        ("ten thousand million", {1e10}),
        ("twenty-five thousand", {25_000}),
        ("100k", {100_000}),
        ("millions of people", {1e6}),
        ("m, k or b", set()),
        ("10 km", {10}),
        # nothing
        ("", set()),
        ("quiet", set()),
        # real sentences of 2015
        ("AstraZeneca pays $4bn to buy Bristol-Myers Squibb out of diabetes alliance", {4e9}),
        ("Japan Airlines orders 31 Airbus A350s valued at $9.5 bn", {31, 9.5e9}),
        ("the twenty-seven-year-old man died of four gunshot wounds.", {27, 4}),
        ("China's online population rises to 618 mln", {618e6}),
        ("I have the 18-55, 50/1.8 and 50/1.4", {18, 55, 50, 1.8, 1.4}),
        # what the rules get wrong
        ("won 20-3", {20, 3}),
        ("$4.1 billion or $4,100,000,000", {4.1e9}),
        wrong_so_far("two dozen", {24}),
        wrong_so_far("half a million", {500_000}),
        wrong_so_far("two hundred and fifty", {250}),
        wrong_so_far("three thousand five hundred", {3500}),
        wrong_so_far("hundred million", {1e8}),
        wrong_so_far("30 000", {30_000}),
    ],
)
def test_values(text: str, expected: set[float]) -> None:
    assert values(one(text)) == expected


def test_a_number_too_large_for_a_float() -> None:
    assert values(one("1" * 400)) == values(one("2" * 400)) == {float("inf")}


@pytest.mark.parametrize(
    ("left", "right", "match", "conflict"),
    [
        ("two cats", "2 cats", 1, 0),
        ("$3m", "three million dollars", 1, 0),
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


# Dates


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on Monday and Tues", {"monday", "tuesday"}),
        ("in May", {"may"}),
        ("Sept. 26, 2013", {"september", "2013"}),
        ("Nov. 19", {"november"}),
        ("12/25/2013", {"2013"}),
        ("2013-05-06", {"2013"}),
        ("Today's news", {"today"}),
        ("yesterday, TOMORROW or tonight", {"yesterday", "tomorrow", "tonight"}),
        ("Monday's", {"monday"}),
        # words that are no dates
        ("it may march on", set()),
        ("he sat in the sun", set()),
        ("they wed", set()),
        ("1790 or 2100", set()),
        ("the 1990s", set()),
        ("", set()),
        # what the rules get wrong
        ("germany surrendered in april.", {"april"}),
        ("did you see the pm i sent you on friday?", {"friday"}),
        ("on Thurs night", {"thursday"}),
        wrong_so_far("May I go?", set()),
        wrong_so_far("Sun Microsystems", set()),
    ],
)
def test_dates(text: str, expected: set[str]) -> None:
    assert dates(one(text)) == expected


@pytest.mark.parametrize(
    ("left", "right", "match"),
    [
        ("on Monday", "on Mon", 1),
        ("on Monday", "on Tuesday", 0),
        ("on Monday", "then", 0),
        ("now", "then", 1),
        ("in May 2013", "in June 2013", 1 / 2),
    ],
)
def test_dates_of_a_pair(value: Value, left: str, right: str, match: float) -> None:
    assert value("date_match", left, right) == pytest.approx(match)


# Names


@pytest.mark.parametrize(
    ("text", "words", "initials"),
    [
        ("It rains in London", "london", ""),
        ("He met Barack Obama in New York", "barack obama new york", "bo ny"),
        ("Barack Obama spoke", "barack obama", "bo"),
        ("Iran says no", "iran", ""),  # tagged as a proper noun
        ("Dogs bark", "", ""),  # the first word alone is none
        ("I think so", "", ""),
        ("the Bank of America", "bank america", ""),
        ("U.S. and US troops", "us", ""),
        ("World Health Organization warns", "world health organization", "who"),
        ("São Paulo is big", "são paulo", "sp"),
        ("quiet", "", ""),
        ("", "", ""),
        # what the rules get wrong
        ("In London it rains", "london", ""),
        ("The White House said so", "white house", "wh"),
        ("But I saw it", "", ""),
        ("He left. The dog ran.", "", ""),
        wrong_so_far("WHO: New virus can pass", "who new", ""),
    ],
)
def test_entities(text: str, words: str, initials: str) -> None:
    assert names(one(text)) == (set(words.split()), set(initials.split()))


LONG, SHORT = "He left the World Health Organization", "He left WHO"


@pytest.mark.parametrize(
    ("left", "right", "match", "conflict"),
    [
        ("He saw Paris", "She saw Paris", 1, 0),
        ("He saw Paris", "She saw London", 0, 1),
        ("He saw Paris", "She saw it", 0, 0),
        ("He saw it", "She saw it", 1, 0),
        ("He saw the U.S.", "He saw the US", 1, 0),
        (LONG, SHORT, 1, 0),  # an acronym stands for its name
        (LONG, LONG, 1, 0),
        ("He left the UN", SHORT, 0, 1),
        (f"{LONG} in Paris", f"{SHORT} in London", pytest.approx(0.5, abs=0.4), 1),
    ],
)
def test_names_of_a_pair(
    value: Value, left: str, right: str, match: float, conflict: float
) -> None:
    for a, b in ((left, right), (right, left)):
        assert value("entity_match", a, b) == match
        assert value("entity_conflict", a, b) == conflict


# Questions


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Who is it?", "who"),
        ("So who is it ?", "who"),
        ("In which city?", "which"),
        ("How are you?", "how"),
        ("How many cats are there?", "how many"),
        ("How long is it?", "how long"),
        ("Is it here?", "yes or no"),
        ("Isn't it here?", "yes or no"),
        ("Really?", "other"),
        ("?", "other"),
        ("what is the best way to cook rice", "what"),
        ("It is here.", ""),
        ("He asked who came.", ""),
        ("", ""),
        # what the rules get wrong
        ("When you sit in a car, you feel the change in velocity.", ""),
        ("What you're asking, basically, is whether there are any proofs.", ""),
        ("WHO: New virus can probably pass person to person", ""),
        ('"Are you here?"', "yes or no"),
        wrong_so_far("Is there a condition which promotes literal thinking?", "yes or no"),
    ],
)
def test_question_type(text: str, kind: str) -> None:
    assert question_type(one(text)) == kind


@pytest.mark.parametrize(
    ("left", "right", "match", "count"),
    [
        ("Who is it?", "Who was it?", 1, 1),
        ("Who is it?", "Where is it?", 0, 1),
        ("How many are there?", "How much is it?", 0, 1),
        ("Who is it?", "It is me.", 1 / 2, 1 / 2),
        ("It is me.", "It was you.", 1, 0),
    ],
)
def test_questions_of_a_pair(
    value: Value, left: str, right: str, match: float, count: float
) -> None:
    assert value("question_match", left, right) == match
    assert value("question_count", left, right) == count


# Real sentences


@pytest.fixture(scope="module")
def real(sts_data: Path) -> list[Sentence]:
    """A few hundred sentences of every data set of 2015."""
    texts: list[str] = []
    for dataset in get_task("sts2015").datasets:
        texts += load(dataset, sts_data, with_gold=False).sentences()[:300]
    return list(analyse(texts).values())


def test_what_is_found_in_real_sentences_stands_in_them(real: Sequence[Sentence]) -> None:
    found = [0, 0, 0, 0]
    for sentence in real:
        text = sentence.text.lower().replace(".", "")
        words, initials = names(sentence)
        assert all(word in text for word in words), sentence.text
        assert all(len(letters) > 1 for letters in initials), sentence.text
        assert all(date[:3] in text for date in dates(sentence)), sentence.text
        assert all(value >= 0 for value in values(sentence)), sentence.text
        kinds = (words, dates(sentence), values(sentence), question_type(sentence))
        found = [n + bool(kind) for n, kind in zip(found, kinds, strict=True)]
    assert min(found) >= 20  # each rule finds something
