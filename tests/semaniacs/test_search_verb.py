"""``semaniacs search``: build, add, query, once, info."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from semaniacs.cli import semaniacs as command
from semaniacs.embeddings.search import SearchIndex
from semaniacs.sts.errors import StsError

MODEL = "paragram-small"
LINES = [
    "How do I learn Python?", "Stocks fell on Friday.", "How do I learn Python?", "",
    "A dog runs in the park.", "How can I learn the Python language?", "Shares dropped.",
]  # fmt: skip
QUERY = "What is the best way to learn Python?"


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("lines.txt").write_text("".join(f"{line}\n" for line in LINES), encoding="utf-8")


def call(*arguments: object, text: str | None = None) -> Result:
    return CliRunner().invoke(
        command, ["search", *map(str, arguments)], input=text, catch_exceptions=False
    )


def build(*arguments: object) -> Result:
    return call("build", *arguments, "-o", "index", "-m", MODEL)


def records(*arguments: object, text: str | None = None) -> list[dict[str, Any]]:
    ended = call(*arguments, "--format", "jsonl", text=text)
    assert ended.exit_code == 0, ended.output
    return [json.loads(line) for line in ended.stdout.splitlines()]


def test_an_index_is_built_asked_and_added_to() -> None:
    assert build("lines.txt").stderr == "7 entries, 5 distinct, in index\n"
    found = records("query", "index", QUERY, "-k", 3)
    expected = SearchIndex.build(LINES, MODEL).query(QUERY, 3)
    assert found == [
        {
            "query": QUERY,
            "rank": rank,
            "score": round(hit.score, 4),
            "id": hit.id,
            "copies": [*hit.copies],
            "text": hit.text,
        }
        for rank, hit in enumerate(expected, 1)
    ]
    assert (found[0]["id"], found[0]["copies"], found[1]["id"]) == (1, [3], 6)
    Path("more.txt").write_text(f"{QUERY}\n", encoding="utf-8")
    assert call("add", "index", "more.txt").stderr == "8 entries, 6 distinct, in index\n"
    assert records("query", "index", QUERY, "-k", 1)[0]["id"] == 8


TABLES = {
    "table.csv": 'key,question\n"a 1",How do I pay?\nb,"Where, please, is it?"\n',
    "table.tsv": "a 1\tHow do I pay?\nb\tWhere, please, is it?\n",
    "table.jsonl": '{"key": "a 1", "question": "How do I pay?"}\n'
    '{"key": "b", "question": "Where, please, is it?"}\n',
}


@pytest.mark.parametrize("name", TABLES)
def test_columns_of_tables_are_indexed_with_their_ids(name: str) -> None:
    Path(file := name + ".gz").write_bytes(gzip.compress(TABLES[name].encode()))
    columns = ("--text", 2, "--id", 1) if ".tsv" in name else ("--text", "question", "--id", "key")
    assert build(file, *columns).exit_code == 0
    (hit,) = records("query", "index", "How can I pay?", "-k", 1)
    assert (hit["id"], hit["text"]) == ("a 1", "How do I pay?")
    with pytest.raises(StsError, match="id 'a 1' occurs twice"):
        call("add", "index", file, *columns)
    with pytest.raises(StsError, match="has ids of its own"):
        call("add", "index", "lines.txt")
    assert len(SearchIndex.load("index")) == 2


def test_queries_come_from_arguments_a_file_or_stdin() -> None:
    build("lines.txt")
    expected = records("query", "index", QUERY, "Shares fell.")
    Path("asked.txt").write_text(f"{QUERY}\nShares fell.\n", encoding="utf-8")
    Path("asked.csv").write_text(f"text,n\n{QUERY},1\nShares fell.,2\n", encoding="utf-8")
    assert records("query", "index", "--queries", "asked.txt") == expected
    assert records("query", "index", "--queries", "asked.csv") == expected
    assert records("query", "index", "-", text=f"{QUERY}\nShares fell.\n") == expected
    assert records("query", "index", "--queries", "asked.txt", "--approximate") == expected
    assert call("query", "index", QUERY, "--format", "tsv", "-o", "hits.tsv").stdout == ""
    printed = call("query", "index", QUERY, "--format", "tsv").stdout
    assert Path("hits.tsv").read_text(encoding="utf-8") == printed


def test_a_file_is_searched_once_as_its_index_would_be() -> None:
    build("lines.txt")
    expected = records("query", "index", QUERY)
    assert records("once", "lines.txt", QUERY, "-m", MODEL) == expected
    assert {path.name for path in Path().iterdir()} == {"lines.txt", "index"}


def test_an_index_tells_what_it_holds() -> None:
    build("lines.txt")
    facts = dict(
        line.split(maxsplit=1)
        for line in call("info", "index").stdout.splitlines()
        if len(line.split()) > 1
    )
    assert facts["entries"] == "7, 5 distinct"
    assert (facts["model"], facts["dim"], facts["ids"]) == (MODEL, "256", "numbers from 1")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "query lines.txt x",
            "lines.txt: a file, not an index; search it with: semaniacs search once",
        ),
        ("query none x", "none: no index; build one: semaniacs search build FILE --output none"),
        ("build --vectors wide.npy -o new", "vectors of 7 numbers, but paragram makes 256"),
        ("build --vectors cube.npy -o new", r"cube.npy: float64 of shape \(1, 2, 3\); expected"),
        ("build lines.txt -o lines.txt", "lines.txt: txt cannot be written here; .* a folder"),
        ("build two.tsv -o new", r"two.tsv: which column is the text\? .* name one with --text"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(arguments: str, message: str) -> None:
    np.save("wide.npy", np.ones((2, 7)))
    np.save("cube.npy", np.ones((1, 2, 3)))
    Path("two.tsv").write_text("x\ty\nz\tw\n", encoding="utf-8")
    Path("names.csv").write_text("id,text\n", encoding="utf-8")
    with pytest.raises(StsError, match=message) as error:
        call(*arguments.split())
    assert "\n" not in str(error.value)
    assert not Path("new").exists()
