"""Ablation, importance and the choice of epochs: on small matrices whose answer is known."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from runs import ablation, epochs, importance, pipeline
from runs.ablation import ablate
from runs.importance import measure
from runs.recipe import Regressor, Run
from runs.registry import get_run
from runs.study import Study, check_studied, open_study
from sts.catalog import TASKS, get_task
from sts.errors import StsError

PNG = b"\x89PNG\r\n\x1a\n"
COLUMNS = ("number_count", "content_1gram", "det_2", "number_match", "det_1", "content_2gram")
INFORMATIVE = COLUMNS.index("content_1gram")


def make_study(regressor: Any = "sklearn") -> Study:
    """Random columns, one of which is the gold with a little noise."""
    rng = np.random.default_rng(7)

    def draw(n: int) -> tuple[Any, Any]:
        gold = rng.uniform(0, 5, n)
        matrix = rng.uniform(0, 1, (n, len(COLUMNS)))
        matrix[:, INFORMATIVE] = gold / 5 + rng.normal(0, 0.02, n)
        return matrix, gold

    training, gold = draw(200)
    tests = {name: draw(60) for name in ("one", "two")}
    tests["two"][1][:10] = np.nan  # unscored pairs
    recipe = Regressor(regressor, trees=12, learning_rate=0.4, depth=2, leaf=5, features=1.0)
    run = Run("by-hand", "a study", fusion=recipe, columns=COLUMNS)
    return Study(
        run,
        COLUMNS,
        training,
        gold,
        {name: matrix for name, (matrix, _) in tests.items()},
        {name: scores for name, (_, scores) in tests.items()},
    )


# --- the study


def test_columns_are_grouped_in_order() -> None:
    assert make_study().groups == {
        "numbers": ["number_count", "number_match"],
        "ngrams": ["content_1gram", "content_2gram"],
        "determiners": ["det_2", "det_1"],
    }


def test_a_fusion_of_some_columns_sees_those_alone() -> None:
    study = make_study()
    chosen = ["det_1", "content_1gram"]
    assert study.places(chosen) == [4, 1]
    fusion = study.fit(chosen)
    assert fusion.n_features_in_ == 2
    score = study.score(fusion, chosen)
    assert score.weighted_mean > 0.95
    assert {name: d.scored for name, d in score.datasets.items()} == {"one": 60, "two": 50}
    others = ["det_1", "number_count"]
    assert study.score(study.fit(others), others).weighted_mean < 0.5


# --- ablation


def test_the_informative_group_is_missed_most() -> None:
    study = make_study()
    whole, rows = ablate(study)
    assert whole > 0.95
    assert {row.group: row.columns for row in rows} == {
        group: len(columns) for group, columns in study.groups.items()
    }
    assert rows[0].group == "ngrams"
    assert rows[0].alone > 0.95
    assert rows[0].without < 0.5
    for row in rows:
        assert row.loss == pytest.approx(whole - row.without)
    assert all(abs(row.loss) < 0.05 for row in rows[1:])
    assert [row.loss for row in rows] == sorted((row.loss for row in rows), reverse=True)
    assert (whole, rows) == ablate(make_study())


def test_a_group_may_be_a_single_column() -> None:
    study = make_study()
    alone = ["content_1gram"]
    assert study.score(study.fit(alone), alone).weighted_mean > 0.9


# --- importance


@pytest.mark.parametrize("regressor", ["sklearn", "lightgbm"])
def test_the_informative_column_comes_first(regressor: str) -> None:
    rows = measure(make_study(regressor))
    assert {row.feature for row in rows} == set(COLUMNS)
    assert sum(row.gini for row in rows) == pytest.approx(1)
    assert all(row.gini >= 0 for row in rows)
    assert [row.gini for row in rows] == sorted((row.gini for row in rows), reverse=True)
    assert (rows[0].feature, rows[0].group) == ("content_1gram", "ngrams")
    assert rows[0].gini > 0.9
    assert rows[0].permutation > 0.5
    assert 0 < rows[0].spread < 0.3
    assert all(abs(row.permutation) < 0.05 for row in rows[1:])
    assert rows == measure(make_study(regressor))


def test_shuffling_leaves_the_study_as_it_was() -> None:
    study = make_study()
    before = {name: matrix.copy() for name, matrix in study.test.items()}
    measure(study)
    for name, matrix in study.test.items():
        np.testing.assert_array_equal(matrix, before[name])


# --- the command lines


def run_on(study: Study, tool: ModuleType, folder: Path, cli: Any, monkeypatch: Any) -> Any:
    """A tool's command line on a study that is open already."""
    monkeypatch.setattr(tool, "study_from", lambda _: (study, folder))
    ended = cli(main=tool.main)
    assert ended.code == 0, ended.err
    return ended


