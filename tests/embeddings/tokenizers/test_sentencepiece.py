"""Pieces: what is cut is folded, every piece has its row, and nothing is dropped."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semaniacs.embeddings.tokenizers.sentencepiece import (
    SentencePieceTokenizer,
    readable,
    train_pieces,
)
from tests.embeddings.models import LINES, learned, model_of, trained

VOCABULARY = SentencePieceTokenizer(
    model_of({"▁": -2.0, "a": -3.0, "▁a": -4.0, "b": -3.0}), buckets=5
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        (" \t\u00a0\u3000\n", ""),
        ("  The\u00a0 “CAFÉ” —\tопен ", 'the "café" - опен'),
        ("e\u0301 \u00ad\u200bx\ufeff", "é x"),
        ("a\ud800b \udfff", "a?b ?"),
        ("ΟΔΟΣ İ", "οδος i\u0307"),
    ],
)
def test_what_is_cut(text: str, expected: str) -> None:
    assert readable(text) == expected


@given(st.text(st.characters()))
def test_what_is_cut_is_the_same_when_it_is_folded_again(text: str) -> None:
    once = readable(text)
    once.encode()
    assert once == once.strip() == readable(once)
    assert "  " not in once


def test_rows_by_hand() -> None:
    rows = VOCABULARY.rows
    assert (rows["▁"], len(VOCABULARY)) == (0, 4 + 5)
    assert VOCABULARY.ids("A  b") == [rows["▁a"], rows["▁"], rows["b"]]
    assert VOCABULARY.ids("axyb") == [rows["▁a"], VOCABULARY.bucket("xy"), rows["b"]]
    assert VOCABULARY.ids(" \n") == VOCABULARY.ids("") == []


def test_a_table_for_two_languages_lists_the_pieces_of_both() -> None:
    both = SentencePieceTokenizer(VOCABULARY.model, ["ж", *reversed(VOCABULARY.known)], buckets=1)
    assert both.ids("a ж x") == [both.rows[piece] for piece in ("▁a", "▁", "ж", "▁")] + [5]


def test_control_marks_have_no_row() -> None:
    pieces = SentencePieceTokenizer(trained(control_symbols=["<c>"])).known
    assert not {"<unk>", "<s>", "</s>", "<c>"} & set(pieces)
    assert "▁" in pieces


@pytest.mark.parametrize("model", [b"", b"no model", learned()[:-50]])
def test_what_is_no_model_is_refused(model: bytes) -> None:
    with pytest.raises(ValueError, match="no SentencePiece model"):
        SentencePieceTokenizer(model)


def test_a_piece_without_a_row_is_refused() -> None:
    with pytest.raises(ValueError, match="2 pieces of the model have no row, 'a' is one"):
        SentencePieceTokenizer(VOCABULARY.model, ["▁", "▁a"])


def test_a_learned_model_cuts_what_it_has_seen_into_known_pieces() -> None:
    vocabulary = SentencePieceTokenizer(learned())
    assert all(piece in vocabulary for line in LINES for piece in vocabulary.entries(line))
    assert sum(len(vocabulary.ids(line)) for line in LINES) < 0.8 * len("".join(LINES))
    assert [piece in vocabulary for piece in vocabulary.entries("日本")] == [True, False]


def test_the_same_sentences_make_the_same_model() -> None:
    assert train_pieces(LINES, 80) == train_pieces([f" {line.title()} " for line in LINES], 80)


def test_there_are_no_more_pieces_than_wanted() -> None:
    assert len(SentencePieceTokenizer(train_pieces(LINES, 90)).known) == 90 - 1  # one is <unk>
    assert 10 < len(SentencePieceTokenizer(train_pieces(LINES, 10**4)).known) < 10**3


@pytest.mark.parametrize("sentences", [[], ["", " \t"]])
def test_no_character_teaches_nothing(sentences: list[str]) -> None:
    with pytest.raises(ValueError, match="no character"):
        train_pieces(sentences, 10)
