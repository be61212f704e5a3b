"""Scores read from a column of a table, with the ids of its rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from semaniacs.sts.errors import DataError
from semaniacs.sts.scoring.shared_task.gold_standard import read_column

TABLES = {
    "named.csv": "id,score\na,1.5\nb,\n",
    "alone.tsv": "1.5\n4\n",
    "objects.jsonl": '{"id": "a", "score": 1.5}\n{"id": "b", "score": 4}\n',
    "word.csv": "id,score\na,high\n",
    "other.csv": "name,grade\na,1\n",
    "twice.csv": "id,score\na,1\nb,2\na,3\n",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("tables")
    for name, content in TABLES.items():
        (made / name).write_text(content, encoding="utf-8")
    return made


@pytest.mark.parametrize(
    ("name", "id_", "scores", "ids", "lines"),
    [
        ("named.csv", "id", [1.5, np.nan], ("a", "b"), (2, 3)),
        ("alone.tsv", None, [1.5, 4.0], None, (1, 2)),
        ("objects.jsonl", "id", [1.5, 4.0], ("a", "b"), (1, 2)),
    ],
)
def test_a_column_has_scores_ids_and_lines(
    folder: Path, name: str, id_: str | None, scores: list[float], ids: object, lines: object
) -> None:
    found = read_column(str(folder / name), None, id_, blank=True)
    np.testing.assert_array_equal(found.values, scores)
    assert (found.ids, found.lines) == (ids, lines)


@pytest.mark.parametrize(
    ("name", "column", "message"),
    [
        ("word.csv", None, r"word.csv:2: score is 'high', expected a number"),
        ("named.csv", None, r"named.csv:3: score is '', expected a number"),
        ("twice.csv", None, r"twice.csv:4: id 'a' is in line 2 too"),
        ("twice.csv", "grade", r"no column 'grade'; it has id, score"),
        ("other.csv", None, r"no column 'score'; it has name, grade"),
    ],
)
def test_a_fault_is_named_with_its_line(
    folder: Path, name: str, column: str | None, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        read_column(str(folder / name), column, "id")


@pytest.mark.parametrize(("rows", "moved"), [("b,2,1\na,1,2", "id"), ("a,2,1\nb,1,2", None)])
def test_rows_in_another_order_are_seen(rows: str, moved: str | None, tmp_path: Path) -> None:
    tables = []
    for number, text in enumerate(["a,1,5\nb,2,4", rows]):
        (tmp_path / f"{number}.csv").write_text(f"id,rank,score\n{text}\n")
        tables.append(read_column(str(tmp_path / f"{number}.csv"), None))
    assert tables[1].order_of(tables[0].others) == moved
