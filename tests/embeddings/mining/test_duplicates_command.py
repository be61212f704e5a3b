"""``semaniacs mine duplicates``: what is grouped, kept and written, and how it refuses."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from semaniacs.cli import run as main
from semaniacs.embeddings.mining.duplicates import duplicates
from semaniacs.sts.errors import StsError
from tests.embeddings.conftest import Command

QUESTIONS = """\
How can I lose weight?
Where is Rome?
How can I lose  weight?

How do I lose weight?
What is a prime number?
where is Rome?
How can I lose weight?
"""
LINES = QUESTIONS.splitlines()


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that a test works in."""
    monkeypatch.chdir(tmp_path)
    Path("q.txt").write_text(QUESTIONS)


@pytest.fixture
def call(command: Command) -> Any:
    """Run a command that must succeed; returns stdout and stderr."""

    def called(line: str) -> tuple[str, str]:
        ended = command(main, f"mine duplicates {line}")
        assert ended.code == 0, ended.err
        return ended.out, ended.err

    return called


def test_groups_for_a_person(call: Any) -> None:
    out, err = call("q.txt --threshold .85")
    cosine = duplicates([LINES[0], LINES[4]], threshold=0.85)[0].cosines[1]
    assert out == (
        "  keep  1  How can I lose weight?\n"
        "1.0000  3  How can I lose weight?\n"
        "1.0000  8  How can I lose weight?\n"
        f"{cosine:.4f}  5  How do I lose weight?\n"
        "\n"
        "  keep  2  Where is Rome?\n"
        "1.0000  7  where is Rome?\n"
    )
    assert err == "8 lines (1 blank), 5 distinct, 2 groups, 4 duplicates; 4 stay\n"


def test_groups_for_programs(call: Any) -> None:
    call("q.txt --threshold .85 -o groups.tsv")
    lines = Path("groups.tsv").read_text().splitlines()
    rows = list(csv.DictReader(lines, delimiter="\t"))
    assert [row["id"] for row in rows] == ["1", "3", "8", "5", "2", "7"]
    assert [(r["group"], r["kept"]) for r in rows] == [("1", "1")] * 4 + [("2", "2")] * 2
    call("q.txt --threshold .85 -o groups.jsonl")
    groups = [json.loads(line) for line in Path("groups.jsonl").read_text().splitlines()]
    assert [(g["kept"], g["size"]) for g in groups] == [(1, 4), (2, 2)]
    assert [(m["id"], f"{m['cosine']:.6f}", m["text"]) for g in groups for m in g["members"]] == [
        (int(r["id"]), r["cosine"], r["text"]) for r in rows
    ]
    assert call("q.txt --threshold .85 --format tsv")[0] == Path("groups.tsv").read_text()


def test_the_rows_that_stay_are_as_they_were(call: Any) -> None:
    call("q.txt --threshold .85 --kept kept.txt")
    assert Path("kept.txt").read_text().splitlines() == [LINES[i] for i in (0, 1, 3, 5)]
    raw = b'\xef\xbb\xbfqid,"question",n\r\n7,"Where is\r\n Rome?","1"\r\n8,Where is Rome?,2\r\n9,"",3'
    Path("q.csv.gz").write_bytes(gzip.compress(raw))
    out, _ = call("q.csv.gz --id qid --text question --kept kept.csv --format tsv")
    assert [line.split("\t")[2] for line in out.splitlines()] == ["id", "7", "8"]
    assert Path("kept.csv").read_bytes() == raw.replace(b"8,Where is Rome?,2\r\n", b"")


@pytest.mark.parametrize("name", ["q.jsonl", "q.parquet", "q.tsv"])
def test_tables_of_every_kind(call: Any, name: str) -> None:
    rows = [{"qid": f"a{i}", "title": line} for i, line in enumerate(LINES)]
    if name == "q.parquet":
        pyarrow = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        parquet.write_table(pyarrow.Table.from_pylist(rows), name)
    elif name == "q.jsonl":
        Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        Path(name).write_text("".join(f"{r['qid']}\t{r['title']}\n" for r in rows))
    columns = "--id 1 --text 2" if name == "q.tsv" else "--id qid"
    out, _ = call(
        f"{name} {columns} --threshold .85 --keep shortest --format tsv --kept kept-{name}"
    )
    assert [line.split("\t")[2] for line in out.splitlines()[1:]] == "a4 a0 a2 a7 a1 a6".split()
    again, err = call(f"kept-{name} {columns} --threshold .85 --format jsonl")
    assert again == "" and err.startswith("4 lines (1 blank), 3 distinct, 0 groups, 0 duplicates")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("-", "stdin cannot be read twice"),
        ("q.txt --lowest .5", "--lowest has no meaning without --pairs"),
        ("q.txt --kept q.txt", "two of the files to read and write are the same"),
        ("q.txt -o q.txt/x", "q.txt: cannot be written"),
        ("tab.txt", "tab.txt:1: there is a tab; expected one sentence per line"),
        ("q.csv", "q.csv: which column is the text? It has a, b, c; name one with --text"),
        ("q.csv --text a --id c", "row 2: id '3' is in row 1 already"),
        ("q.jsonl", "q.jsonl:1: column text is True; expected a string"),
        ("na.csv", "na.csv:3: column text is 'N/A'; no text; see --missing"),
        ("q.txt --language es", "unknown language of paragram 'es'"),
    ],
)
def test_what_cannot_be_grouped_is_refused(command: Command, line: str, message: str) -> None:
    Path("tab.txt").write_text("a\tb\n")
    Path("q.csv").write_text("a,b,c\nx,,3\ny,,3\n")
    Path("q.jsonl").write_text('{"text": true}\n')
    Path("na.csv").write_text("text\nx\nN/A\n")
    before = sorted(Path().iterdir())
    assert message in command(main, f"mine duplicates {line}").error
    assert sorted(Path().iterdir()) == before


def test_placeholders_are_no_duplicates_of_each_other() -> None:
    (group,) = duplicates(["?", "None", "", "-", "A dog runs.", "None", "-", "", "?"])
    assert group.rows == (1, 5)


def test_an_unknown_way_to_group_is_refused() -> None:
    for options in ({"groups": "component"}, {"keep": "x"}, {"threshold": "0.9"}):
        with pytest.raises(StsError, match="choose one of|expected a cosine"):
            duplicates(["Hello there", "hello there"], **options)  # type: ignore[arg-type]


def test_texts_that_differ_in_a_mark_are_no_duplicates() -> None:
    texts = ["The host is reachable.", "The host is not reachable.", "The host isn't reachable."]
    assert [group.rows for group in duplicates(texts, threshold=0.5)] == [(1, 2)]
    texts = ["Order 10,485 was sent.", "Order 10485 was sent", "Order 10412 was sent."]
    assert [group.rows for group in duplicates(texts, threshold=0.5)] == [(0, 1)]
