"""Sentences one edit apart: what turns the meaning, and what leaves it as it is."""

from __future__ import annotations

import pytest

from features.families.small_words import edit_differences
from tests.features.support import Value, sentence_of

TURNED = [
    ("The boots are under the bench.", "The boots are behind the bench.", "under ≠ behind", 0.8),
    ("We waited until noon.", "We waited since noon.", "until ≠ since", 0.8),
    ("That bike is hers.", "That bike is ours.", "hers ≠ ours", 0.8),
    ("You may smoke here.", "You must not smoke here.", "may ≠ must not", 0.7),
    ("The tower is being painted.", "The tower has been painted.", "is being ≠ has been", 0.5),
    ("He rents it by the hour.", "He rents it by the week.", "hour ≠ week", 0.8),
    ("Bring salt and pepper.", "Bring salt or pepper.", "and ≠ or", 0.5),
    ("We meet every week.", "We meet every other week.", "– ≠ other", 0.6),
    ("She nearly won the race.", "She won the race.", "nearly ≠ –", 0.6),
    ("Only Tom eats fish.", "Tom eats only fish.", "only tom eats ≠ tom eats only", 0.6),
    (
        "Our cat likes their dog.",
        "Their cat likes our dog.",
        "our cat likes their ≠ their cat likes our",
        0.8,
    ),
    ("So late again 🎉", "So late again 😡", "🎉 ≠ 😡", 0.8),
    ("Where did he sing?", "When did he sing?", "where ≠ when", 0.8),
]

KEPT = [
    ("She put it in the box.", "She put it inside the box."),  # one class
    ("He spoke at the fair.", "He spoke on the fair."),  # prepositions of many uses
    ("The red car stopped.", "The blue car stopped."),  # content words are for other rules
    ("They quickly left the room.", "They left the room quickly."),  # an adverb may stand anywhere
    ("Ann and Ben sang.", "Ben and Ann sang."),
    ("Ann married Ben.", "Ben married Ann."),
    ("So late again 🎉", "So late again 👍"),
    ("It was cold and it rained.", "It is cold and it rains."),  # differs in two places
    ("The boots are under the bench.", "The boots are under the bench."),
    ("", "Behind."),
]


@pytest.mark.parametrize(("a", "b", "said", "grade"), TURNED, ids=[t[2] for t in TURNED])
def test_one_edit_that_turns_the_meaning_is_found_both_ways(
    a: str, b: str, said: str, grade: float
) -> None:
    (found,) = edit_differences(sentence_of(a), sentence_of(b))
    (back,) = edit_differences(sentence_of(b), sentence_of(a))
    assert (str(found), found.grade) == (said, grade)
    assert (back.left, back.right, back.grade) == (found.right, found.left, grade)


@pytest.mark.parametrize(("a", "b"), KEPT)
def test_other_edits_are_none_of_its_business(a: str, b: str) -> None:
    assert edit_differences(sentence_of(a), sentence_of(b)) == ()
    assert edit_differences(sentence_of(b), sentence_of(a)) == ()


def test_the_column_reads_only_pairs_with_nearly_the_same_words(value: Value) -> None:
    assert value("single_edit_conflict", "We left with Ann.", "We left without Ann.") == 0.8
    assert value("single_edit_conflict", "with", "without") == 0.0
