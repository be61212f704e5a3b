"""What the rules of several families find in a few hundred real sentences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from features.families.numbers import values
from features.families.small_words import question_type
from sts.data.catalog import get_task
from sts.data.fetch import load
from sts.text.analysis import Sentence, analyse
from tests.features.support import dates, names


@pytest.fixture(scope="module")
def real(sts_data: Path) -> list[Sentence]:
    """A few hundred sentences of every data set of 2015."""
    texts: list[str] = []
    for dataset in get_task("sts2015").datasets:
        texts += load(dataset, sts_data, with_gold=False).sentences()[:300]
    return list(analyse(texts).values())


def test_what_is_found_in_real_sentences_stands_in_them(real: Sequence[Sentence]) -> None:
    found = [0, 0, 0, 0]
    for sentence in real:
        text = sentence.text.lower().replace(".", "")
        words, initials = names(sentence)
        assert all(word in text for word in words), sentence.text
        assert all(len(letters) > 1 for letters in initials), sentence.text
        assert all(date[:3] in text for date in dates(sentence)), sentence.text
        assert all(value >= 0 for value in values(sentence)), sentence.text
        kinds = (words, dates(sentence), values(sentence), question_type(sentence))
        found = [n + bool(kind) for n, kind in zip(found, kinds, strict=True)]
    assert min(found) >= 20  # each rule finds something
