"""Tables: rows of every format, pairs and gold in them, and what is refused."""

from __future__ import annotations

import csv
import gzip
import io
import json
from datetime import datetime, time
from pathlib import Path
from typing import Any

import pytest

from semaniacs.sts.data.notation import NOTATION
from semaniacs.sts.data.pair_table import (
    PairColumns,
    find_columns,
    gold_in,
    pair_blocks,
    read_graded,
    sentences_in,
)
from semaniacs.sts.data.table_blocks import Block, raw_rows, read_blocks
from semaniacs.sts.data.table_kinds import kind_of
from semaniacs.sts.data.table_writers import whole_packed, writer
from semaniacs.sts.data.text_rows import Reading, read_texts
from semaniacs.sts.errors import DataError, StsError

ROWS = [["7", 'A "dog", runs.', "Ein\u2028Hund"], ["8", "naïve", "日本"]]
COLUMNS = ("id", "sentence1", "sentence2")


def as_csv(rows: list[list[str]], **options: Any) -> bytes:
    text = io.StringIO()
    csv.writer(text, **options).writerows(rows)
    return text.getvalue().encode()


def as_tsv(rows: list[list[str]]) -> bytes:
    return "".join("\t".join(row) + "\n" for row in rows).encode()


def as_jsonl(rows: list[list[str]]) -> bytes:
    return "".join(json.dumps(dict(zip(COLUMNS, row, strict=True))) + "\n" for row in rows).encode()


WITH_HEADER = [list(COLUMNS), *ROWS]
FILES = {
    "pairs.csv": as_csv(WITH_HEADER),
    "crlf.csv": as_csv(WITH_HEADER, lineterminator="\r\n"),
    "mark.csv": b"\xef\xbb\xbf" + as_csv(WITH_HEADER),
    "pairs.tsv": as_tsv(WITH_HEADER),
    "pairs.jsonl": as_jsonl(ROWS),
    "pairs.csv.gz": gzip.compress(as_csv(WITH_HEADER)),
}


