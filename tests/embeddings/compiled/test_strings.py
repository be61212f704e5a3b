"""The bytes of strings, against Python's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semaniacs.embeddings.compiled import strings as strings_module
from semaniacs.embeddings.compiled.strings import utf8_of
from semaniacs.sts.errors import StsError
from tests.embeddings.compiled_kinds import KINDS
from tests.embeddings.twins import encoder_for

WIDTHS = [
    "",
    "a",
    "\x7f",
    "é",
    "ÿ",
    "Ā",
    "日",
    "\ud800",
    "\uffff",
    "😀",
    "\U0010ffff",
    "\x00",
    "\n",
]
"""Characters of one, two and four bytes inside of Python, and of one to four in UTF-8."""

STRINGS = st.lists(st.text(st.sampled_from("".join(WIDTHS)) | st.characters()), max_size=40)


@given(STRINGS, st.integers(0, 9), st.integers(0, 50))
def test_they_are_what_python_encodes(strings: list[str], begin: int, size: int) -> None:
    found = utf8_of(strings, begin, begin + size) if begin < len(strings) else utf8_of([], 0, size)
    expected = [text.encode("utf-8", "surrogatepass") for text in strings[begin : begin + size]]
    cut = zip(found.begins, found.ends, strict=True)
    assert [found.data[i:j].tobytes() for i, j in cut] == expected
    assert list(found) == strings[begin : begin + size]


def test_a_string_of_numpy_or_of_a_subclass_is_a_string() -> None:
    class Text(str):
        """A string with a name of its own."""

    strings = [np.str_("é"), Text("b"), "".join(["日", "本"])]
    assert list(utf8_of(strings, 0, 3)) == ["é", "b", "日本"]
    assert list(utf8_of(tuple(strings), 1, 9)) == ["b", "日本"]


@pytest.mark.parametrize("wrong", [None, b"bytes", 3, float("nan"), ["a"]], ids=repr)
@pytest.mark.parametrize("row", [0, 7, 29])
def test_what_is_no_string_is_named_by_its_row(wrong: Any, row: int) -> None:
    encoder = encoder_for(next(iter(KINDS.values())).encoders["int8"].tokenizer, int8=True)
    encoder.compiled_from, encoder.chunk_size = 0, 4
    sentences: list[Any] = [f"sentence {i}" for i in range(30)]
    sentences[row] = wrong
    with pytest.raises(StsError, match=rf"^sentences\[{row}\] is .*; expected a string"):
        encoder.encode(sentences)


def test_a_list_that_has_changed_is_read_no_further() -> None:
    """What another thread may do between the two times that a list is read."""
    strings = ["a", "b"]
    ends = np.zeros(3, np.int64)
    assert strings_module._most_bytes(id(strings), 0, 3) == -1
    assert not strings_module._write(id(strings), 0, np.empty(9, np.uint8), ends)
    assert not strings_module._write(id(strings), 0, np.empty(1, np.uint8), ends[:2])
    assert strings_module._write(id(strings), 0, np.empty(2, np.uint8), ends[:2])
