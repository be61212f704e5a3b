"""Which script letters are in."""

from __future__ import annotations

import pytest

from semaniacs.sts.text.tokenizer import is_mostly_outside, script_of
from semaniacs.sts.text.transliteration import close_key, loose_key, to_cyrillic


@pytest.mark.parametrize(
    ("letters", "script"),
    [
        ("aÉßøªＡ𝐀ﬁ", "LATIN"),
        ("дЇ", "CYRILLIC"),
        ("家汉", "CJK"),
        ("いっ", "HIRAGANA"),
        ("ع", "ARABIC"),
    ],
)
def test_the_script_of_a_letter(letters: str, script: str) -> None:
    assert {script_of(letter) for letter in letters} == {script}


def test_most_letters_decide() -> None:
    assert all(map(is_mostly_outside, ["Привет, Tom!", "я", "Ο σκύλος, α = 1", "犬"]))
    assert not is_mostly_outside("Hello, Вася!")
    assert not is_mostly_outside("ab вг")  # half is not most
    assert not any(
        map(is_mostly_outside, ["", "12", "😀", "?!", "\ud800", "α = 0.05", "Δt ≤ λ_1 + αβ", "π"])
    )
    assert is_mostly_outside("Tom", {"CYRILLIC"})
    assert not is_mostly_outside("Привет", {"CYRILLIC"})


# Russian in Latin letters: many ways to write a word come back as one


@pytest.mark.parametrize(
    ("word", "ways"),
    [
        ("площадь", "ploshchad ploshhad ploschad"),
        ("сильный", "silnyj silniy silnyy silni silnii"),
        ("объявил", "obyavil objavil obiavil"),
        ("цены", "tseny ceny czeny tceny"),
        ("экс", "eks ex"),
    ],
)
def test_ways_to_write_a_word_have_one_close_key(word: str, ways: str) -> None:
    assert {close_key(way) for way in ways.split()} == {close_key(word)}
    for way in ways.split():
        assert to_cyrillic([way, "segodnya", "stal"]) == [word, "сегодня", "стал"]


@pytest.mark.parametrize(("word", "way"), [("можно", "mojno"), ("вышедших", "vyshedshix")])
def test_what_only_the_loose_key_knows(word: str, way: str) -> None:
    assert loose_key(word) == loose_key(way)
    assert to_cyrillic([way, "segodnya", "stal"]) == [word, "сегодня", "стал"]


def test_keys_of_words_that_differ() -> None:
    assert loose_key("град") != loose_key("город")
    assert close_key("жил") != close_key("зил")
    assert loose_key("жил") == loose_key("зил") == "zil"


def test_what_no_list_has_is_spelled() -> None:
    ways = ["zhubrilkovyshchiy", "zhubrilkovyschij"]
    assert to_cyrillic(ways) == ["жубрилковищи"] * 2


def test_other_languages_are_left_alone() -> None:
    assert to_cyrillic("the old bridge over river was closed".split()) is None
    assert to_cyrillic("uryad ogolosyv novi obmezhennya cherez karantyn".split()) is None
    mixed = to_cyrillic("kompaniya playstation pokazala novyj video igra 2".split())
    assert mixed == ["компания", "playstation", "показала", "новый", "видео", "игра", "2"]
