"""The tokenizer: what a word is, by hand and for any text there can be."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semaniacs.sts.text.analysis import analyse
from semaniacs.sts.text.tokenizer import (
    is_word,
    normalise,
    same_text,
    same_text_key,
    same_texts,
    tokenize,
    words,
    words_of,
)

ANY_TEXT = st.text(st.characters())  # unlike st.text(), with lone surrogates

CASES = [
    # contractions
    ("We don't know.", ["We", "do", "n't", "know", "."]),
    ("I'm sure they've left", ["I", "'m", "sure", "they", "'ve", "left"]),
    ("the dog's bone", ["the", "dog", "'s", "bone"]),
    ("n't an'to 'tis 'sup", ["n't", "an", "'", "to", "'", "tis", "'", "sup"]),
    # numbers
    ("1,250,000 of 3.5 and 7", ["1,250,000", "of", "3.5", "and", "7"]),
    ("-4% and $20", ["-", "4", "%", "and", "$", "20"]),
    ("$1.5bn, 2,000km", ["$", "1.5", "bn", ",", "2,000", "km"]),
    ("1.2.3 a1.5", ["1.2.3", "a1", ".", "5"]),
    ("٣.٤ ½", ["٣.٤", "½"]),
    # dots that belong to a word, and dots that do not
    ("the U.S. army", ["the", "U.S.", "army"]),
    ("The .DJI fell", ["The", ".DJI", "fell"]),
    ("up .DJIs .Dji .X", ["up", ".", "DJIs", ".", "Dji", ".", "X"]),
    (".DJI's .ABN'T .A_", [".", "DJI", "'s", ".", "AB", "N'T", ".", "A", "_"]),
    ("wait...", ["wait", ".", ".", "."]),
    # marks
    ("a well-known man", ["a", "well", "-", "known", "man"]),
    ("“so” 'so' «so»", ['"', "so", '"', "'", "so", "'", '"', "so", '"']),
    ('a lone " mark', ["a", "lone", '"', "mark"]),
    # letters of the world
    ("nin\u0303o", ["niño"]),  # composed
    ("Привет, мир!", ["Привет", ",", "мир", "!"]),
    ("soft\u00adhyphen zero\u200bwidth \ufeffmark", ["softhyphen", "zerowidth", "mark"]),
    # no letters at all
    ("?!", ["?", "!"]),
    ("", []),
    (" \t\u2028\u00a0", []),
]


@pytest.mark.parametrize(("text", "tokens"), CASES)
def test_tokens_by_hand(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The U.S. Army, 1,000 strong!", ["the", "u.s.", "army", "1,000", "strong"]),
        ("?!", ["?", "!"]),
        ("", []),
        ("\u200b", []),
        ("The .DJI and .SPX fell.", ["the", "dji", "and", "spx", "fell"]),
        ("ΟΔΟΣ ΣΑΣ", ["οδος", "σας"]),
    ],
)
def test_words_are_lower_case_and_marks_stay_only_alone(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@given(ANY_TEXT)
def test_tokens_lose_nothing_and_words_are_tokens(text: str) -> None:
    tokens = tokenize(text)
    assert "".join(tokens) == re.sub(r"\s", "", normalise(text))
    assert words_of(tokens) == words(text) == words(normalise(text))
    assert len(words(text)) == len([token for token in tokens if is_word(token)] or tokens)
    assert all(words(text))
    assert bool(words(text)) == bool(normalise(text).strip()), "only a blank sentence has none"


@pytest.mark.parametrize("piece", ["1,", "a.", "n't", "\ud800"])
def test_a_very_long_sentence(piece: str) -> None:
    long = piece * 50_000 + "a"
    assert "".join(tokenize(long)) == long


def test_a_sentence_is_analysed_into_words_content_and_lemmas() -> None:
    text = "The cats weren't sleeping, 3 of them."
    sentence = analyse([text])[text]
    assert sentence.text == text
    assert sentence.words == ("the", "cats", "were", "n't", "sleeping", "3", "of", "them")
    assert sentence.content == ("cats", "sleeping", "3")
    assert sentence.lemmas == ("cat", "sleep", "3")
    assert sentence.tagged("NN") == ("cats",)
    assert sentence.tagged("V") == ("were", "sleeping")


@given(ANY_TEXT)
def test_any_sentence_can_be_analysed(text: str) -> None:
    sentence = analyse([text])[text]
    assert sentence.words == tuple(words(text))
    assert len(sentence.tags) == len(sentence.tokens) >= len(sentence.lemmas)


# Which texts are the same but for width, case, punctuation and spacing


SAME = [
    ("A dog runs.", "a  DOG\truns"),
    ("Straße", "STRASSE!"),
    ("Ｈｅｌｌｏ　ｗｏｒｌｄ", "hello world"),
    ("caf\u00e9", "cafe\u0301"),
    ("“Yes,” she said\u2014twice…", "'Yes', she said -- twice"),
    ("\u2764", "\u2764\ufe0f"),
]
OTHER = [
    ("Berlin Amsterdam", "Amsterdam Berlin"),
    ("1.5", "15"), ("-5", "5"), ("10²", "102"), ("C++", "C"), ("$5", "€5"), ("Good 👍", "Good 👎"),
    ("Good 👍", "Good"), ("?", "!"), ("दिन", "दीन"), ("résumé", "resume"), ("", ""), ("", "a"),
    ("Ask IT.", "Ask it."), ("No, stop it", "No stop it"), ("Don't! Stop!", "Don't stop!"),
    ("well-known", "well known"), ("A dog - a poodle", "A dog, a poodle"), ("a.b", "a b"),
]  # fmt: skip


def test_the_short_way_of_ascii_agrees_with_the_keys() -> None:
    rng = random.Random(0)
    texts = ["".join(rng.choices("aAb1 .,-%", k=rng.randint(1, 5))) for _ in range(400)]
    texts = [text for text in texts if text.strip()]
    pairs = [(a, b) for a in texts for b in texts[:50]]
    by_key = [same_text_key(a) == same_text_key(b) for a, b in pairs]
    assert same_texts(*map(list, zip(*pairs, strict=True))).tolist() == by_key
    assert 50 < sum(by_key) < len(pairs) / 2


APART = (
    "Net income: -3.2 million|Net income: 3.2 million;- 5|5;(50)|50;Great :)|Great :(;true.|true?;"
    "x^2|x 2;C++|C;A+|A-;a + b|a - b;👍|👎;!ready|ready;f(-x)|f(x);./a.sh|../a.sh;/etc/a|etc/a;"
    "5 mW|5 MW;5MHz|5mHz;10 Mb|10 MB;call `getId`|call `getid`;getId()|getid();max_N = 3|max_n = 3;ls -R|ls -r;"
    "x[0]|x(0);{1, 2}|[1, 2];5′|5″;6'|6\";a//b|a/b;ls -l|ls l;v = s / t|v = s : u;x = 'a'|x = a"
)
ALIKE = (
    "Is it true|Is it true?;- A dog|A dog…;Well-known!!|well - known;x >= 5|x ≥ 5;a -> b|a → b;"
    "5 KM|5 km;Call(s) came|call(s) came;I have an iPhone|i have an iphone;IT IS IT|It is it.;"
    "Mr. A|Mr A;'a b.'|\"A b\".;Stop !! Now|Stop! Now;``a''|«A»;¿Si!|si"
)


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        *((*pair, True) for pair in [*SAME, *(pair.split("|") for pair in ALIKE.split(";"))]),
        *((*pair, False) for pair in [*OTHER, *(pair.split("|") for pair in APART.split(";"))]),
    ],
)
def test_they_are_the_same_text_or_not(left: str, right: str, same: bool) -> None:
    assert same_text(left, right) == same_text(right, left) == same
