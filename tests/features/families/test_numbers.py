"""Numbers by value: sentences and the values in them."""

from __future__ import annotations

import pytest

from features.families.numbers import values
from tests.features.support import Value, sentence_of, wrong_so_far


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
        # m is metre beside an extent, a dimension, a race or a time; else million
        ("It is 5 m tall", {5}),
        ("a 5m-long pole", {5}),
        ("a wall 2.5 m high and 30m wide", {2.5, 30}),
        ("299,792,458 m/s", {299_792_458}),
        ("3 m per minute", {3}),
        ("12m in diameter", {12}),
        ("at a distance of 40 m", {40}),
        ("5 m x 3 m deep", {5, 3}),
        ("the 200m freestyle", {200}),
        ("5m people", {5e6}),
        ("3.4m vehicles", {3.4e6}),
        ("€5m deep in debt", {5e6}),
        ("a $5m long-term deal", {5e6}),
        ("a 5m long-term deal", {5e6}),
        ("US$965m in May", {965e6}),
        wrong_so_far("Bolt wins 200m", {200}),
        wrong_so_far("3m high school students", {3e6}),
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
