"""Names: sentences and the names in them."""

from __future__ import annotations

import pytest

from tests.features.support import cases, names, sentence_of


@pytest.mark.parametrize(("text", "words", "initials"), cases("test_entities"))
def test_entities(text: str, words: str, initials: str) -> None:
    assert names(sentence_of(text)) == (set(words.split()), set(initials.split()))
