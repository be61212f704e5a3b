"""Pairs and gold in tables: which columns are taken, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from semaniacs.sts.data.pair_table import (
    PairColumns,
    find_columns,
    gold_in,
    pair_blocks,
    read_graded,
    sentences_in,
)
from semaniacs.sts.data.table_blocks import Block
from semaniacs.sts.data.text_rows import Reading, read_texts
from semaniacs.sts.errors import DataError, StsError

FORMATS = {
    "headed.csv": "id,left,right,gold\n1,a cat,a dog,2.5\n2,a hat,a cap,4\n",
    "plain.tsv": "a cat\ta dog\t2.5\na hat\ta cap\t4\n",
    "first.txt": "2.5\ta cat\ta dog\n4\ta hat\ta cap\n",
    "headed.tsv": "score\tsentence1\tsentence2\n2.5\ta cat\ta dog\n4\ta hat\ta cap\n",
    "lines.jsonl": "".join(
        json.dumps({"a": a, "label": gold, "b": b, "id": 7}) + "\n"
        for a, gold, b in (("a cat", 2.5, "a dog"), ("a hat", 4, "a cap"))
    ),
    "odd.ending": "a cat\ta dog\t2.5\na hat\ta cap\t4\n",
}


@pytest.mark.parametrize("name", FORMATS)
def test_pairs_and_gold_are_found_in_every_format(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(FORMATS[name])
    found = read_graded(str(path), PairColumns())
    assert (found.left, found.right) == (("a cat", "a hat"), ("a dog", "a cap"))
    assert found.gold.tolist() == [2.5, 4.0]


def test_columns_may_be_named(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("q,how far,answer,votes\na cat,1.5,a dog,7\n")
    where = PairColumns(left="answer", right="q")
    found = read_graded(str(path), where, "how far")
    assert (found.left, found.right, found.gold.tolist()) == (("a dog",), ("a cat",), [1.5])
    with pytest.raises(StsError, match=r"which column is the gold\? .* name it with --gold"):
        read_graded(str(path), where)
    with pytest.raises(StsError, match="no column 'near' for --gold; it has q, how far"):
        read_graded(str(path), where, "near")
    (block,) = pair_blocks(str(path), where)
    assert (block.left, block.right, block.rows.column("votes")) == (["a dog"], ["a cat"], ["7"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a cat\ta dog\n", r"t\.tsv: 2 columns; expected 3: left, right, gold$"),
        ("a cat\ta dog\thigh\n", r"t\.tsv:1: gold 'high'; expected a number$"),
        ("a cat\ta dog\t1\n\tx\t2\n", r"t\.tsv:2: the cell in column 1 is empty .* Leave its row"),
        ("left\tright\tscore\n", r"t\.tsv: names of columns and no pair"),
        ("a cat\ta dog\t\n", r"t\.tsv:1: gold ''; expected a number; leave out rows without one$"),
        ("left\tright\tscore\nx\ty\tinf\n", r"t\.tsv:2: gold, column score, 'inf'; expected a"),
    ],
)
def test_a_bad_row_is_named(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        read_graded(str(path), PairColumns())


def test_a_first_line_with_a_name_that_is_asked_for_holds_names(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text("q\tto what\tnear\nx\ty\t2\n")
    found = read_graded(str(path), PairColumns("q", "to what"), "near")
    assert (found.left, found.right, found.gold.tolist()) == (("x",), ("y",), [2.0])
    assert list(read_texts(str(path), Reading("to what"))) == ["y"]


def test_line_ends_within_cells_stay(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b'left,right\r\n"a\r\nb","c\nd"\r\n')
    (block,) = pair_blocks(str(path), PairColumns())
    assert (block.left, block.right) == (["a\r\nb"], ["c\nd"])


def test_names_without_a_pair_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text("a\tb\n")
    with pytest.raises(DataError, match="no pair; if its first line is a pair, say --no-header"):
        list(pair_blocks(str(path), PairColumns()))
    (block,) = pair_blocks(str(path), PairColumns(header=False))
    assert (block.left, block.right) == (["a"], ["b"])


def test_numbers_of_another_column_are_not_taken_for_gold(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,sentence1,sentence2\n7,x,y\n")
    with pytest.raises(StsError, match=r"which column is the gold\? It has id, sentence1"):
        read_graded(str(path), PairColumns())
    assert read_graded(str(path), PairColumns(), "id").gold.tolist() == [7.0]
    with pytest.raises(DataError, match="gold, column id, '7'; expected a number from 0 to 5"):
        read_graded(str(path), PairColumns(), "id", of_task=True)


def test_blank_lines_of_csv_are_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"left,right\n\nx,{'y' * 200_000}\n\n")
    (block,) = pair_blocks(str(path), PairColumns())
    assert (block.left, [len(text) for text in block.right]) == (["x"], [200_000])
    assert block.rows.lines == [3]


def test_texts_of_a_column_are_streamed(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('id,question\n1,"a\ncat"\n2,\n')
    assert list(read_texts(str(path), Reading())) == ["a\ncat", ""]
    assert list(read_texts(str(path), Reading("id"))) == ["1", "2"]
    path.write_text("id,question\n")
    with pytest.raises(DataError, match=r"names of columns and no row; expected a sentence"):
        list(read_texts(str(path), Reading()))


def test_columns_are_found() -> None:
    assert find_columns("f", ("id", "Text1", "TEXT2"), None, None) == ("Text1", "TEXT2")
    assert find_columns("f", ("x", "y"), None, None) == ("x", "y")
    assert find_columns("f", ("x", "y", "z"), "z", "x") == ("z", "x")
    with pytest.raises(StsError, match="It has x, y, z; name two with --left and --right"):
        find_columns("f", ("x", "y", "z"), None, None)
    with pytest.raises(StsError, match="f: one column; a pair takes two, with a tab between"):
        find_columns("f", ("x",), None, None)
    with pytest.raises(StsError, match="no column 'q' for --left; it has x, y"):
        find_columns("f", ("x", "y"), "q", "x")
    with pytest.raises(StsError, match="f: --left and --right are both x; name two columns"):
        find_columns("f", ("x", "y"), "x", "x")


BLOCK = Block(
    [2, 3, 7], ("a", "b", "gold"), [["x", "y", "4"], ["x", " ", 2.5], [None, "y", "88.0"]]
)


def test_a_missing_sentence_is_named_by_its_line() -> None:
    with pytest.raises(DataError, match=r"^f:3: the cell in column b is empty .* Leave it out$"):
        sentences_in("f", BLOCK, ("b", "a"), advice="Leave it out")
    assert sentences_in("f", BLOCK, ("a", "b"), advice=None) == [["x", "x", ""], ["y", " ", "y"]]


def test_a_cell_that_is_no_string_is_named_by_its_line() -> None:
    block = Block([2, 5, 9], ("a", "b"), [["x", "y"], [None, "y"], [3, "y"]])
    with pytest.raises(DataError, match="^f:9: column a is 3; expected a string$"):
        sentences_in("f", block, ("a", "b"), advice=None)


@pytest.mark.parametrize("cell", ["88.0", "-1", "nan", "much", "", None, True, 5.1])
def test_gold_off_the_scale_is_named_by_line_and_column(cell: object) -> None:
    columns = ("a", "b", "score")
    good, bad = ["x", "y", "5"], ["x", "y", cell]
    with pytest.raises(DataError, match=r"^f:3: gold, column score, .*; expected a number"):
        gold_in("f", Block([2, 3], columns, [good, bad]), "score", of_task=True)
    assert gold_in("f", Block([2], columns, [good]), "score", of_task=True) == [5.0]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", 'a,b,gold\n"one\nand a half",two,5\nthree,four,much\n'),
        ("t.jsonl", '{"a": "x", "b": "y", "gold": 5}\n\n\n{"a": "x", "b": "y", "gold": "much"}\n'),
    ],
)
def test_a_line_is_the_one_in_the_file(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=rf"{name}:4: gold 'much'; expected a number"):
        read_graded(str(path), PairColumns())
