"""Words and amounts that the sides of a pair write in two ways: written alike, or left alone."""

from __future__ import annotations

import numpy as np
import pytest

import semaniacs
from semaniacs.features import lexicon
from semaniacs.features.measures.notations import values_alike
from semaniacs.features.measures.spelling import respell
from semaniacs.features.registry import FeatureColumns
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.text.analysis import analyse
from tests.features.support import cases

ONE_SPELLING = cases("ONE_SPELLING")


@pytest.mark.parametrize(("left", "right", "expected"), ONE_SPELLING)
def test_one_spelling(left: str, right: str, expected: str) -> None:
    assert respell(left, right) == (expected, expected)
    assert respell(right, left) == (expected, expected)


@pytest.mark.parametrize(("left", "right"), cases("TWO_NAMES"))
def test_words_that_are_no_names_there_stay(left: str, right: str) -> None:
    assert respell(left, right) == (left, right)
    assert respell(right, left) == (right, left)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("flat", "apartment"),
        ("The CEO resigned.", "The chief executive officer resigned."),
        ("München", "Munich"),
        ("idk what u mean", "I don't know what you mean"),
        ("Thedataisgood.", "The data is good."),
        ("Teh wether is realy nise todya.", "The weather is really nice today."),
    ],
)
@pytest.mark.filterwarnings("ignore:1 of the first 2 sentences")
def test_names_of_the_same_thing_score_as_the_same(left: str, right: str) -> None:
    assert semaniacs.score(left, right) > 4.5


@pytest.mark.parametrize(("left", "right", "expected"), cases("HEADS"))
def test_a_thing_is_not_what_is_for_it(left: str, right: str, expected: float) -> None:
    pairs = Pairs("", (left, right), (right, left), np.zeros(2))
    column = FeatureColumns(("head_noun_conflict",)).compute(pairs)
    assert column.tolist() == [[expected], [expected]]


def test_every_name_has_another_one_and_a_source() -> None:
    header, *lines = lexicon.NAMES.read_text("utf-8").splitlines()
    assert header == "name\tother name\tsource"
    for name, other, source in (line.split("\t") for line in lines):
        assert name.split() and other.split() and name.lower() != other
        assert source in ("own", "WordNet", "GeoNames", "CLDR")


@pytest.mark.parametrize("text", ["", " ", "I recieved it", "😀 ’", "e\u0301tude -", "\ud800"])
def test_a_sentence_with_itself_is_left_alone(text: str) -> None:
    assert respell(text, text) == (text, text)


ONE_AMOUNT = cases("ONE_AMOUNT")

TWO_AMOUNTS = cases("TWO_AMOUNTS")


@pytest.mark.parametrize(("left", "right", "expected"), ONE_AMOUNT)
def test_one_amount_is_written_in_one_way(left: str, right: str, expected: str) -> None:
    analysed = analyse([left, right])
    assert values_alike(analysed[left], analysed[right]) == (left, expected)


@pytest.mark.parametrize(("left", "right"), TWO_AMOUNTS)
def test_what_may_be_two_amounts_stays(left: str, right: str) -> None:
    analysed = analyse([left, right])
    assert values_alike(analysed[left], analysed[right]) == (left, right)


def test_columns_do_not_depend_on_which_side_is_written_in_which_way() -> None:
    columns = FeatureColumns(
        ("content_1gram", "character_3gram", "shorter_length"), written_alike=True
    )
    sides = ("The 2 colours", "I cant"), ("Two colors there", "I can not go")
    one, other = (Pairs("", *s, np.zeros(2)) for s in (sides, sides[::-1]))
    np.testing.assert_array_equal(columns.compute(one), columns.compute(other))
    assert columns.compute(one)[1, 0] == 1.0  # cant: can not
