"""Trigrams: every three characters in a row, spaces at the ends."""

from __future__ import annotations

import pytest

from semaniacs.embeddings.tokenizers.trigrams import TrigramTokenizer, frequent, trigrams


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \t\u00a0", []),
        ("A", [" a "]),
        (" Ab\n\nc", [" ab", "ab ", "b c", " c "]),
        ("e\u0301\ud800", [" é?", "é? "]),
    ],
)
def test_trigrams_by_hand(text: str, expected: list[str]) -> None:
    assert trigrams(text) == expected


def test_rows_by_hand() -> None:
    vocabulary = TrigramTokenizer(["ab ", " ab"], 3)
    assert len(vocabulary) == 5
    assert vocabulary.ids("ab") == [1, 0]
    assert vocabulary.ids("Ab x") == [1, 0, vocabulary.bucket("b x"), vocabulary.bucket(" x ")]
    assert vocabulary.ids(" ") == []


def test_the_most_frequent_and_of_equal_ones_the_first_in_the_alphabet() -> None:
    assert frequent("c b a b c d".split(), 3) == ["b", "c", "a"]
    assert frequent([], 3) == []
