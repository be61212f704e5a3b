"""Sentences in bytes are the strings that they stand for, however they were cut from them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semaniacs.embeddings.compiled.strings import utf8_of
from semaniacs.embeddings.tokenizers.row_numbers import Utf8Sentences
from semaniacs.sts.errors import DataError
from semaniacs.sts.files import decode, split_lines

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


@given(st.lists(TEXTS), st.integers(-9, 9), st.integers(-9, 9))
def test_a_part_of_them_is_that_part(sentences: list[str], begin: int, end: int) -> None:
    assert list(utf8_of(sentences, 0, len(sentences))[begin:end]) == sentences[begin:end]


@given(st.lists(TEXTS))
def test_those_beyond_ascii(sentences: list[str]) -> None:
    expected = [i for i, sentence in enumerate(sentences) if not sentence.isascii()]
    assert utf8_of(sentences, 0, len(sentences)).beyond_ascii() == expected


@pytest.mark.parametrize("raw", [b"\xff", b"a\xc3", b"\xed\xa0\x80", b"\xc0\x80"], ids=ascii)
def test_what_is_no_utf8_is_named_and_not_read_as_if_it_were(raw: bytes) -> None:
    sentences = lines(b"a\n" + raw + b"\nb")
    assert [sentences[0], sentences[2], sentences[-1]] == ["a", "b", "b"]
    for read in (lambda: sentences[1], lambda: sentences[1:][0]):
        with pytest.raises(DataError, match="^FILE:2: byte 0x.. is not UTF-8"):
            read()


def test_bytes_are_not_copied() -> None:
    sentences = lines(text := b"one\ntwo\n")
    assert np.shares_memory(sentences.data, np.frombuffer(text, np.uint8))
