"""Pairs and gold in tables: which columns are taken, and what is refused."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from sts.data.tables.pair_table import PairColumns, pair_blocks, read_graded
from sts.data.tables.text_rows import Reading, read_texts
from sts.errors import DataError, StsError

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


def test_a_first_line_with_a_number_holds_no_names(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text("a\tb\t1\nc\td\t2\n")
    assert read_graded(str(path), PairColumns()).left == ("a", "c")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a cat\ta dog\n", r"t\.tsv: 2 columns; expected 3: left, right, gold; add it$"),
        ("a cat\ta dog\thigh\n", r"t\.tsv:1: gold 'high'; expected a number$"),
        ("a cat\ta dog\t1\n\tx\t2\n", r"t\.tsv:2: the cell in column 1 is empty .* Leave its row"),
        ("left\tright\tscore\n", r"t\.tsv: names of columns and no pair"),
        ("left\tright\tscore\nx\ty\tinf\n", r"t\.tsv:2: gold, column score, 'inf'; expected a"),
    ],
)
def test_a_bad_row_is_named(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        read_graded(str(path), PairColumns(), without="; add it")


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
    with pytest.raises(DataError, match="column id is 7; expected a number from 0 to 5"):
        read_graded(str(path), PairColumns(), "id", of_task=True)


def test_blank_lines_of_csv_are_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"left,right\n\nx,{'y' * 200_000}\n\n")
    (block,) = pair_blocks(str(path), PairColumns())
    assert (block.left, [len(text) for text in block.right]) == (["x"], [200_000])
    assert block.rows.lines == [3]


def test_a_damaged_gzip_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv.gz"
    packed = bytearray(gzip.compress(b"a dog\ta cat\n" * 500))
    packed[12:40] = bytes(28)
    path.write_bytes(packed)
    with pytest.raises(DataError, match=r"t\.tsv\.gz: damaged gzip"):
        list(pair_blocks(str(path), PairColumns()))


def test_texts_of_a_column_are_streamed(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('id,question\n1,"a\ncat"\n2,\n')
    assert list(read_texts(str(path), Reading())) == ["a\ncat", ""]
    assert list(read_texts(str(path), Reading("id"))) == ["1", "2"]
    path.write_text("id,question\n")
    with pytest.raises(DataError, match=r"names of columns and no row; expected a sentence"):
        list(read_texts(str(path), Reading()))
