"""Tables of pairs, read and written in blocks."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest

from semaniacs.sts.data.table_blocks import raw_rows, read_blocks, whole_packed, writer
from semaniacs.sts.data.table_kinds import kind_of
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
    "crlf.tsv": as_tsv(WITH_HEADER).replace(b"\n", b"\r\n"),
    "pairs.jsonl": as_jsonl(ROWS),
    "pairs.ndjson": as_jsonl(ROWS) + b"\n",
    "pairs.csv.gz": gzip.compress(as_csv(WITH_HEADER)),
    "no-end.tsv": as_tsv(WITH_HEADER).removesuffix(b"\n"),
}


def read(path: Path, **options: Any) -> list[Any]:
    return list(read_blocks(str(path), kind_of(str(path)), **options))


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("size", [1, 2, 5])
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
    Path(path).write_bytes(b"PAR1 or not")
    with pytest.raises(DataError, match="damaged, or not Parquet"):
        list(read_blocks(path, "parquet"))


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl"])
@pytest.mark.parametrize("ending", ["", ".gz"])
def test_what_is_written_can_be_read(kind: str, ending: str, tmp_path: Path) -> None:
    path = str(tmp_path / f"out.{kind}{ending}")
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


def test_quotes_in_tsv_are_characters(tmp_path: Path) -> None:
    path = tmp_path / "quotes.tsv"
    path.write_bytes(b'"a\tb"\n')
    assert read(path)[0].rows == [['"a', 'b"']]


def test_a_header_of_tsv_is_seen_or_told(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_bytes(b"Sentence1\tSentence2\na\tb\n")
    assert read(path)[0].rows == [["a", "b"]]
    assert len(read(path, header=False)[0].rows) == 2
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
    assert read(path)[0].columns == ("a", "b;c")
    assert read(path, delimiter=";", header=False)[0].rows[0] == ["a,b", "c"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.tsv", b"", r"a\.tsv: the file is empty"),
        ("a.tsv", b"a\tb\nc\n", r"a\.tsv:2: 1 cell, expected 2"),
        ("a.tsv", "a\tb\n".encode("utf-16"), r"a\.tsv:1: .*iconv -f utf-16 -t utf-8 FILE > NEW$"),
        ("a.tsv", b"a\tb\nc\xff\td\n", r"a\.tsv:2: byte 0xff is not UTF-8.*iconv"),
        ("a.csv", b'l,r\n"a"b,c\n', r"a\.csv:2: not CSV"),
        ("a.csv", b'l,r\na,"b\n', r"a\.csv:2: not CSV"),
        ("a.csv", b"l,l\na,b\n", r"a\.csv:1: two columns have one name: l, l"),
        ("a.jsonl", b'{"a": 1}\n{"a"\n', r"a\.jsonl:2: not JSON"),
        ("a.jsonl", b'{"a": 1}\n[1]\n', r"a\.jsonl:2: .*expected an object"),
        ("a.jsonl", b'{"a": 1}\n{"b": 1}\n', r"a\.jsonl:2: 'b' is not in the first line"),
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
    with pytest.raises(StsError, match=r"pairs\.xlsx: a table of unknown format"):
        kind_of("pairs.xlsx")
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
