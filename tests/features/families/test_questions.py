"""Questions: sentences and what they ask for."""

from __future__ import annotations

import pytest

from features.families.small_words import question_differences, question_type
from tests.features.support import cases, sentence_of


@pytest.mark.parametrize(("text", "kind"), cases("test_question_type"))
def test_question_type(text: str, kind: str) -> None:
    assert question_type(sentence_of(text)) == kind


@pytest.mark.parametrize(("a", "b", "said"), cases("test_what_one_side_asks_and_the_other_says"))
def test_what_one_side_asks_and_the_other_says(a: str, b: str, said: list[str]) -> None:
    assert [str(d) for d in question_differences(sentence_of(a), sentence_of(b))] == said
