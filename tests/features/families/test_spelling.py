"""One word in two spellings: what is respelled, and what is left alone."""

from __future__ import annotations

import pytest

from features.measures.values.spelled import respell
from features.measures.values.spelled_columns import may_differ
from tests.features.support import MakeBatch

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

APART = """
a quiet room | quite a room
a form | from a
Room 101 | Room 102
hot dessert | hot desert
John met | Jon met
Hansen won | Hanson won
marital law | martial law
a casual link | a causal link
dogs bark | dog barks
iphones | iphone
he filled it | he filed it
timbre | timber
an hour | an our
four | for
John's dog is big | John is big
along way | a long way
Iran | Iraq
Pakistanis | Pakistan
prise | prize
the | thee
lose | loose
affect | effect
principal | principle
""".strip().split("\n")


@pytest.mark.parametrize(("left", "right", "expected"), ONE_SPELLING)
def test_one_spelling(left: str, right: str, expected: str) -> None:
    assert respell(left, right) == (expected, expected)
    assert respell(right, left) == (expected, expected)


def test_no_pair_with_two_spellings_is_passed_over(batch_of: MakeBatch) -> None:
    left, right, _ = zip(*ONE_SPELLING, strict=True)
    assert may_differ(batch_of([*left, *right], [*right, *left])).all()
    unlike = batch_of(
        ["Iran won", "dogs bark", "the same", ""], ["Iraq won", "cats mew", "the same", "a"]
    )
    assert not may_differ(unlike).any()


@pytest.mark.parametrize("row", APART)
def test_two_words_stay_two(row: str) -> None:
    left, right = (side.strip() for side in row.split("|"))
    assert respell(left, right) == (left, right)
    assert respell(right, left) == (right, left)


@pytest.mark.parametrize("text", ["", " ", "I recieved it", "😀 ’", "e\u0301tude -", "\ud800"])
def test_a_sentence_with_itself_is_left_alone(text: str) -> None:
    assert respell(text, text) == (text, text)
