"""The tokenizer: what a word is, by hand and for any text there can be."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semaniacs.sts.text.analysis import analyse
from semaniacs.sts.text.tokenizer import STOP_WORDS, is_word, normalise, tokenize, words, words_of

ANY_TEXT = st.text(st.characters())  # unlike st.text(), with lone surrogates

CASES = [
    # contractions
    ("We don't know.", ["We", "do", "n't", "know", "."]),
    ("He can't, she won't", ["He", "ca", "n't", ",", "she", "wo", "n't"]),
    ("DON'T", ["DO", "N'T"]),
    ("I'm sure they've left", ["I", "'m", "sure", "they", "'ve", "left"]),
    ("the dog's bone", ["the", "dog", "'s", "bone"]),
    ("don’t", ["do", "n't"]),
    ("can't've", ["ca", "n't", "'ve"]),
    ("n't an'to 'tis 'sup", ["n't", "an", "'", "to", "'", "tis", "'", "sup"]),
    ("I`d ʼll ´re", ["I", "'d", "'ll", "'re"]),
    # numbers
    ("1,250,000 of 3.5 and 7", ["1,250,000", "of", "3.5", "and", "7"]),
    ("It cost 1,000.", ["It", "cost", "1,000", "."]),
    ("-4% and $20", ["-", "4", "%", "and", "$", "20"]),
    ("the 3rd of 1980s", ["the", "3rd", "of", "1980s"]),
    ("$1.5bn, 2,000km", ["$", "1.5", "bn", ",", "2,000", "km"]),
    ("5mn 1. 2, .5", ["5mn", "1", ".", "2", ",", ".", "5"]),
    ("1.2.3 a1.5", ["1.2.3", "a1", ".", "5"]),
    ("٣.٤ ½", ["٣.٤", "½"]),
    ("10n't 1.5n't", ["10", "n't", "1.5", "n't"]),
    # dots that belong to a word, and dots that do not
    ("the U.S. army", ["the", "U.S.", "army"]),
    ("fruit, e.g. figs", ["fruit", ",", "e.g.", "figs"]),
    ("The .DJI fell", ["The", ".DJI", "fell"]),
    ("The end.", ["The", "end", "."]),
    ("No space.NOW", ["No", "space", ".", "NOW"]),
    ("up .DJIs .Dji .X", ["up", ".", "DJIs", ".", "Dji", ".", "X"]),
    (".DJI's .ABN'T .A_", [".", "DJI", "'s", ".", "AB", "N'T", ".", "A", "_"]),
    ("...DJI .DJI.", [".", ".", ".", "DJI", ".DJI", "."]),
    ("U.S.A, a.m.", ["U.S.", "A", ",", "a.m."]),
    ("5a.b. x_a.b.", ["5a", ".", "b", ".", "x", "_", "a.b."]),
    ("wait...", ["wait", ".", ".", "."]),
    # marks
    ("a well-known man", ["a", "well", "-", "known", "man"]),
    ("2010–2012", ["2010", "-", "2012"]),
    ("“so” 'so' «so»", ['"', "so", '"', "'", "so", "'", '"', "so", '"']),
    ('a lone " mark', ["a", "lone", '"', "mark"]),
    ("snake_case", ["snake", "_", "case"]),
    # letters of the world
    ("El niño comió", ["El", "niño", "comió"]),
    ("nin\u0303o", ["niño"]),  # composed
    ("Привет, мир!", ["Привет", ",", "мир", "!"]),
    ("soft\u00adhyphen zero\u200bwidth \ufeffmark", ["softhyphen", "zerowidth", "mark"]),
    # no letters at all
    ("😀👍", ["😀", "👍"]),
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
        ("😀 ...", ["😀", ".", ".", "."]),
        ("", []),
        ("\u200b", []),
        ("The .DJI and .SPX fell.", ["the", "dji", "and", "spx", "fell"]),
        (".DJI", ["dji"]),
        (". .", [".", "."]),
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


@pytest.mark.parametrize(
    "piece", ["a", "1", "1,", "a.", "n't", "'", ".A", "é", "😀", "\ud800", "_"]
)
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


def test_stop_words_are_words_of_the_tokenizer() -> None:
    assert all(words(word) == [word] and is_word(word) for word in STOP_WORDS)
