"""A table is scored in blocks; one whose scoring was stopped goes on."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from semaniacs.cli import semaniacs as command
from semaniacs.runs import score_table as module
from semaniacs.runs.score_table import TableOptions, score_table
from semaniacs.runs.scorer import Scorer, load
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.files import sha256_of

BLOCK = 40
"""Rows at once in these tests."""


@pytest.fixture(scope="module")
def scorer() -> Scorer:
    return load("raw")


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK", BLOCK)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.tsv"
    lines = [f"A dog sees {i} cats.\tThe cat sees {i} dogs and {i % 7} mice." for i in range(205)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


class Stopped(Scorer):
    """A scorer that is killed after some blocks, and counts the pairs that it scores."""

    def __init__(self, scorer: Scorer, blocks: int) -> None:
        super().__init__(scorer.model, scorer.source)
        self.blocks, self.pairs = blocks, 0

    def score_counting(self, left, right, *args, **options):  # type: ignore[no-untyped-def]
        if self.blocks == 0:
            raise KeyboardInterrupt
        self.blocks -= 1
        self.pairs += len(left)
        return super().score_counting(left, right, *args, **options)


def stop(scorer: Scorer, table: Path, target: Path, options: TableOptions, blocks: int) -> Path:
    """Score a table until some blocks are done; the file of their scores."""
    with pytest.raises(KeyboardInterrupt):
        score_table(Stopped(scorer, blocks), str(table), str(target), options)
    assert not target.exists()
    return target.with_name(f"{target.name}.partial")


@pytest.mark.parametrize("torn", [0, 100])
def test_the_same_call_goes_on_to_the_same_bytes(
    torn: int, scorer: Scorer, table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    once, target = tmp_path / "once.tsv", tmp_path / "out.tsv"
    score_table(scorer, str(table), str(once), TableOptions())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["once.tsv", "pairs.tsv"]
    partial = stop(scorer, table, target, TableOptions(), 3)
    said = f"{partial} keeps {3 * BLOCK} scores; the same command goes on from there\n"
    assert capsys.readouterr().err == said
    content = partial.read_bytes()
    partial.write_bytes(content[: len(content) - torn])
    again = Stopped(scorer, 99)
    capsys.readouterr()
    assert score_table(again, str(table), str(target), TableOptions())[0] == 205
    kept = 3 * BLOCK if not torn else 2 * BLOCK
    assert again.pairs == 205 - kept
    assert capsys.readouterr().err == f"{partial}: going on; {kept} pairs scored before\n"
    assert sha256_of(target) == sha256_of(once)
    assert not partial.exists()


def test_lines_that_changed_are_scored_again(scorer: Scorer, table: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.tsv"
    stop(scorer, table, target, TableOptions(), 3)
    table.write_text("A new line.\tAnd its pair.\n" + table.read_text("utf-8"), encoding="utf-8")
    again = Stopped(scorer, 99)
    assert score_table(again, str(table), str(target), TableOptions())[0] == 206
    assert again.pairs == 206


def test_a_bad_line_late_in_a_table_loses_nothing(
    scorer: Scorer, table: Path, tmp_path: Path
) -> None:
    target = tmp_path / "out.tsv"
    whole = table.read_text("utf-8")
    table.write_text(whole + "alone\t\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"pairs.tsv:206: the cell in column 2 is empty or NaN"):
        score_table(scorer, str(table), str(target), TableOptions())
    table.write_text(whole + "alone\tno more\n", encoding="utf-8")
    again = Stopped(scorer, 99)
    assert score_table(again, str(table), str(target), TableOptions())[0] == 206
    assert again.pairs == 206 - 5 * BLOCK


def test_all_digits_are_those_of_the_score(scorer: Scorer, table: Path, tmp_path: Path) -> None:
    score_table(scorer, str(table), str(tmp_path / "out.tsv"), TableOptions(digits=17))
    sides = zip(*(line.split("\t") for line in table.read_text("utf-8").splitlines()), strict=True)
    found = [*map(float, (tmp_path / "out.tsv").read_text().split())]
    assert found == scorer.score(*map(list, sides)).tolist()


def test_the_best_of_several_references_counts(scorer: Scorer, tmp_path: Path) -> None:
    table, target = tmp_path / "answers.csv", tmp_path / "out.csv"
    table.write_text("answer,one,two\nA dog runs.,A cat sleeps.,A dog is running.\nYes,No way,\n")
    wanted = TableOptions(left="answer", right="one", references=("two",))
    score_table(scorer, str(table), str(target), wanted)
    best = [float(line.rpartition(",")[2]) for line in target.read_text().splitlines()[1:]]
    right = ["A dog is running.", "No way"]
    assert best == pytest.approx(scorer.score(["A dog runs.", "Yes"], right), abs=1e-4)
    table.write_text("answer,one,two\nHe has 3 dogs.,Stocks fell.,He has 4 dogs.\n")
    score_table(scorer, str(table), str(target), replace(wanted, differences=True))
    header, row = target.read_text().splitlines()
    assert header.endswith(",score,best reference,what differs")
    assert row.endswith(",two,The amounts differ: 3 dogs ≠ 4 dogs.")
    with pytest.raises(StsError, match="--left and --reference are both answer"):
        score_table(scorer, str(table), str(target), replace(wanted, references=("answer",)))
    with pytest.raises(
        StsError, match="no column 'three' for --reference; it has answer, one, two"
    ):
        score_table(scorer, str(table), str(target), replace(wanted, references=("three",)))


@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet"])
def test_a_list_of_references_in_one_cell(name: str, scorer: Scorer, tmp_path: Path) -> None:
    rows = [
        {"answer": "A dog runs.", "references": ["Stocks fell.", "", "A dog is running.", "No."]},
        {"answer": "He has 3 dogs.", "references": ["He has 4 dogs."]},
        {"answer": "Yes.", "references": []},
    ]
    table, target = tmp_path / name, tmp_path / "out.jsonl"
    if name == "a.parquet":
        pyarrow = pytest.importorskip("pyarrow")
        pytest.importorskip("pyarrow.parquet").write_table(pyarrow.Table.from_pylist(rows), table)
    else:
        table.write_text("\n".join(map(json.dumps, rows)))
    wanted = TableOptions(missing="skip", empty="nan", differences=True)
    assert score_table(scorer, str(table), str(target), wanted)[0] == 3
    found = [*map(json.loads, target.read_text("utf-8").splitlines())]
    best = scorer.score("A dog runs.", "A dog is running.")
    assert found[0]["score"] == pytest.approx(best, abs=1e-4)
    assert [row["best reference"] for row in found] == ["references 2", "references 1", None]
    assert found[1]["what differs"] == "The amounts differ: 3 dogs ≠ 4 dogs."
    assert [row["references"] for row in found] == [row["references"] for row in rows]
    with pytest.raises(DataError, match="1: the cell in column references is empty or NaN"):
        table.write_text(json.dumps(rows[2]))
        score_table(scorer, str(table), None, TableOptions(read_as="jsonl"))


def test_one_reference_for_all_rows(
    scorer: Scorer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, target = tmp_path / "a.csv", tmp_path / "out.csv"
    table.write_text("id,answer\n1,A dog runs.\n2,\n")
    one = TableOptions(missing="skip", empty="nan", right_text=("A dog is running.",))
    score_table(scorer, str(table), str(target), one)
    score = round(float(scorer.score("A dog runs.", "A dog is running.")), 4)
    assert target.read_text() == f"id,answer,score\n1,A dog runs.,{score}\n2,,\n"
    two = replace(one, right_text=("Stocks fell.", *one.right_text), differences=True)
    score_table(scorer, str(table), str(target), two)
    assert f"1,A dog runs.,{score},--right-text 2," in target.read_text()
    asked = replace(one, question="id", right_text=("It has one dog.",))
    table.write_text("id,answer\nHow many dogs has it?,One.\n,one\n")
    score_table(scorer, str(table), str(target), asked)
    short, blank = (float(row.rpartition(",")[2]) for row in target.read_text().splitlines()[1:])
    assert short == 5 > blank
    assert "--question" not in capsys.readouterr().err
    table.write_text("question,answer\nHow many dogs has it?,One.\n")
    score_table(scorer, str(table), None, replace(asked, question=None))
    assert "answers to what it asks: --question question" in capsys.readouterr().err
    table.write_text("id,answer\nHow many dogs has it?,One.\n")
    with pytest.raises(StsError, match="no column 'topic' for --question; it has id, answer"):
        score_table(scorer, str(table), None, replace(one, question="topic"))
    table.write_text("one,two\nx,y\n")
    with pytest.raises(StsError, match="which of one, two is compared with --right-text"):
        score_table(scorer, str(table), str(target), one)
    table.with_suffix(".txt").write_text("A dog runs.\n")
    score_table(scorer, str(table.with_suffix(".txt")), str(tmp_path / "out.txt"), one)
    assert (tmp_path / "out.txt").read_text() == f"{score}\n"


def test_a_pass_mark_is_a_column_and_an_exit_code(tmp_path: Path) -> None:
    table, target = tmp_path / "a.csv", tmp_path / "out.csv"
    table.write_text("left,right\nA dog.,A dog.\nA dog.,Stocks fell.\nA dog.,\n")
    typed = [str(table), "--missing", "skip", "-o", str(target)]
    same, other = (["A dog.", "A dog."], 0, "1 of 1 pass"), (["A dog.", "No."], 1, "0 of 1 pass")
    asked = (["No", "A dog is not a cat.", "--question", "Is a dog a cat?"], 0, "1 of 1 pass")
    for texts, code, said in ((typed, 1, "1 of 3 pass; not lines 3, 4"), same, other, asked):
        line = ["score", *texts, "--model", "raw", "--pass-from", "3.5"]
        ended = CliRunner().invoke(command, line)
        assert ended.exit_code == code and said in ended.stderr
    marks = [row.rpartition(",")[2] for row in target.read_text().splitlines()]
    assert marks == ["pass", "1", "0", ""]
    table.write_text("left,right\nHe has 3 dogs.,He has 4 dogs.\nA dog runs.,A dog runs.\n")
    arguments = ["score", str(table), "--model", "raw", "--pass-from", "0.5"]
    for more, expected in (([], ["pass", "1", "1"]), (["--strict"], ["pass", "0", "1"])):
        rows = CliRunner().invoke(command, [*arguments, *more]).stdout.splitlines()
        assert [row.rpartition(",")[2] for row in rows] == expected
    exactly = TableOptions(pass_from=2.5, digits=1).columns(np.array([2.45000001, 2.4]), None)  # type: ignore[arg-type]
    assert exactly["pass"] == [1, 0]
