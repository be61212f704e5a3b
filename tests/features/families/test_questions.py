"""Questions: sentences and what they ask for."""

from __future__ import annotations

import pytest

from features.families.small_words import question_differences, question_type
from tests.features.support import sentence_of, wrong_so_far


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
        ('"What has happened to you?', "what"),
        ('"What has happened to you, sir, is enough," he said.', "what"),  # the mark is no word
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
    assert question_type(sentence_of(text)) == kind


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ("Is it cold?", "It is cold.", ["asks ≠ says"]),
        ("How cold it is!", "How cold is it?", ["says ≠ asks"]),
        ("Is it cold?", "it is cold", []),  # a headline or a note has no full stop
        ("Is it cold?", "How cold is it?", []),
        ("", "Is it cold?", []),
    ],
)
def test_what_one_side_asks_and_the_other_says(a: str, b: str, said: list[str]) -> None:
    assert [str(d) for d in question_differences(sentence_of(a), sentence_of(b))] == said