@pytest.mark.parametrize(
    ("tool", "name", "header", "first"),
    [
        (ablation, "ablation", ["group", "columns", "without", "alone", "loss"], "ngrams"),
        (
            importance,
            "importance",
            ["feature", "group", "gini", "permutation", "spread"],
            "content_1gram",
        ),
    ],
)
def test_a_tool_writes_its_table_and_its_chart(
    tool: ModuleType,
    name: str,
    header: list[str],
    first: str,
    cli: Any,
    contents: Callable[[Path], dict[str, bytes]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    printed = [
        run_on(make_study(), tool, tmp_path / folder, cli, monkeypatch).out for folder in ("1", "2")
    ]
    files = contents(tmp_path / "1")
    assert set(files) == {f"{name}.csv", f"{name}.png"}
    assert files[f"{name}.png"].startswith(PNG)
    rows = list(csv.reader(io.StringIO(files[f"{name}.csv"].decode(), newline="")))
    assert rows[0] == header
    assert rows[1][0] == first
    assert all(len(row) == len(header) for row in rows)
    for row in rows[1:]:
        [float(cell) for cell in row[2:]]
    for row in rows:  # the same figures are shown
        assert any(line.split() == row for line in printed[0].splitlines())
    assert printed[0] == printed[1]
    assert contents(tmp_path / "2") == files


@pytest.mark.parametrize("tool", [ablation, importance, epochs])
@pytest.mark.parametrize("task", ["sts2016", "sts2016-es-en", "sample"])
def test_a_task_that_is_reported_on_is_not_studied(
    tool: ModuleType, task: str, cli: Any, tmp_path: Path
) -> None:
    options = ["--run", "task-internal"] if tool is epochs else []
    ended = cli(*options, "--task", task, "--output", tmp_path / "o", main=tool.main)
    ended.refused(f"task '{task}' is for reporting", "2015", "--task sts2015")
    assert not (tmp_path / "o").exists()


def test_every_task_until_2015_may_be_studied() -> None:
    for task in TASKS.values():
        if task.year <= 2015:
            check_studied(task)


@pytest.mark.parametrize(
    ("tool", "options", "said"),
    [
        (ablation, ["--run", "raw"], "run 'raw' has no features to study; use --run fusion"),
        (importance, ["--run", "synthetic"], "run 'synthetic' has no features to study"),
        (epochs, ["--run", "raw"], "run 'raw' is not tuned; use --run task-internal or synth"),
        (epochs, ["--run", "fusion"], "run 'fusion' is not tuned"),
        (ablation, ["--run", "none"], "unknown run 'none'"),
        (epochs, ["--task", "none"], "unknown task 'none'"),
        (importance, ["--seed", "-1"], "--seed -1: expected a whole number"),
        (ablation, ["--translator", "babel"], "unknown translator 'babel'"),
    ],
)
def test_a_study_that_cannot_be_is_refused(
    tool: ModuleType, options: list[str], said: str, cli: Any
) -> None:
    cli(*options, main=tool.main).refused(said)


# --- a study of the toy task


def test_a_study_holds_what_the_run_itself_sees(
    toy: Any, toy_runs: dict[str, Run], translator: Any
) -> None:
    run = toy_runs["toy-fusion"]
    study = open_study(run, toy.task, toy.data, None)
    assert study.columns == run.columns
    assert study.training.shape == (58, 5)  # 40 and 20 pairs, one of each unscored
    assert {name: matrix.shape for name, matrix in study.test.items()} == {
        "zeta": (12, 5),
        "alpha": (9, 5),
        "es-en": (5, 5),
    }
    outcome = pipeline.predict(run, toy.task, toy.data)
    fusion = study.fit(study.columns)
    for name, scores in outcome.predictions.items():
        np.testing.assert_array_equal(fusion.predict(study.test[name]), scores)
    assert study.score(fusion, study.columns) == pipeline.evaluate(outcome, toy.data)


def test_a_later_task_is_refused_before_it_is_read(
    make_toy: Any, toy_runs: dict[str, Run], tmp_path: Path
) -> None:
    toy = make_toy(year=2016)
    for path in toy.data.rglob("*.txt"):
        path.unlink()
    with pytest.raises(StsError, match="fitted to the test"):
        open_study(toy_runs["toy-fusion"], toy.task, toy.data, None)


# --- epochs


@pytest.fixture
def two_epochs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(epochs, "LONGEST", 2)


def test_the_curve_begins_untuned_and_has_a_point_an_epoch(
    toy: Any, toy_runs: dict[str, Run], translator: Any, two_epochs: None
) -> None:
    run = toy_runs["toy-tuned"]
    scores = epochs.curve(run, toy.task, toy.data, None)
    assert len(scores) == 3
    for score, same in zip(scores, (toy_runs["toy-raw"], run), strict=False):
        outcome = pipeline.predict(same, toy.task, toy.data)
        assert score == pipeline.evaluate(outcome, toy.data).weighted_mean
    assert len(set(scores)) == 3


def test_the_best_epoch_is_named(
    toy: Any,
    toy_runs: dict[str, Run],
    translator: Any,
    two_epochs: None,
    cli: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    options = ("--run", "toy-tuned", "--task", "toy", "--data", toy.data, "--output", tmp_path)
    ended = cli(*options, main=epochs.main)
    assert ended.code == 0, ended.err
    folder = tmp_path / "toy" / "toy-tuned"
    header, *rows = csv.reader(io.StringIO((folder / "epochs.csv").read_text(), newline=""))
    assert header == ["epoch", "weighted_mean"]
    assert [row[0] for row in rows] == ["0", "1", "2"]
    assert (folder / "epochs.png").read_bytes().startswith(PNG)
    best = max(rows, key=lambda row: float(row[1]))
    assert ended.out.endswith(f"best: epoch {best[0]}, {best[1]}\n")


def test_the_first_of_equal_epochs_is_the_best(
    toy: Any, toy_runs: dict[str, Run], cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(epochs, "curve", lambda *_: [0.1, 0.7, 0.7, 0.2])
    options = ("--run", "toy-tuned", "--task", "toy", "--output", tmp_path)
    assert cli(*options, main=epochs.main).out.endswith("best: epoch 1, 0.7000\n")


def test_a_study_does_not_change_the_recipe() -> None:
    run = get_run("fusion")
    assert replace(run) == run
    with pytest.raises(StsError, match="for reporting"):
        open_study(run, get_task("sts2016"), None, None)
    assert get_run("fusion") == run
