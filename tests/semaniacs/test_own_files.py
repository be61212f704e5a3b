"""Files that people have: delimiters, decimal marks, formats, encodings and missing texts."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from semaniacs.cli import semaniacs as command
from semaniacs.sts.data.pair_table import PairColumns, read_graded
from semaniacs.sts.data.text_rows import Reading, read_texts
from semaniacs.sts.errors import StsError

PAIRS = [("A dog runs, fast.", "A dog is running; fast."), ("Stocks fell.", "“Café” – é")]
HEADER = ("left", "right")


def call(*arguments: object) -> str:
    ended = CliRunner().invoke(command, [*map(str, arguments)], catch_exceptions=False)
    assert ended.exit_code == 0, ended.output
    return ended.stdout


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def table(delimiter: str, end: str = "\n", before: str = "", gold: tuple[str, ...] = ()) -> str:
    quoted = [[f'"{cell}"' for cell in row] for row in (HEADER, *PAIRS)]
    for row, number in zip(quoted, ("gold", *gold) if gold else (), strict=False):
        row.append(number)
    return before + "".join(delimiter.join(row) + end for row in quoted)


XLIFF = "".join(
    f"<unit><segment><source>{a}</source><target>{b}</target></segment></unit>" for a, b in PAIRS
)
TMX = "".join(
    f'<tu><tuv xml:lang="en-US"><seg>{a}<ph>%s</ph></seg></tuv><tuv xml:lang="en-GB"><seg>{b}</seg></tuv></tu>'
    for a, b in PAIRS
)
RECORDS = [dict(zip(HEADER, pair, strict=True)) for pair in PAIRS]
FILES = {
    "comma.csv": table(","),
    "semicolon.csv": table(";"),
    "tab.csv": table("\t"),
    "pipe.csv": table("|"),
    "sep.csv": table("|", "\r\n", "sep=|\r\n"),
    "return.csv": table(";", "\r"),
    "blank.tsv": "".join(f"{a}\t{b}\n" for a, b in PAIRS) + "\n\r\n",
    "array.json": json.dumps(RECORDS, indent=1),
    "lines.json": "\n".join(map(json.dumps, RECORDS)),
    "memory.tmx": f'<!DOCTYPE tmx SYSTEM "t.dtd"><tmx><header srclang="en"/><body>{TMX}</body></tmx>',
    "two.xlf": f'<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0">{XLIFF}</xliff>',
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_notations_and_marked_encodings_are_found(name: str, encoding: str) -> None:
    if name.endswith((".tmx", ".xlf")):
        encoding = "utf-8"  # XML names its own
    Path(name).write_bytes(FILES[name].encode(encoding))
    Path("plain.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in PAIRS), encoding="utf-8")
    assert call("similar", name) == call("similar", "plain.tsv")


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("name", ["semicolon.csv", "blank.tsv"])
def test_an_encoding_without_a_mark_is_named(name: str, encoding: str) -> None:
    Path(name).write_bytes(FILES[name].encode("utf-8"))
    expected = call("similar", name)
    Path(name).write_bytes(FILES[name].encode(encoding))
    with pytest.raises(StsError, match=rf"{name}:\d: .* --encoding {encoding}"):
        call("similar", name)
    assert call("similar", name, "--encoding", encoding) == expected
    with pytest.raises(StsError, match=rf"{name}:\d: .* --encoding {encoding}"):
        call("encode", name, "--input-format", "tsv", "--text", "1", "-o", "v.npy")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-32"])
def test_the_output_has_the_encoding_of_the_input(encoding: str) -> None:
    options = ["--model", "raw", *(["--encoding", encoding] if encoding == "cp1252" else [])]
    Path("a.csv").write_bytes(FILES["semicolon.csv"].encode(encoding))
    for name in ("b.csv", "b.csv.gz", "b.tsv"):
        call("score", "a.csv", "-o", name, *options)
        raw = Path(name).read_bytes()
        text = (gzip.decompress(raw) if name.endswith(".gz") else raw).decode(encoding)
        assert text.startswith(f"left{text[4]}right{text[4]}score\n") and PAIRS[1][1] in text
    call("score", "a.csv", "-o", "b.jsonl", *options)
    assert json.loads(Path("b.jsonl").read_bytes().splitlines()[1])["right"] == PAIRS[1][1]
    typed = ["score", "a.csv", "-o", "b.csv", "--name", "→", *options]
    said = CliRunner().invoke(command, typed).stderr
    noted = "cp1252 has no '→', so the output is written in UTF-8" in said
    assert noted == (encoding == "cp1252")
    assert PAIRS[1][1] in Path("b.csv").read_bytes().decode("utf-8" if noted else encoding)
    call(*"mine duplicates a.csv --text right --kept kept.csv -o g.tsv".split(), *options[2:])
    assert Path("kept.csv").read_bytes() == Path("a.csv").read_bytes()


def test_two_delimiters_are_asked_for_unless_names_decide() -> None:
    Path("a.csv").write_text("A cat, a dog;A hat\nA cow, a pig;A cap\n")
    assert len(call("similar", "a.csv", "--no-header", "--delimiter", ";").splitlines()) == 2
    Path("a.csv").write_text("left;right;a, b\nA cow;a pig;1, 2\n")
    assert len(call("similar", "a.csv").splitlines()) == 1
    Path("a.csv").write_text("A cow;a pig;1,2\nA cat;a dog;0,2\n")
    assert read_graded("a.csv", PairColumns(header=False)).gold.tolist() == [1.2, 0.2]


@pytest.mark.parametrize(
    ("delimiter", "gold", "decimal"),
    [(";", "3,5", None), (";", "3.5", None), ("\t", "3,5", ","), (",", "3.5", None)],
)
def test_gold_and_scores_have_the_decimal_mark_of_the_file(
    delimiter: str, gold: str, decimal: str | None
) -> None:
    Path("a.csv").write_text(table(delimiter, gold=(gold, "1")), encoding="utf-8")
    assert read_graded("a.csv", PairColumns(decimal=decimal)).gold.tolist() == [3.5, 1.0]
    out = call("score", "a.csv", *(("--decimal", decimal) if decimal else ()))
    _, cells, _ = csv.reader(out.splitlines(), delimiter=delimiter)
    assert cells[2] == gold and gold[1] in cells[3] and len(cells) == 4


def test_a_decimal_mark_that_is_not_understood_is_refused() -> None:
    for text, says in (
        ("a;b;3,5\na;b;1.5\n", "expected a decimal comma"),
        ("a\tb\t3,5\n", "--decimal ,"),
    ):
        Path("a.csv").write_text(text)
        with pytest.raises(StsError, match=rf"a\.csv:\d: gold '.*{says}"):
            read_graded("a.csv", PairColumns(header=False))


@pytest.mark.filterwarnings("ignore:own.xlsx. of its sheets")
def test_a_spreadsheet_there_and_back() -> None:
    openpyxl = pytest.importorskip("openpyxl")
    Path("a.csv").write_text("left,right,note\n=1+1 is two,Two,\nA dog.,A cat.,x\n")
    for name in ("a.xlsx", "b.xlsx"):
        call("score", "a.csv", "-o", name)
    assert Path("a.xlsx").read_bytes() == Path("b.xlsx").read_bytes()
    call("score", "a.xlsx", "--name", "again", "-o", "c.csv")
    rows = [*csv.reader(Path("c.csv").read_text().splitlines())]
    assert rows[1][0] == "=1+1 is two" and all(row[3] == row[4] for row in rows[1:])
    book = openpyxl.load_workbook("a.xlsx")
    assert book.sheetnames == ["scores"]
    book.worksheets[0].title = "Antworten 7b"
    book.save("own.xlsx")
    call("score", "own.xlsx", "--name", "again", "-o", "again.xlsx")
    call(*"mine duplicates own.xlsx --text left --kept kept.xlsx -o groups.tsv".split())
    for name in ("again.xlsx", "kept.xlsx"):
        assert openpyxl.load_workbook(name).sheetnames == ["Antworten 7b"]
    with pytest.raises(StsError, match="no sheet 'B'; it has Antworten 7b"):
        call("similar", "own.xlsx", "--sheet", "B")
    sheet = book.create_sheet("B")
    for row in (["right", "left"], ["A dog.", "A cat."], [], [], ["A hat.", "A hat."]):
        sheet.append(row)
    sheet["B2"], sheet["A6"], sheet.column_dimensions["A"].width = (
        "=SUM",
        "2024-01-01T00:00:00Z",
        40,
    )
    sheet["B2"].data_type, book.active["F9"], sheet["B6"] = "s", "=1+1", "A cat."
    book.save("own.xlsx")
    for name in ("again.xlsx", "same.xlsx"):
        call("score", "own.xlsx", "--sheet", "B", "-o", name)
    assert Path("again.xlsx").read_bytes() == Path("same.xlsx").read_bytes()
    made = openpyxl.load_workbook("again.xlsx")
    rows = [[*row] for row in made["B"].values]
    assert rows[2:5] == [[None] * 3, [None] * 3, ["A hat.", "A hat.", 5]]
    assert rows[0][2] == "score" and rows[5][0] == "2024-01-01T00:00:00Z"
    assert made["Antworten 7b"]["F9"].value == "=1+1" and made["Antworten 7b"].max_column == 6
    assert made["B"]["B2"].data_type == "s" and made["B"].column_dimensions["A"].width == 40
    book.active.delete_cols(2, 9)
    book.save("own.xlsx")
    with pytest.raises(StsError, match="one column; a pair takes two, whose names"):
        call("similar", "own.xlsx")
    Path("a.xlsx").write_bytes(b"no")
    with pytest.raises(StsError, match=r"a\.xlsx: damaged, or not XLSX"):
        call("similar", "a.xlsx")


@pytest.mark.parametrize(
    "cell", ["None", "NULL", "#N/A", "n/a", "nan", "<NA>", "", " ", "\u200b", "\ufeff\u2060", None]
)
def test_one_rule_of_missing_texts(cell: str | None) -> None:
    rows: list[dict[str, Any]] = [*RECORDS, {"left": "A dog.", "right": cell}]
    Path("a.json").write_text(json.dumps(rows, indent=1).replace("Stocks fell.", "None of null."))
    for what in ("similar", "score", "keep"):
        with pytest.raises(StsError, match=r"a\.json:\d+: .* column right .*--missing skip"):
            call(what, "a.json")
    scored = json.loads(call("score", "a.json", "--missing", "skip"))
    assert [row["score"] is None for row in scored] == [False, False, True]
    assert call("similar", "a.json", "--missing", "skip").split("\n")[2:] == ["", ""]
    assert json.loads(call("score", "a.json", "--missing", "A dog."))[2]["score"] == 5


@pytest.mark.parametrize(("cell", "missing"), [("Na", "error"), ("nil", "error"), ("None", "text")])
def test_what_is_no_missing_text(cell: str, missing: str) -> None:
    Path("a.csv").write_text(f"left,right\n{cell},{cell}\nA dog.,Stocks fell.\n")
    same, other = call("score", "a.csv", "--missing", missing).splitlines()[1:]
    assert same.endswith(",5.0")
    assert float(other.split(",")[2]) < 1
    assert [*read_texts("a.csv", Reading("left", missing=missing))] == [cell, "A dog."]


def test_rows_without_gold_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.csv").write_text("left,right,gold\na,b,0.2\nc,d,\ne,f,NULL\ng,None,0.7\nh,i,1\n")
    with pytest.raises(StsError, match=r"a\.csv:5: the cell in column right is 'None', no text"):
        read_graded("a.csv", PairColumns())
    found = read_graded("a.csv", PairColumns(missing="skip"), of_task=True)
    assert (found.left, found.gold.tolist()) == (("a", "h"), [0.2, 1.0])
    said = capsys.readouterr().err
    assert "2 of 5 rows without gold in column gold, left out" in said


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.tsv", "a\tb\nc\0d\te\n", r"a\.tsv:2: a NUL byte; expected a text file"),
        ("a.csv", "PK\3\4\0", r"a\.csv: a ZIP file, as XLSX is, .* call it \.xlsx"),
        ("a.tsv", "a,b\nc,d\n", r"a\.tsv: one column; .* --input-format csv"),
        ("a.json", '[\n{"left": "a", "right": "b"},\n7]', r"a\.json:3: 7; expected an object"),
        ("a.json", '[\n{"left": "a",\n', r"a\.json:2: not JSON"),
        ("a.json", '[{"a": "x", "b": ["y"]}]', "expected a string; give each its own column"),
        ("a.xlf", '\n<!DOCTYPE x [<!ENTITY e "x">]><xliff/>', r"a\.xlf:2: it declares entities"),
        ("a.tmx", "<html/>", "begins with <html>; expected <tmx>"),
    ],
)
def test_damaged_files_are_named(name: str, text: str, says: str) -> None:
    Path(name).write_text(text)
    with pytest.raises(StsError, match=says):
        call("similar", name)
