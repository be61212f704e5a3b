"""One test of each study, by hand or on little data."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from research import partial_paraphrases, record, tables
from semaniacs.runs import recipes
from semaniacs.runs.pipeline.run import Run
from semaniacs.runs.recipes import RUNS
from semaniacs.runs.reproduction.made_again import short_signature
from semaniacs.runs.tables.published import PUBLISHED, Published
from semaniacs.sts.data.catalog import TASKS
from semaniacs.sts.errors import StsError


def test_states_by_hand() -> None:
    """Tokens e1 e2 against e2 and a word at 60° to e2; [CLS] is at 90°, [SEP] counts in the mean."""
    e = np.eye(3, dtype=np.float32)
    near = 0.5 * e[1] + np.sqrt(0.75) * e[2]
    left, right = np.stack([e[0], e[0], e[1], e[2]]), np.stack([e[1], e[1], near, e[2]])
    mean, first, f1 = partial_paraphrases.by_states(left, right)
    a, b = left.mean(0), right.mean(0)
    assert mean == pytest.approx(float(a @ b / np.sqrt((a @ a) * (b @ b))))
    assert first == 0
    precision, recall = (0 + 1) / 2, (1 + 0.5) / 2
    assert f1 == pytest.approx(2 * precision * recall / (precision + recall))


def test_every_recorded_table_can_be_made() -> None:
    for name, table in tables.TABLES.items():
        rows = [line for line in table().splitlines() if line.startswith("| ")]
        assert len(rows) > 2, name


# Results of tasks are recorded, checked, shown beside published ones, and made again


NOT_ONE_SYSTEM = {"median", "best"}
MISPRINTED = {("sts2016", "DCU synthetic")}
"""Table 2 has .7133, and figures by data set with the weighted mean .706."""


@pytest.mark.parametrize("other", PUBLISHED[::3], ids=lambda p: f"{p.task}-{p.system}")
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
    assert {(result["task"], result["run"]) for result in tables.task_results()} == made
