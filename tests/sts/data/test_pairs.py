"""Pairs: every bad file is refused with its line, every odd but good one is read whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semaniacs.sts.data.pairs import gold_of, labelled_pairs, texts_of
from semaniacs.sts.data.readers import pairs_from_text, parse_gold, parse_pairs, read_pairs
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.files import read_lines, split_lines

BAD_INPUTS = [
    (b"", "the file is empty"),
    (b"only one\n", "input.txt:1: 1 column, expected 2 or 4 separated by tabs: 'only one'"),
    (b"a\tb\nc\td\te\n", "input.txt:2: 3 columns, expected 2 or 4"),
    (b"a\tb\n\tc\n", "input.txt:2: the left sentence is empty"),
    ("a\t\u00a0\u2003\n".encode(), "input.txt:1: the right sentence is empty"),
    (b"a\tb\nc\xe9\td\n", "input.txt:2: byte 0xe9 is not UTF-8"),
]

BAD_GOLDS = [
    (b"1\nhigh\n", "gold.txt:2: gold 'high', expected a number from 0 to 5 or an empty line"),
    (b"1\n-0.1\n", "gold.txt:2: gold '-0.1'"),
    (b"1\ninf\n", "gold.txt:2: gold 'inf'"),
    (b"1\n\xff\n", "gold.txt:2: byte 0xff is not UTF-8"),
]


@pytest.mark.parametrize(("raw", "message"), BAD_INPUTS)
def test_a_bad_input_file_is_refused(tmp_path: Path, raw: bytes, message: str) -> None:
    (tmp_path / "input.txt").write_bytes(raw)
    with pytest.raises(DataError) as caught:
        read_pairs("set", tmp_path / "input.txt")
    assert message in str(caught.value)


@pytest.mark.parametrize(("raw", "message"), BAD_GOLDS)
def test_a_bad_gold_file_is_refused(tmp_path: Path, raw: bytes, message: str) -> None:
    path = tmp_path / "gold.txt"
    path.write_bytes(raw)
    with pytest.raises(DataError) as caught:
        parse_gold(read_lines(path), path)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("raw", "left", "right"),
    [
        (b"a\tb\r\nc\td\r\n", ("a", "c"), ("b", "d")),
        (b"a\tb\tsource\tsource\n", ("a",), ("b",)),
        (b'"a\tb\n\'c\td"\n', ('"a', "'c"), ("b", 'd"')),
        ("a\u2028b\tc\x85d\x0ce\n".encode(), ("a\u2028b",), ("c\x85d\x0ce",)),
        (" a \tЯ 😀\ufffd\n".encode(), (" a ",), ("Я 😀\ufffd",)),
    ],
)
def test_an_odd_file_is_read_whole(
    tmp_path: Path, raw: bytes, left: tuple[str, ...], right: tuple[str, ...]
) -> None:
    (tmp_path / "input.txt").write_bytes(raw)
    pairs = read_pairs("set", tmp_path / "input.txt")
    assert (pairs.name, pairs.left, pairs.right) == ("set", left, right)
    assert np.isnan(pairs.gold).all()


SENTENCE = st.text(st.characters(exclude_characters="\t\n\r")).filter(str.strip)


@given(st.lists(st.tuples(SENTENCE, SENTENCE), min_size=1))
def test_any_sentences_come_back_in_order(rows: list[tuple[str, str]]) -> None:
    text = "".join(f"{left}\t{right}\n" for left, right in rows)
    left, right = parse_pairs(split_lines(text), "text")
    assert list(zip(left, right, strict=True)) == rows


def test_gold_keeps_its_holes() -> None:
    gold = parse_gold(["0", "", "5", " 3.800 ", "2.5e0"], "gold")
    np.testing.assert_array_equal(gold, [0, np.nan, 5, 3.8, 2.5])
    assert gold.dtype == np.float64


def test_a_persons_own_pairs_have_two_columns_and_no_gold() -> None:
    pairs = pairs_from_text("a\tb\nc\td", "folder/mine.tsv")
    assert (pairs.name, pairs.left, pairs.right) == ("mine", ("a", "c"), ("b", "d"))
    assert not pairs.scored.any()
    with pytest.raises(DataError, match=r"mine\.tsv:1: 4 columns, expected 2 separated"):
        pairs_from_text("a\tb\tc\td", "mine.tsv")


# Columns of sentences from lists, arrays and tables


TEXTS = ["a dog", "", "ein Hund"]


class Arrow:
    """A column as pyarrow has it."""

    def to_pylist(self) -> list[Any]:
        return ["a dog", None, "ein Hund"]


COLUMNS = [TEXTS, tuple(TEXTS), np.array(TEXTS), np.array(TEXTS, object), Arrow(), iter(TEXTS)]


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: type(column).__name__)
def test_a_column_of_any_kind(column: Any) -> None:
    texts, here = texts_of(column, "left")
    assert texts == TEXTS
    assert here.tolist() == [True, False, True]


def test_columns_of_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    for kind in ("object", "string"):
        series = pandas.Series(["a dog", None, "ein Hund"], index=[7, 7, 9], dtype=kind)
        assert texts_of(series, "left")[0] == TEXTS
    assert gold_of(pandas.Series([1, 2.5])).tolist() == [1.0, 2.5]


@pytest.mark.parametrize("missing", [float("nan"), " \t"])
def test_what_is_missing_or_blank_is_not_there(missing: Any) -> None:
    assert texts_of(["a", missing], "left")[1].tolist() == [True, False]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ("a dog", "left is one str; expected a list of sentences"),
        ([["a"]], r"left\[0\] is \['a'\]"),
    ],
)
def test_what_is_no_column_is_refused(values: Any, message: str) -> None:
    with pytest.raises(StsError, match=message):
        texts_of(values, "left")


@pytest.mark.parametrize("value", [5.1, True, "4"])
def test_gold_outside_the_scale_is_refused(value: Any) -> None:
    with pytest.raises(StsError, match=r"gold\[1\] is .*; expected a number from 0 to 5"):
        gold_of([5, value])


def test_pairs_without_gold_are_left_out_and_booleans_are_labels() -> None:
    with pytest.warns(UserWarning, match="2 of 4 pairs without gold, left out"):
        found = labelled_pairs([*"abcd"], [*"efgh"], [True, None, np.nan, False], labels=True)
    assert (found.left, found.gold.tolist()) == (("a", "d"), [1.0, 0.0])


@pytest.mark.parametrize("values", [{"a", "b"}, {"a": 1}])
def test_what_has_no_order_is_no_column(values: Any) -> None:
    kind = type(values).__name__
    with pytest.raises(StsError, match=f"left is a {kind}; expected a column in an order"):
        texts_of(values, "left")
    with pytest.raises(StsError, match=f"gold is a {kind}; expected a column in an order"):
        gold_of(values)
