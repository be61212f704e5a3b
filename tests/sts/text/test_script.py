"""Which script letters are in."""

from __future__ import annotations

import pytest

from sts.text.script import NotLatin, is_mostly_outside, script_of


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


def test_sentences_are_handed_on_and_counted() -> None:
    scripts = NotLatin()
    assert scripts.warning("raw", "another") is None
    texts = ["A dog.", "Собака\nбежит.", "家"]
    assert list(scripts.watch(texts)) == texts
    assert (scripts.found, scripts.seen) == (2, 3)
    assert str(scripts.warning("raw", "another")) == (
        "2 of 3 sentences are not in Latin script, such as 'Собака бежит.'; raw knows English "
        "alone: try another, which reads Russian too, or translate first"
    )
