"""Results of tasks are recorded, checked, shown beside published ones, and made again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from research import record, tables
from semaniacs.runs import recipes
from semaniacs.runs.pipeline.run import Run
from semaniacs.runs.recipes import RUNS
from semaniacs.runs.reproduction.made_again import short_signature
from semaniacs.runs.tables.published import PUBLISHED, Published, published_on
from semaniacs.sts.data.catalog import TASKS
from semaniacs.sts.errors import StsError

NOT_ONE_SYSTEM = {"median", "best"}
MISPRINTED = {("sts2016", "DCU synthetic")}
"""Table 2 has .7133, and figures by data set with the weighted mean .706."""


@pytest.mark.parametrize("other", PUBLISHED, ids=lambda p: f"{p.task}-{p.system}")
def test_published_figures_are_of_data_sets_that_exist(other: Published) -> None:
    sizes = {dataset.name: dataset.scored for dataset in TASKS[other.task].datasets}
    assert set(other.datasets) <= set(sizes)
    assert all(0 < figure < 1 for figure in (*other.datasets.values(), other.average))
    if (
        other.kind in NOT_ONE_SYSTEM
        or not other.datasets
        or (other.task, other.system) in MISPRINTED
    ):
        return
    whole = sum(other.datasets[name] * size for name, size in sizes.items()) / sum(sizes.values())
    assert whole == pytest.approx(other.average, abs=6e-4)


@pytest.mark.parametrize("year", range(2012, 2017))
def test_every_year_has_a_winner(year: int) -> None:
    kinds = [other.kind for other in published_on(f"sts{year}")]
    assert kinds.count("winner") == 1


@pytest.fixture
def scored(toy: Any, toy_runs: dict[str, Run], cli: Any, tmp_path: Path, monkeypatch: Any) -> Path:
    """An output folder with a result of the toy task."""
    monkeypatch.setitem(TASKS, "toy", replace(toy.task, datasets=toy.task.datasets[:1]))
    monkeypatch.setattr(tables, "RESULTS", tmp_path / "results.jsonl")
    output = tmp_path / "output" / "results"
    options = ("--run", "toy-raw", "--task", "toy", "--data", toy.data, "--output", output)
    assert cli(*options).code == 0
    return tmp_path / "output"


def test_a_result_is_recorded_with_a_short_signature(scored: Path, toy: Any) -> None:
    line = record.result_of(record.Score("toy", "toy-raw"), toy.data, scored)
    tables.write_lines([line])
    (result,) = tables.task_results()
    assert (result["name"], list(result["datasets"])) == ("toy.toy-raw", ["zeta"])
    assert result["interval"][0] <= result["weighted_mean"] <= result["interval"][1]
    written = json.loads((scored / "results" / "toy" / "toy-raw" / "results.json").read_text())
    assert result["signature"] == short_signature(written["signature"])
    assert all(len(str(value)) <= 16 for value in result["signature"].values())
    assert "**toy**, Pearson" in tables.results_tables()


def test_a_changed_recipe_is_refused(
    scored: Path, toy: Any, toy_runs: dict[str, Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    score = record.Score("toy", "toy-raw")
    tables.write_lines([record.result_of(score, toy.data, scored)])
    record.check()
    other = replace(RUNS["toy-raw"], written_alike=True)
    monkeypatch.setitem(recipes.RUNS, "toy-raw", other)
    with pytest.raises(StsError, match="recipe of run 'toy-raw' has changed since; score the"):
        record.result_of(score, toy.data, scored)
    with pytest.raises(StsError, match="1 recorded results .* such as toy.toy-raw; make them"):
        record.check()


def test_every_recorded_result_is_among_those_that_are_made() -> None:
    made = {(score.task, score.run) for score in record.wanted()}
    assert made == {(result["task"], result["run"]) for result in tables.task_results()}


def test_a_figure_of_a_study_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "RESULTS", tmp_path / "results.jsonl")
    for value in (1.0, 2.0):
        tables.write_record("x", {"value": value})
    assert tables.read_record("x") == {"value": 2.0}
    with pytest.raises(StsError, match="nothing is recorded under the name 'y'"):
        tables.read_record("y")
