"""Answers to a question: short ones beside whole sentences, and yes and no."""

from __future__ import annotations

import pytest

from semaniacs.features.contradictions.answers import beside_question

WHALE, INSULIN = "Is a whale a fish?", "Which organ produces insulin?"
PANCREAS = "Insulin is produced by the pancreas."
MAMMAL = "A whale is not a fish but a mammal."


@pytest.mark.parametrize(
    ("question", "left", "right", "expected"),
    [
        (INSULIN, "The pancreas", PANCREAS, ("pancreas", "pancreas")),
        (INSULIN, PANCREAS, "liver", ("pancreas", "liver")),
        (WHALE, "No", MAMMAL, ("No", "No")),
        (WHALE, "Yes, it is.", MAMMAL, ("Yes", "No")),
        (WHALE, "Not a fish", MAMMAL, ("No", "No")),
        ("Is the shop open on Mondays?", "No", "The shop is closed on Mondays.", ("No", "No")),
        ("Isn't a whale a fish?", "Yes", "A whale is a fish.", ("Yes", "Yes")),
    ],
)
def test_what_the_question_says_is_left_out(
    question: str, left: str, right: str, expected: tuple[str, str]
) -> None:
    found = beside_question(question, left, right)
    assert [text.rstrip(" .") for text in found] == [*expected]
    assert beside_question(question, right, left) == found[::-1]


@pytest.mark.parametrize(
    ("question", "left", "right"),
    [
        ("Who conquered Greece?", "Rome conquered Greece.", "Greece conquered Rome."),
        (INSULIN, "The pancreas makes insulin.", PANCREAS),
        (INSULIN, "insulin", PANCREAS),
        (WHALE, "Yes", "It depends."),
        (WHALE, "", MAMMAL),
        ("", "The pancreas", PANCREAS),
    ],
)
def test_other_answers_stay_as_they_are(question: str, left: str, right: str) -> None:
    assert beside_question(question, left, right) == (left, right)
