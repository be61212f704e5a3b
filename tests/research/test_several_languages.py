"""Sentences in nearly the same words that mean something else, for the reader of several languages."""

from __future__ import annotations

import random

import pytest

from research.contrast.other_words import OtherWords
from research.contrast.several_languages import denied


@pytest.fixture(scope="module")
def words() -> OtherWords:
    return OtherWords()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is open.", "It is not open."),
        ("It is not open.", "It is open."),
        ("They can't swim.", "They can swim."),
        ("America is not big.", "America is big."),
        ("He sleeps.", None),
        ("It is said that he was ill.", None),
    ],
)
def test_a_sentence_is_denied_or_affirmed(text: str, expected: str | None) -> None:
    assert denied(text) == expected


def test_a_word_is_exchanged_for_an_opposite_in_its_form(words: OtherWords) -> None:
    assert {"fell", "declined"} <= {*words.others("rose")[0]}
    assert {"blue", "green"} <= {*words.others("red")[0]}
    assert {"after"} <= {*words.others("before")[0]}


def test_neighbours_that_mean_the_same_are_left_out(words: OtherWords) -> None:
    assert {"jerusalem", "prague"} <= {*words.others("madrid")[1]}
    assert "purchase" not in words.others("buy")[1]
    assert not any(other.startswith("signed") for other in words.others("signed")[1])


def test_one_word_is_exchanged_and_keeps_its_capital(words: OtherWords) -> None:
    rng, text = random.Random(1), "Prices rose sharply in Madrid."
    for _ in range(20):
        other = words.exchanged(text, rng)
        assert other is not None
        differ = [
            pair for pair in zip(text.split(), other.split(), strict=True) if len({*pair}) > 1
        ]
        ((one, two),) = differ
        assert one[0].isupper() == two[0].isupper()
    assert words.exchanged("12 + 3", rng) is None
