"""Pieces: what is cut is folded, every piece has its row, and nothing is dropped."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semaniacs.embeddings.tokenizers.subwords import (
    SentencePieceTokenizer,
    readable,
    train_pieces,
)
from tests.embeddings.models import LINES, learned, model_of

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


@pytest.mark.parametrize("model", [b"", b"no model", learned()[:-50]])
def test_what_is_no_model_is_refused(model: bytes) -> None:
    with pytest.raises(ValueError, match="no SentencePiece model"):
        SentencePieceTokenizer(model)


def test_a_piece_without_a_row_is_refused() -> None:
    with pytest.raises(ValueError, match="2 pieces of the model have no row, 'a' is one"):
        SentencePieceTokenizer(VOCABULARY.model, ["▁", "▁a"])


def test_the_same_sentences_make_the_same_model() -> None:
    assert train_pieces(LINES, 80) == train_pieces([f" {line.title()} " for line in LINES], 80)
