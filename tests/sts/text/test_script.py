"""Which script letters are in."""

from __future__ import annotations

import pytest

from semaniacs.sts.text.tokenizer import is_mostly_outside, script_of


@pytest.mark.parametrize(
    ("letters", "script"),
    [
        ("aÉßøªＡ𝐀ﬁ", "LATIN"),
        ("дЇ", "CYRILLIC"),
        ("ωµ", "GREEK"),
        ("家汉", "CJK"),
        ("いっ", "HIRAGANA"),
        ("カｶー", "KATAKANA"),
        ("한", "HANGUL"),
        ("ש", "HEBREW"),
        ("ع", "ARABIC"),
    ],
)
def test_the_script_of_a_letter(letters: str, script: str) -> None:
    assert {script_of(letter) for letter in letters} == {script}


def test_most_letters_decide() -> None:
    assert is_mostly_outside("Привет, Tom!")
    assert not is_mostly_outside("Hello, Вася!")
    assert not is_mostly_outside("ab вг")  # half is not most
    assert not any(map(is_mostly_outside, ["", "12", "😀", "?!", "\ud800"]))
    assert is_mostly_outside("Tom", {"CYRILLIC"})
    assert not is_mostly_outside("Привет", {"CYRILLIC"})
