"""What is known of each character is what the plain normaliser and tokenizer make of it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semaniacs.embeddings.compiled.character_table import (
    APOSTROPHE,
    COMMA,
    DIGIT,
    DOT,
    FIRST,
    INTRICATE,
    KIND,
    LETTER,
    LIMIT,
    OTHER,
    SPACE,
    UNDERSCORE,
    characters,
)
from semaniacs.sts.text.tokenizer import normalise

KINDS = {
    LETTER: "azAZéñЖ語ªⅧ²½가",
    DIGIT: "0189٣",
    SPACE: " \t\n\r\u00a0\u2028\x1c\x85",
    APOSTROPHE: "'’‘‛ʼ´`",
    DOT: ".",
    COMMA: ",",
    UNDERSCORE: "_",
    OTHER: "?!-–—“”«»😀#\x00\ud800\u200d",
    INTRICATE: "\u0301\u200b\ufeff\u00adΣſİ\u1161\u11a8Ⓐ\u0958",
}


def kind_of(character: str) -> int:
    return int(characters()[ord(character)]) >> KIND


def lower_of(character: str) -> str:
    return chr(int(characters()[ord(character)]) & (FIRST - 1))


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_by_hand(kind: int) -> None:
    assert {c: kind_of(c) for c in KINDS[kind]} == dict.fromkeys(KINDS[kind], kind)


def plain_ones() -> list[str]:
    return [chr(code) for code in range(LIMIT) if kind_of(chr(code)) != INTRICATE]


PATTERNS = {
    LETTER: r"[^\W\d_]",
    DIGIT: r"\d",
    SPACE: r"\s",
    UNDERSCORE: "_",
    APOSTROPHE: "'",
    DOT: r"\.",
    COMMA: ",",
    OTHER: r"[^\w\s'.,]",
}


@pytest.mark.parametrize("kind", PATTERNS)
def test_the_kinds_are_the_classes_of_the_pattern(kind: int) -> None:
    pattern = re.compile(PATTERNS[kind])
    for character in plain_ones():
        found = pattern.fullmatch(normalise(character)) is not None
        assert found == (kind_of(character) == kind), ascii(character)


def test_lower_case_is_that_of_the_normalised_character() -> None:
    for character in plain_ones():
        assert lower_of(character) == normalise(character).lower(), ascii(character)


PLAIN = st.characters(max_codepoint=LIMIT - 1).filter(lambda c: kind_of(c) != INTRICATE)


@given(st.text(PLAIN))
def test_plain_characters_mean_the_same_whatever_their_neighbours(text: str) -> None:
    assert normalise(text) == "".join(map(normalise, text))
    assert normalise(text).lower() == "".join(normalise(c).lower() for c in text)


def test_most_of_what_is_written_is_plain() -> None:
    """Else the compiled path would be correct, and hardly ever be taken."""
    text = "“Don’t – it’s 1,000 € naïve!” ¿Qué? Ça va… Übergrößenträger; Жизнь, ελληνικά 日本語 😀"
    assert all(kind_of(c) != INTRICATE for c in text)
