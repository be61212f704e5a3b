"""Sentences one edit apart: what turns the meaning, and what leaves it as it is."""

from __future__ import annotations

import pytest

from features.families.small_words import edit_differences
from tests.features.support import Value, cases, sentence_of

TURNED = cases("TURNED")

KEPT = cases("KEPT")


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
