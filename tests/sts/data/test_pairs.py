"""Pairs: every bad file is refused with its line, every odd but good one is read whole."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semaniacs.sts.data.pairs import Pairs, concatenate
from semaniacs.sts.data.readers import pairs_from_text, parse_gold, parse_pairs, read_pairs
from semaniacs.sts.errors import DataError
from semaniacs.sts.files import read_lines, split_lines

BAD_INPUTS = [
    (b"", "the file is empty"),
    (b"only one\n", "input.txt:1: 1 column, expected 2 or 4 separated by tabs: 'only one'"),
    (b"a\tb\nc\td\te\n", "input.txt:2: 3 columns, expected 2 or 4"),
    (b"a\tb\tc\td\te\n", "input.txt:1: 5 columns, expected 2 or 4"),
    (b"a\tb\n\nc\td\n", "input.txt:2: 1 column, expected 2 or 4"),
    (b"a\tb\n\tc\n", "input.txt:2: the left sentence is empty"),
    (b"a\t\n", "input.txt:1: the right sentence is empty"),
    (b"a\t \r\n", "input.txt:1: the right sentence is empty"),
    (b"a\t\tnote\tnote\n", "input.txt:1: the right sentence is empty"),
    ("a\t\u00a0\u2003\n".encode(), "input.txt:1: the right sentence is empty"),
    (b"a\tb\nc\xe9\td\n", "input.txt:2: byte 0xe9 is not UTF-8"),
]

BAD_GOLDS = [
    (b"1\nhigh\n", "gold.txt:2: gold 'high', expected a number from 0 to 5 or an empty line"),
    (b"5.001\n1\n", "gold.txt:1: gold '5.001'"),
    (b"1\n-0.1\n", "gold.txt:2: gold '-0.1'"),
    (b"nan\n1\n", "gold.txt:1: gold 'nan'"),
    (b"1\ninf\n", "gold.txt:2: gold 'inf'"),
    (b"1,5\n2\n", "gold.txt:1: gold '1,5'"),
    (b"1\t2\n2\n", "gold.txt:1: gold '1\\t2'"),
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
        (b"a b\tc d\n", ("a b",), ("c d",)),
        (b"a\tb\nc\td", ("a", "c"), ("b", "d")),
        (b"a\tb\r\nc\td\r\n", ("a", "c"), ("b", "d")),
        (b"a\tb\tsource\tsource\n", ("a",), ("b",)),
        (b"a\tb\t\t\n", ("a",), ("b",)),
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


def toy() -> Pairs:
    return Pairs("toy", ("a", "b", "a"), ("c", "a", "d"), np.array([1.0, np.nan, 4.0]))


def test_columns_must_have_one_length() -> None:
    for left, right, gold in ((("a",), (), 1), (("a",), ("b",), 2), ((), (), 1)):
        with pytest.raises(ValueError, match="one length"):
            Pairs("uneven", left, right, np.zeros(gold))


def test_pairs_do_not_change() -> None:
    gold = np.array([1.0, 2.0])
    pairs = Pairs("p", ("a", "b"), ("c", "d"), gold)
    gold[0] = 5  # the caller's array stays writable, and apart
    assert pairs.gold.tolist() == [1, 2]
    with pytest.raises(ValueError, match="read-only"):
        pairs.gold[0] = 3
    with pytest.raises(AttributeError):
        pairs.name = "other"  # type: ignore[misc]


def test_other_views_of_the_same_pairs() -> None:
    scored = toy().select(toy().scored)
    assert (len(scored), scored.left, scored.right) == (2, ("a", "a"), ("c", "d"))
    np.testing.assert_array_equal(scored.gold, [1, 4])
    assert not toy().without_gold().scored.any() and toy().without_gold().left == toy().left
    other = toy().with_sentences(["x", "y", "z"], ["u", "v", "w"])
    assert (other.left, other.right) == (("x", "y", "z"), ("u", "v", "w"))
    np.testing.assert_array_equal(other.gold, toy().gold)
    assert toy().sentences() == ["a", "b", "c", "d"]
    both = concatenate([toy(), scored], "both")
    assert (both.name, both.left) == ("both", ("a", "b", "a", "a", "a"))
    np.testing.assert_array_equal(both.gold, [1, np.nan, 4, 1, 4])
    assert len(concatenate([])) == 0


def test_pairs_are_equal_if_all_their_columns_are() -> None:
    def pairs(name: str = "p", left: str = "a", gold: float = np.nan) -> Pairs:
        return Pairs(name, (left, "b"), ("c", "d"), np.array([1, gold]))

    assert pairs() == pairs()
    assert hash(pairs()) == hash(pairs())
    assert pairs() not in (pairs(name="q"), pairs(left="x"), pairs(gold=2.0))
    assert pairs() != "pairs"
