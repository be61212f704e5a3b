"""Results are kept and shown in the README, next to what was published."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from runs.pipeline.run import Run
from runs.tables import documents
from runs.tables.published import PUBLISHED, Published, published_on
from sts.data.catalog import TASKS, get_task
from sts.errors import StsError

RESULT: Mapping[str, Any] = {
    "run": "raw",
    "translator": "",
    "datasets": {
        name: {"pearson": 0.5} for name in ("FNWN", "OnWN", "headlines")
    },
    "weighted_mean": 0.61234,
    "mean": 0.5,
    "interval": [0.55, 0.65],
}  # fmt: skip


# --- what was published


@pytest.mark.parametrize("other", PUBLISHED, ids=lambda p: f"{p.task}-{p.system}")
def test_published_figures_are_of_data_sets_that_exist(other: Published) -> None:
    names = {dataset.name for dataset in TASKS[other.task].datasets}
    assert set(other.datasets) <= names
    assert all(0 < figure < 1 for figure in (*other.datasets.values(), other.average))
    assert other.source


NOT_ONE_SYSTEM = {"median", "best"}
MISPRINTED = {("sts2016", "DCU synthetic")}
"""Table 2 has .7133, and figures by data set of which the weighted mean is .706."""


@pytest.mark.parametrize(
    "other",
    [
        other
        for other in PUBLISHED
        if other.kind not in NOT_ONE_SYSTEM
        and other.datasets
        and (other.task, other.system) not in MISPRINTED
    ],
    ids=lambda p: f"{p.task}-{p.system}",
)
def test_the_average_is_that_of_the_data_sets(other: Published) -> None:
    sizes = {dataset.name: dataset.scored for dataset in TASKS[other.task].datasets}
    assert set(other.datasets) == set(sizes)
    whole = sum(other.datasets[name] * size for name, size in sizes.items()) / sum(sizes.values())
    assert whole == pytest.approx(other.average, abs=6e-4)


@pytest.mark.parametrize("year", range(2012, 2017))
def test_every_year_has_a_winner(year: int) -> None:
    kinds = [other.kind for other in published_on(f"sts{year}")]
    assert kinds.count("winner") == 1


# --- tables


def test_a_figure_that_is_not_known_is_left_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    (winner,) = published_on("sts2013")
    partly = replace(winner, datasets={"OnWN": 0.753})
    monkeypatch.setattr(documents, "published_on", lambda task: [partly])
    lines = documents.task_table(get_task("sts2013"), [RESULT]).splitlines()
    assert lines[2] == "| `raw` | 0.500 | 0.500 | 0.500 | **0.6123** | 0.550–0.650 | 0.5000 |"
    assert lines[3] == "| UMBC (winner), without SMT |  | 0.753 |  | 0.737 |  |  |"
    assert len({line.count("|") for line in lines}) == 1


def test_what_stands_around_the_tables_stays() -> None:
    marks = "<!-- results: begin -->old<!-- results: end -->"
    text = f"before {marks} between <!-- peers: begin --><!-- peers: end --> after\n"
    fresh = documents.with_tables(text)
    assert fresh.startswith("before <!-- results: begin -->\n\n**sts2012**, Pearson\n\n|")
    assert fresh.endswith("<!-- peers: end --> after\n")
    assert "old" not in fresh
    assert documents.with_tables(fresh) == fresh


def test_a_readme_without_marks_is_refused() -> None:
    with pytest.raises(StsError, match="results: begin"):
        documents.with_tables("nothing here\n")


# --- the command


@pytest.fixture
def stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A README whose tables are not those of the results."""
    path = tmp_path / "README.md"
    names = ("results", "peers")
    path.write_text("".join(f"<!-- {n}: begin -->\n<!-- {n}: end -->\n" for n in names))
    monkeypatch.setattr(documents, "README", path)
    bitext = tmp_path / "bitext.md"
    names = ("similarity", "mining", "search")
    bitext.write_text("".join(f"<!-- {n}: begin -->\n<!-- {n}: end -->\n" for n in names))
    monkeypatch.setattr(documents, "BITEXT", bitext)
    return path


def test_stale_tables_are_told_and_written(stale: Path, cli: Any) -> None:
    before = stale.read_bytes()
    cli("--check", main=documents.main).refused("not up to date", "python -m runs.tables.documents")
    assert stale.read_bytes() == before
    assert cli(main=documents.main).code == 0
    assert b"| `fusion` |" in stale.read_bytes()
    assert b"| `raw` |" in documents.BITEXT.read_bytes()
    assert cli("--check", main=documents.main).code == 0
    documents.BITEXT.write_text(documents.BITEXT.read_text().replace("`raw`", "`row`"))
    cli("--check", main=documents.main).refused("bitext.md is not up to date")


def test_a_result_is_recorded(
    toy: Any,
    toy_runs: dict[str, Run],
    translator: Any,
    cli: Any,
    stale: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    output, kept = stale.parent / "output", stale.parent / "kept"
    rows = toy.task.datasets[:1]  # more than a handful of pairs, for the interval
    monkeypatch.setitem(TASKS, "toy", replace(toy.task, datasets=rows))
    monkeypatch.setattr(documents, "RESULTS", kept)
    options = ("--run", "toy-raw", "--task", "toy", "--data", toy.data, "--output", output)
    assert cli(*options).code == 0
    ended = cli("--record", output, "--data", toy.data, main=documents.main)
    assert (ended.code, ended.out) == (0, "toy.toy-raw.json\n")
    result = json.loads((kept / "toy.toy-raw.json").read_text())
    assert result["interval"][0] <= result["weighted_mean"] <= result["interval"][1]
    assert list(result["datasets"]) == ["zeta"]
    assert "**toy**, Pearson" in stale.read_text(encoding="utf-8")


def test_there_must_be_something_to_record(stale: Path, cli: Any, tmp_path: Path) -> None:
    cli("--record", tmp_path, main=documents.main).refused("no results.json", "run_submission.py")
