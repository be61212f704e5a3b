"""Columns of Arrow are read as the bytes that they hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from semaniacs.embeddings.tokenizers.row_numbers import Utf8Sentences
from semaniacs.sts.errors import StsError

pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")

COLUMNS = {
    "string": lambda texts: pyarrow.array(texts, pyarrow.string()),
    "large": lambda texts: pyarrow.array(texts, pyarrow.large_string()),
    "view": lambda texts: pyarrow.array(texts, pyarrow.string_view()),
    "words of a dictionary": lambda texts: pyarrow.array(texts, "string").dictionary_encode(),
    "a part": lambda texts: pyarrow.array(["é", *texts, "b"], "string")[1:-1],
    "chunks": lambda texts: pyarrow.chunked_array([texts[:2], [], texts[2:]], "string"),
    "pandas": lambda texts: pandas.Series(texts, dtype="string[pyarrow]"),
}


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
@pytest.mark.parametrize("texts", [[], ["a", "é", "", "日\n😀"]], ids=["none", "some"])
def test_columns_of_arrow(column: Callable[[list[str]], Any], texts: list[str]) -> None:
    found = Utf8Sentences.of_column(column(texts))
    assert found is not None
    assert list(found) == texts


@pytest.mark.parametrize(
    "column",
    [["a"], None, pyarrow.array(["a", None]), pandas.Series([1])],
    ids=lambda column: type(column).__name__,
)
def test_what_is_none_is_left_to_others(column: Any) -> None:
    assert Utf8Sentences.of_column(column) is None


def test_bytes_in_a_column_that_are_no_utf8_are_named_by_their_row() -> None:
    raw = pyarrow.array([b"a", b"\xff"]).view(pyarrow.string())
    found = Utf8Sentences.of_column(raw)
    assert found is not None
    with pytest.raises(
        StsError, match=r"^sentences\[1\]: byte 0xff is not UTF-8; expected a string"
    ):
        list(found)