def read(path: Path, **options: Any) -> list[Any]:
    return list(read_blocks(str(path), kind_of(str(path)), **options))


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("size", [1, 5])
def test_every_format_gives_the_same_rows(name: str, size: int, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(FILES[name])
    blocks = read(path, size=size)
    assert [row for block in blocks for row in block.rows] == ROWS
    assert {block.columns for block in blocks} == {COLUMNS}
    assert [len(block.rows) for block in blocks] == ([1, 1] if size == 1 else [2])
    assert blocks[0].lines[0] == (1 if "json" in name else 2)
    assert blocks[0].column("id")[0] == "7"


def test_parquet_there_and_back(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = str(tmp_path / "pairs.parquet")
    with writer(path, "parquet", io.StringIO()) as out:
        for row in ROWS:
            out.write(COLUMNS, [row])
    blocks = list(read_blocks(path, "parquet", size=1))
    assert [row for block in blocks for row in block.rows] == ROWS
    assert blocks[1].lines[0] == 2
    with writer(path, "parquet", io.StringIO()) as out:
        for score in (float("nan"), 2.5):
            out.write(["score"], [[score]])
    assert [block.rows for block in read_blocks(path, "parquet")] == [[[None], [2.5]]]
    Path(path).write_bytes(b"PAR1 or not")
    with pytest.raises(DataError, match="damaged, or not Parquet"):
        list(read_blocks(path, "parquet"))


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl"])
def test_what_is_written_can_be_read(kind: str, tmp_path: Path) -> None:
    path = str(tmp_path / f"out.{kind}.gz")
    with writer(path, kind, io.StringIO()) as out:
        for row in ROWS:
            out.write(COLUMNS, [row])
    assert [row for block in read(Path(path)) for row in block.rows] == ROWS
    again = Path(path).read_bytes()
    with writer(path, kind, io.StringIO()) as out:
        out.write(COLUMNS, ROWS)
    assert Path(path).read_bytes() == again


def test_a_cell_of_csv_may_hold_lines(tmp_path: Path) -> None:
    path = tmp_path / "lines.csv"
    path.write_bytes(b'left,right\n"a\nb",c\nd,e\n')
    assert read(path)[0].rows == [["a\nb", "c"], ["d", "e"]]
    assert [block.lines[0] for block in read(path, size=1)] == [2, 4]


@pytest.mark.parametrize(
    "names",
    "Sentence1 Sentence2,answer reference,prediction reference,output expected,expected actual,"
    "student_answer model_answer,model_answer gold_answer,question response expected,"
    "question answer reference_1 reference_2,sent1 sent2,SentenceA SentenceB,SRC tgt,"
    "Sentence_1 SENTENCE-2,id Text(1) Text(2),q0 q1".split(","),
)
def test_a_header_of_tsv_is_seen_or_told(names: str, tmp_path: Path) -> None:
    path, row = tmp_path / "pairs.tsv", ["An answer.", "So", "Correct?", ""][: len(names.split())]
    path.write_bytes(as_tsv([[name.replace("_", " ") for name in names.split()], row]))
    assert read(path)[0].rows == [row]
    assert len(read(path, header=False)[0].rows) == 2
    path.write_bytes(as_tsv([row, row]))
    assert read(path)[0].columns[0] == "1"
    path.write_bytes(b"eins\tzwei\na\tb\n")
    assert read(path)[0].columns == ("1", "2")
    assert read(path, header=True)[0].columns == ("eins", "zwei")


@pytest.mark.parametrize(
    ("first", "told"),
    [("A dog runs.,It ran fast", True), ("left,right", False), ("Sentence 1,Sentence 2", False)],
)
def test_a_row_of_csv_that_is_taken_for_names_is_told_once(
    first: str, told: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text(f"{first}\nStocks fell.,Shares fell.\n")
    for _ in range(2):
        assert read(path)[0].columns == tuple(first.split(","))
    shown = f"{path}:1: taken for the names of the columns: 'A dog runs.', 'It ran fast'"
    assert capsys.readouterr().err.count(shown) == told
    assert len(read(path, header=False)[0].rows) == 2


def test_csv_of_spreadsheets_with_a_decimal_comma(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_bytes(as_csv(WITH_HEADER, delimiter=";"))
    (block,) = read(path)
    assert (block.columns, block.rows) == (COLUMNS, ROWS)  # a cell has a comma
    assert sum(1 for _ in raw_rows(str(path), "csv")) == 3
    path.write_bytes(as_csv(WITH_HEADER, delimiter="|"))
    assert read(path, delimiter="|")[0].rows == ROWS
    path.write_bytes(b"a,b;c\n1,2;3\n")
    with pytest.raises(DataError, match="',' and ';' cut .* such as --delimiter ','"):
        read(path)
    assert read(path, delimiter=",")[0].columns == ("a", "b;c")
    assert read(path, delimiter=";", header=False)[0].rows[0] == ["a,b", "c"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.tsv", b"", r"a\.tsv: the file is empty"),
        ("a.tsv", b"a\tb\nc\xff\td\n", r"a\.tsv:2: byte 0xff is not UTF-8.*iconv"),
        ("a.csv", b'l,r\n"a"b,c\n', r"a\.csv:2: not CSV"),
        ("a.csv", b'l,r\na,"b\n', r"a\.csv:2: not CSV"),
        ("a.csv", b"l,l\na,b\n", r"a\.csv:1: two columns have one name: l, l"),
        ("a.jsonl", b'{"a": 1}\n' * 16384 + b'{"b": 1}\n', "16385: 'b' is in none of the first"),
        ("a.jsonl", b'{"a": 1}\n{"a"\n', r"a\.jsonl:2: not JSON"),
        ("a.jsonl", b'{"a": 1}\n[1]\n', r"a\.jsonl:2: .*expected an object"),
        ("a.json", b'[{"a": 1}, {"a": 2}, 3]', r"a\.json:3: .*expected an object"),
        ("a.csv.gz", gzip.compress(b"left,right\na,b\n" * 99, mtime=0)[:-20], "damaged gzip"),
    ],
)
def test_damaged_tables_are_named(name: str, content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message):
        read(tmp_path / name)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="none.tsv: no such file"):
        read(tmp_path / "none.tsv")
    with pytest.raises(StsError, match=r"pairs\.xls: .* save it as .xlsx"):
        kind_of("pairs.xls")
    with pytest.raises(StsError, match="unknown format; name it with --format: tsv, csv"):
        kind_of("out.parket", "--format")
    assert (kind_of("pairs.dat"), kind_of("a.PQ"), kind_of("a.csv.gz")) == ("tsv", "parquet", "csv")


def test_nothing_is_left_of_what_was_not_finished(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    with pytest.raises(RuntimeError), writer(str(path), "csv", io.StringIO()) as out:
        out.write(COLUMNS, ROWS)
        raise RuntimeError
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("kind", "rows"),
    [
        ("tsv", [b"\xef\xbb\xbfa\tb\r\n", b"\t\r\n", b'"x\ty']),
        ("csv", [b"a,b\n", b'"x\n,\r\n""y""",z\n', b'",",\n', b"1,2"]),
        ("jsonl", [b'{"a": 1.50}\n', b'\n{"a":  null}\n', b'{"a": "\\u00e9"}\n']),
    ],
)
@pytest.mark.parametrize("packed", [True, False])
def test_raw_rows_are_the_bytes_as_they_stand(
    tmp_path: Path, kind: str, rows: list[bytes], packed: bool
) -> None:
    path = tmp_path / f"x.{kind}{'.gz' if packed else ''}"
    with whole_packed(path) as file:
        file.writelines(rows)
    assert path.read_bytes()[:2] == b"\x1f\x8b" if packed else path.read_bytes() == b"".join(rows)
    assert list(raw_rows(str(path), kind)) == rows
    count = sum(len(block.rows) for block in read_blocks(str(path), kind, header=False))
    assert count == len(rows)


# Pairs and gold in tables: which columns are taken, and what is refused


FORMATS = {
    "headed.csv": "id,left,right,gold\n1,a cat,a dog,2.5\n2,a hat,a cap,4\n",
    "plain.tsv": "a cat\ta dog\t2.5\na hat\ta cap\t4\n",
    "headed.tsv": "score\tsentence1\tsentence2\n2.5\ta cat\ta dog\n4\ta hat\ta cap\n",
    "lines.jsonl": "".join(
        json.dumps({"a": a, "label": gold, "b": b, "id": 7}) + "\n"
        for a, gold, b in (("a cat", 2.5, "a dog"), ("a hat", 4, "a cap"))
    ),
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
        ("left\tright\tscore\n", r"t\.tsv: names of columns and no pair"),
        ("a cat\ta dog\t1\n\tx\t2\n", r"t\.tsv:2: the cell in column 1 is empty .* Leave its row"),
        ("left\tright\tscore\nx\ty\tinf\n", r"t\.tsv:2: gold, column score, 'inf'; expected a"),
    ],
)
def test_a_bad_row_is_named(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        read_graded(str(path), PairColumns())


def test_names_without_a_pair_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text("a\tb\n")
    with pytest.raises(DataError, match="no pair; if its first line is a pair, say --no-header"):
        list(pair_blocks(str(path), PairColumns()))
    (block,) = pair_blocks(str(path), PairColumns(header=False))
    assert (block.left, block.right) == (["a"], ["b"])


@pytest.mark.parametrize(
    ("columns", "left", "right", "said"),
    [
        ("question,reference,answer,gold", "answer", "reference", True),
        ("Musterlösung,Antwort", "Antwort", "Musterlösung", True),
        ("left,right,expected,predicted", "left", "right", False),
        ("question,answer", "question", "answer", True),
        ("Key,Student,Mark", "Student", "Key", True),
        ("Name,Student,Mark scheme", "Student", "Mark scheme", True),
        ("no,Correct answer,Response,correct", "Response", "Correct answer", True),
        ("Student answer,Model answer,truth", "Student answer", "Model answer", True),
        ("prompt,model_output,gold", "model_output", "gold", True),
        ("prompt,completion,ideal", "completion", "ideal", True),
        ("Student name,Réponse,Réponse attendue", "Réponse", "Réponse attendue", True),
        ("x,y", "x", "y", False),
    ],
)
def test_columns_are_guessed(
    columns: str, left: str, right: str, said: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    names = columns.split(",")
    assert find_columns("f", names, None, None) == (left, right)
    PairColumns().say("f", names, Block([], tuple(names), []))
    assert (f"comparing the columns {left} and {right}" in capsys.readouterr().err) is said


def test_a_column_of_numbers_is_questioned(capsys: pytest.CaptureFixture[str]) -> None:
    block = Block(
        [2, 3], ("left", "right", "score", "n"), [["x", "y", 2.5, "1"], ["3", "z", "4", "2"]]
    )
    for right, said in (
        ("right", ""),
        ("score", "f: column score has only numbers; others with texts: right\n"),
    ):
        PairColumns("left", right).say("f", block.columns, block)
        assert capsys.readouterr().err == said


def test_columns_are_found() -> None:
    assert find_columns("f", ("id", "Text1", "TEXT2"), None, None) == ("Text1", "TEXT2")
    numbered = ("nr", "Sentence 2", "sentence_1", "note")
    assert find_columns("f", numbered, None, None) == ("sentence_1", "Sentence 2")
    assert find_columns("f", ("x", "y"), None, None) == ("x", "y")
    assert find_columns("f", ("x", "y", "z"), "z", "x") == ("z", "x")
    assert find_columns("f", ("id", "reply", "key", "x"), None, "x") == ("reply", "x")
    with pytest.raises(StsError, match="which columns are the sentences"):
        find_columns("f", ("question", "reference 1", "reference 2", "answer"), None, None)
    with pytest.raises(StsError, match="It has x, y, z; name two with --left and --right"):
        find_columns("f", ("x", "y", "z"), None, None)
    with pytest.raises(StsError, match="f: one column; a pair takes two, with a tab between"):
        find_columns("f", ("x",), None, None)
    with pytest.raises(StsError, match="no column 'q' for --left; it has 'y '"):
        find_columns("f", ("x", "y "), "q", "x")
    with pytest.raises(StsError, match="f: --left and --right are both x; name two columns"):
        find_columns("f", ("x", "y"), "x", "x")


BLOCK = Block(
    [2, 3, 7], ("a", "b", "gold"), [["x", "y", "4"], ["x", " ", 2.5], [None, "y", "88.0"]]
)


def test_cells_of_excel_are_read_as_text() -> None:
    cells = [1945, 0.5, True, datetime(1945, 5, 8), time(14, 30), float("nan"), None]
    block = Block(range(7), ("a",), [[cell] for cell in cells])
    (found,) = sentences_in("f", block, ("a",), advice=None, typed=True)
    assert found == ["1945", "0.5", "TRUE", "1945-05-08", "14:30:00", "", ""]
    with pytest.raises(DataError, match="f:2: column a is True; expected a string"):
        sentences_in("f", block, ("a",), advice=None)


def test_a_row_of_json_may_lack_a_name(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path, again = tmp_path / "a.jsonl", tmp_path / "b.parquet"
    path.write_text('{"a": "x"}\n{"b": 2.5, "a": null}\n')
    for target in (again, path):
        (block,) = read(path)
        with writer(str(target), kind_of(str(target)), io.StringIO()) as out:
            out.write(block.columns, block.rows)
    assert path.read_text() == '{"a": "x"}\n{"a": null, "b": 2.5}\n'
    assert read(again)[0].rows == [["x", None], [None, 2.5]]


def test_numbers_of_json_are_read_as_text(tmp_path: Path) -> None:
    path = str(tmp_path / "a.jsonl")
    Path(path).write_text('{"left": 42, "right": 0.5}\n{"left": null, "right": "x"}\n')
    (block,) = pair_blocks(path, PairColumns(missing="skip"))
    assert (block.left, block.right) == (["42"], ["0.5"])
    assert [*read_texts(path, Reading("left", missing="skip"))] == ["42", ""]


def test_a_missing_sentence_is_named_by_its_line() -> None:
    with pytest.raises(DataError, match=r"^f:3: the cell in column b is empty .* Leave it out$"):
        sentences_in("f", BLOCK, ("b", "a"), advice="Leave it out")
    assert sentences_in("f", BLOCK, ("a", "b"), advice=None) == [["x", "x", ""], ["y", "", "y"]]
    with pytest.raises(DataError, match="^f:3: the cell in column b"):  # the first line, not column
        sentences_in("f", BLOCK, ("a", "b"), advice="Leave it out")


@pytest.mark.parametrize("cell", ["88.0", "inf", "0,5", True])
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


def test_what_an_encoding_has_not_is_written_readably(tmp_path: Path) -> None:
    written = NOTATION._replace(encoding="cp1252")
    with writer(str(tmp_path / "a.csv"), "csv", io.StringIO()) as out:
        out.write(["a"], [["£5 ≠ £6"], ["Ann ↔ Köln"], ["中 → 日…"]], written)
    lines = (tmp_path / "a.csv").read_text("cp1252").splitlines()
    assert lines == ["a", "£5 != £6", "Ann <-> Köln", "\\u4e2d -> \\u65e5…"]
