"""What both sides of a pair write in two ways: what is written alike, and what is left alone."""

from __future__ import annotations

import numpy as np
import pytest

from features.columns import FeatureColumns
from features.measures.values.spelled import respell
from features.measures.values.written_alike import amounts_alike
from sts.data.pairs import Pairs
from sts.text.analysis import analyse

ONE_SPELLING = [
    ("I recieved teh pakage", "I received the package", "I received the package"),
    ("He definately came", "He definitely came", "He definitely came"),
    ("Tommorow is fine", "Tomorrow is fine", "Tomorrow is fine"),
    ("its a beautifull day", "its a beautiful day", "its a beautiful day"),
    ("the colour is gray", "the color is grey", "the color is grey"),
    ("they organised it", "they organized it", "they organized it"),
    ("he travelled far", "he traveled far", "he traveled far"),
    ("a dialogue", "a dialog", "a dialogue"),
    ("I can't go", "I cannot go", "I can not go"),
    ("I can't go", "I can not go", "I can not go"),
    ("I won't do it", "I will not do it", "I will not do it"),
    ("I'm here", "I am here", "I am here"),
    ("It's late", "It is late", "It is late"),
    ("It's gone", "It has gone", "It has gone"),
    ("dont do it", "don't do it", "do not do it"),
    ("a café", "a cafe", "a cafe"),
    ("an e-mail", "an email", "an email"),
    ("lots of watermelon", "lots of water melon", "lots of watermelon"),
    ("gun control", "guncontrol", "gun control"),
    ("alot of it", "a lot of it", "a lot of it"),
    ("Straße", "Strasse", "Strasse"),
]


@pytest.mark.parametrize(("left", "right", "expected"), ONE_SPELLING)
def test_one_spelling(left: str, right: str, expected: str) -> None:
    assert respell(left, right) == (expected, expected)
    assert respell(right, left) == (expected, expected)


@pytest.mark.parametrize("text", ["", " ", "I recieved it", "😀 ’", "e\u0301tude -", "\ud800"])
def test_a_sentence_with_itself_is_left_alone(text: str) -> None:
    assert respell(text, text) == (text, text)


ONE_AMOUNT = [
    ("It cost $1,000,000.", "It cost 1 million dollars.", "It cost $1,000,000."),
    ("It is 5 km away", "It is 5,000 m away", "It is 5 km away"),
    ("It fell 3 percent", "It fell 3%.", "It fell 3 percent."),
    ("2 dogs run", "Two big dogs run", "2 big dogs run"),
    ("A 5-year-old sang", "A five year old sang", "A 5-year-old sang"),
    ("Half of it is gone", "50% of it is gone", "Half of it is gone"),
]

TWO_AMOUNTS = [
    ("He owns 2 dogs", "He owns two cats"),  # of other things
    ("It is about 5 km away", "It is 5,000 m away"),  # one is rough
    ("More than 5 men came", "Five men came"),
    ("Room 101", "Room one hundred and one"),  # a name
    ("They lost 3-2", "They won three to two"),
    ("two dogs", "three dogs"),
    ("", "2"),
]


@pytest.mark.parametrize(("left", "right", "expected"), ONE_AMOUNT)
def test_one_amount_is_written_in_one_way(left: str, right: str, expected: str) -> None:
    analysed = analyse([left, right])
    assert amounts_alike(analysed[left], analysed[right]) == (left, expected)


@pytest.mark.parametrize(("left", "right"), TWO_AMOUNTS)
def test_what_may_be_two_amounts_stays(left: str, right: str) -> None:
    analysed = analyse([left, right])
    assert amounts_alike(analysed[left], analysed[right]) == (left, right)


def test_columns_do_not_depend_on_which_side_is_written_in_which_way() -> None:
    columns = FeatureColumns(
        ("content_1gram", "character_3gram", "shorter_length"), written_alike=True
    )
    sides = ("The 2 colours", "I cant"), ("Two colors there", "I can not go")
    one, other = (Pairs("", *s, np.zeros(2)) for s in (sides, sides[::-1]))
    np.testing.assert_array_equal(columns.compute(one), columns.compute(other))
    assert columns.compute(one)[1, 0] == 1.0  # cant: can not
