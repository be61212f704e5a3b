"""Which texts are the same but for width, case, punctuation and spacing."""

from __future__ import annotations

import random

import pytest

from semaniacs.sts.text.tokenizer import same_text, same_text_key, same_texts

SAME = [
    ("A dog runs.", "a  DOG\truns"),
    ("Straße", "STRASSE!"),
    ("ΟΔΟΣ", "οδος"),
    ("Ｈｅｌｌｏ　ｗｏｒｌｄ", "hello world"),
    ("caf\u00e9", "cafe\u0301"),
    ("can\u2019t", "can't"),
    ("“Yes,” she said\u2014twice", "Yes she said twice"),
    ("50%", "50 %"),
    ("zero\u200bwidth", "zerowidth"),
    ("\u2764", "\u2764\ufe0f"),
    ("👍", " 👍"),
]
OTHER = [
    ("Berlin Amsterdam", "Amsterdam Berlin"),
    ("1.5", "1,5"), ("1.5", "15"), ("-5", "5"), (".5", "5"), ("10:30", "1030"), ("10²", "102"),
    ("2½", "21/2"), ("C++", "C"), ("5 > 3", "5 < 3"), ("$5", "€5"),
    ("👍", "👎"), ("Good 👍", "Good 👎"), ("Good 👍", "Good"), ("?", "!"), ("🇩🇪", "🇫🇷"),
    ("दिन", "दीन"), ("ม้า", "ม่า"), ("résumé", "resume"), ("icecream", "ice cream"),
    ("", ""), (" ", " "), ("", "a"),
]  # fmt: skip


@pytest.mark.parametrize(("left", "right"), SAME)
def test_they_are_the_same(left: str, right: str) -> None:
    assert same_text(left, right)
    assert same_text(right, left)


@pytest.mark.parametrize(("left", "right"), OTHER)
def test_they_are_not(left: str, right: str) -> None:
    assert not same_text(left, right)
    assert not same_text(right, left)


def test_the_short_way_of_ascii_agrees_with_the_keys() -> None:
    rng = random.Random(0)
    texts = ["".join(rng.choices("aAb1 .,-%", k=rng.randint(1, 5))) for _ in range(400)]
    texts = [text for text in texts if text.strip()]
    pairs = [(a, b) for a in texts for b in texts[:50]]
    by_key = [same_text_key(a) == same_text_key(b) for a, b in pairs]
    assert same_texts(*map(list, zip(*pairs, strict=True))).tolist() == by_key
    assert 50 < sum(by_key) < len(pairs) / 2
