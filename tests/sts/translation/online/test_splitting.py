"""Long texts in pieces: every piece fits, and together they are the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sts.translation.online.faults import RejectedError
from sts.translation.online.splitting import Load, cleaned, cut, translate_in_pieces

TEXT = "Hola.  ¿Qué tal? «Bien.»\n\tMuy bien, gracias… Adiós"


def test_a_short_text_is_one_piece() -> None:
    assert cut(TEXT, 1000).pieces == (TEXT,)
    assert cut("  hola\n", 1000).gaps == ("  ", "\n")
    assert cut("", 10).pieces == ()
    assert cut(" \n", 10).joined([]) == " \n"


def test_cuts_are_at_sentence_ends_and_as_few_as_can_be() -> None:
    assert cut(TEXT, 20).pieces == ("Hola.  ¿Qué tal?", "«Bien.»", "Muy bien, gracias…", "Adiós")
    assert cut(TEXT, 20).gaps == ("", " ", "\n\t", " ", "")
    assert cut("Costó 3.5 euros. Y ya.", 17).pieces == ("Costó 3.5 euros.", "Y ya.")


def test_a_line_ends_a_sentence() -> None:
    assert cut("Un título\nUna frase larga", 16).pieces == ("Un título", "Una frase larga")


def test_a_long_sentence_is_cut_between_words_and_a_long_word_inside() -> None:
    assert cut("uno dos tres", 8).pieces == ("uno dos", "tres")
    assert cut("abcdefghij kl", 4).pieces == ("abcd", "efgh", "ij", "kl")
    assert cut("abce\u0301fgh", 4).pieces == ("abc", "e\u0301fg", "h")


@given(st.text(st.sampled_from("ab .?!”\n\té\u0301ñ\u2028😀\ud800")), st.integers(4, 12))
def test_pieces_fit_and_give_the_text_back(text: str, limit: int) -> None:
    found = cut(text, limit)
    assert found.joined(found.pieces) == text
    assert all(piece == piece.strip() != "" for piece in found.pieces)
    assert all(len(piece) <= limit for piece in found.pieces)
    assert all(gap.strip() == "" for gap in found.gaps)


@given(
    st.lists(st.text(st.sampled_from("ab .?\n7é😀"), max_size=40)),
    st.integers(1, 4),
    st.integers(4, 20),
)
def test_texts_come_back_in_order_whatever_a_request_takes(
    texts: list[str], most: int, size: int
) -> None:
    load = Load(most, size)

    def upper(pieces: list[str]) -> list[str]:
        assert 1 <= len(pieces) <= most
        assert sum(map(len, pieces)) <= size
        return [piece.upper() for piece in pieces]

    found = list(translate_in_pieces(texts, load, upper))
    assert len(found) == len(texts)
    for text, got in zip(texts, found, strict=True):
        assert got.replace("\n", " ") == text.upper().replace("\n", " ")


def test_what_holds_no_letter_is_not_sent() -> None:
    sent: list[str] = []

    def note(pieces: list[str]) -> list[str]:
        sent.extend(pieces)
        return pieces

    texts = ["", " ", "12,5 %", "😀👍🏽", "...", "¡¿?!", "٣", "hola"]
    assert list(translate_in_pieces(texts, Load(3, 100), note)) == texts
    assert sent == ["hola"]


def test_control_characters_are_sent_as_spaces() -> None:
    assert cleaned("a\0b\tc\nd\x85e\u2028f\x7fg") == "a b c d e f g"
    assert cleaned("\ud800 ñ\u200d😀") == "? ñ\u200d😀"


def test_what_came_before_an_error_counts() -> None:
    def send(pieces: list[str]) -> list[str]:
        if "c" in pieces:
            raise RejectedError("no")
        return pieces

    found = translate_in_pieces(["a", "7", "b", "c", "d"], Load(1, 10), send)
    got = []
    with pytest.raises(RejectedError):
        for text in found:
            got.append(text)
    assert got == ["a", "7", "b"]
