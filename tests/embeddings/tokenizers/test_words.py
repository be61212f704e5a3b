"""Text to rows: a word has its own, or those of its pieces, or always the same hashed one."""

from __future__ import annotations

import string
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import models

from semaniacs.embeddings.tokenizers.row_numbers import (
    LONGEST,
    Ragged,
    Utf8Sentences,
    WordTokenizer,
    utf8_of,
)
from semaniacs.embeddings.tokenizers.subwords import TrigramTokenizer, frequent, trigrams
from semaniacs.sts.encodings import decode
from semaniacs.sts.errors import DataError
from semaniacs.sts.files import split_lines

ANY_TEXT = st.text(st.characters())  # unlike st.text(), with lone surrogates
SEQUENCES = st.lists(st.lists(st.integers(0, 99), max_size=9), max_size=6)
PIECES = ["un", "friend", "##friend", "##ed", "##e", "##d", "f"]


@pytest.fixture
def vocabulary() -> WordTokenizer:
    return WordTokenizer(["the", "cat", "n't"], buckets=7)


def test_known_words_have_the_first_rows(vocabulary: WordTokenizer) -> None:
    assert len(vocabulary) == 10
    assert vocabulary.ids("The cat, the CAT!") == [0, 1, 0, 1]
    assert vocabulary.ids("don't")[1] == 2
    assert "cat" in vocabulary
    assert "dog" not in vocabulary


@pytest.mark.parametrize(
    ("word", "pieces"),
    [
        ("friend", ["friend"]),
        ("unfriended", ["un", "##friend", "##ed"]),  # the longest first: not ##e ##d
        ("friendde", ["friend", "##d", "##e"]),
        ("fed", ["f", "##ed"]),
    ],
)
def test_an_unknown_word_is_spelled_with_the_longest_pieces(word: str, pieces: list[str]) -> None:
    vocabulary = WordTokenizer(PIECES, buckets=2)
    assert [vocabulary.known[row] for row in vocabulary.rows_of(word)] == pieces


LETTERS = "abcé語😀"
PIECE = st.text(LETTERS, min_size=1, max_size=4)


@given(
    begins=st.lists(PIECE, unique=True, max_size=12),
    inside=st.lists(PIECE, unique=True, min_size=1, max_size=12),
    word=st.text(LETTERS, min_size=1, max_size=14),
)
def test_spelling_agrees_with_the_wordpiece_of_tokenizers(
    begins: list[str], inside: list[str], word: str
) -> None:
    vocabulary = WordTokenizer([*begins, *(f"##{piece}" for piece in inside)], buckets=5)
    assert vocabulary.rows_of(word) == rows_by_tokenizers(vocabulary, word)


@pytest.mark.parametrize("word", ["a" * length for length in (1, 99, 100, 101, 250)])
def test_words_too_long_to_look_up_are_those_of_tokenizers(word: str) -> None:
    vocabulary = WordTokenizer(["a" * 101, "a", "##a", "##aaa"], buckets=5)
    assert vocabulary.rows_of(word) == rows_by_tokenizers(vocabulary, word)
    assert (len(vocabulary.rows_of(word)) == 1) == (len(word) == 1 or len(word) > LONGEST)


def rows_by_tokenizers(vocabulary: WordTokenizer, word: str) -> list[int]:
    """Ids by the real WordPiece, in which ``?`` stands for whatever cannot be spelled."""
    model = models.WordPiece(
        {**vocabulary.rows, "?": len(vocabulary.known)},
        unk_token="?",
        max_input_chars_per_word=LONGEST,
        continuing_subword_prefix="##",
    )
    ids = [token.id for token in model.tokenize(word)]
    return [vocabulary.bucket(word)] if ids == [len(vocabulary.known)] else ids


@given(st.text(string.ascii_lowercase + "éй語😀", min_size=1), st.integers(1, 5000))
def test_the_row_is_the_checksum_of_the_utf_8(word: str, buckets: int) -> None:
    expected = 2 + zlib.crc32(word.encode()) % buckets
    assert WordTokenizer(["A", "B"], buckets).rows_of(word) == [expected]


def sequences_in(ragged: Ragged) -> list[list[int]]:
    begins, ends = ragged.offsets[:-1], ragged.offsets[1:]
    return [ragged.flat[b:e].tolist() for b, e in zip(begins, ends, strict=True)]


@given(st.data(), SEQUENCES)
def test_any_sentences_are_taken_in_the_order_asked_for(
    data: st.DataObject, sequences: list[list[int]]
) -> None:
    ragged = Ragged.of(sequences)
    assert sequences_in(ragged) == sequences
    places = st.integers(0, max(0, len(sequences) - 1))
    chosen = data.draw(st.lists(places, max_size=9 if sequences else 0))
    taken = ragged.take(np.array(chosen, np.int64))
    assert sequences_in(taken) == [sequences[i] for i in chosen]
    assert (taken.flat.dtype, taken.offsets.dtype) == (np.int32, np.int64)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", []), (" Ab\n\nc", [" ab", "ab ", "b c", " c "]), ("e\u0301\ud800", [" é?", "é? "])],
)
def test_trigrams_by_hand(text: str, expected: list[str]) -> None:
    assert trigrams(text) == expected


def test_rows_by_hand() -> None:
    vocabulary = TrigramTokenizer(["ab ", " ab"], 3)
    assert len(vocabulary) == 5
    assert vocabulary.ids("ab") == [1, 0]
    assert vocabulary.ids("Ab x") == [1, 0, vocabulary.bucket("b x"), vocabulary.bucket(" x ")]
    assert vocabulary.ids(" ") == []


def test_the_most_frequent_and_of_equal_ones_the_first_in_the_alphabet() -> None:
    assert frequent("c b a b c d".split(), 3) == ["b", "c", "a"]
    assert frequent([], 3) == []


TEXTS = st.text(st.characters() | st.sampled_from("\n\r\x00é日😀\ud800"))


@given(st.lists(TEXTS))
def test_any_strings_come_back(sentences: list[str]) -> None:
    kept = utf8_of(sentences, 0, len(sentences))
    assert list(kept) == sentences


def lines(text: bytes) -> Utf8Sentences:
    return Utf8Sentences.lines(text, lambda raw, i: decode(raw, "FILE", i + 1))


@given(st.text(st.characters(codec="utf-8") | st.sampled_from("\n\r")))
def test_lines_end_where_other_readers_end_them(text: str) -> None:
    assert list(lines(text.encode())) == split_lines(text)


@pytest.mark.parametrize("raw", [b"\xff", b"a\xc3", b"\xed\xa0\x80", b"\xc0\x80"], ids=ascii)
def test_what_is_no_utf8_is_named_and_not_read_as_if_it_were(raw: bytes) -> None:
    sentences = lines(b"a\n" + raw + b"\nb")
    assert [sentences[0], sentences[2], sentences[-1]] == ["a", "b", "b"]
    for read in (lambda: sentences[1], lambda: sentences[1:][0]):
        with pytest.raises(DataError, match="^FILE:2: byte 0x.. is not UTF-8"):
            read()
