"""A study, its commands and their tables on the sample.

After a change that is meant to change the tables: ``STS_GOLDEN=write pytest`` of this file writes
them anew.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semaniacs.cli import run as semaniacs
from semaniacs.runs import recipes
from semaniacs.runs.contribution.study import check_studied, prepare_study, task_to_study
from semaniacs.runs.pipeline import task_run
from semaniacs.runs.pipeline.recipe_parts import Ensemble, GradedYears, Regressor
from semaniacs.runs.pipeline.run import Run
from semaniacs.sts.data import catalog
from semaniacs.sts.data.catalog import TASKS, get_task
from semaniacs.sts.scoring.task_score import score_task
from tests.runs.made_studies import make_study, with_column

GOLDEN = Path(__file__).with_name("golden")
COLUMNS = (
    "number_match", "content_1gram", "content_2gram", "lemma_1gram", "relative_len_difference",
    "chrf", "character_3gram", "dynamax", "soft_match",
)  # fmt: skip


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
    assert study.fit(chosen).n_features_in_ == 2
    score = score_task(study.predict(chosen), study.test_gold)
    assert score.weighted_mean > 0.95
    assert {name: d.scored for name, d in score.datasets.items()} == {"one": 60, "two": 50}
    others = study.predict(["det_1", "number_count"])
    assert score_task(others, study.test_gold).weighted_mean < 0.5


def test_every_task_until_2015_and_the_sample_may_be_studied() -> None:
    for task in TASKS.values():
        if task.year <= 2015 or task.name == "sample":
            check_studied(task)


@pytest.mark.parametrize(
    ("task", "studied"),
    [("sts2016", "sts2015"), ("sts2016-es-en", "sts2015"), ("sts2014", "sts2014")],
)
def test_what_is_reported_on_is_not_studied(task: str, studied: str) -> None:
    assert task_to_study(get_task(task)).name == studied


def test_columns_without_a_value_teach_nothing() -> None:
    one = with_column(make_study(), "det_1", np.nan)
    for columns in ([], ["det_1"]):
        for name, scores in one.predict(columns).items():
            np.testing.assert_array_equal(scores, np.full(len(one.test[name]), one.gold.mean()))
    predicted = one.predict(["det_1", "content_1gram"])
    assert score_task(predicted, one.test_gold).weighted_mean > 0.95


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["ablation", "--task", "sts2016"], "task 'sts2016' is for reporting; study one of 2015"),
        (["importance", "--task", "sts2016-es-en"], "task 'sts2016-es-en' is for reporting"),
        (["ablation", "--run", "raw"], "run 'raw' is a cosine alone and has no features"),
        (["ablation", "--run", "none"], "unknown run 'none'"),
        (["importance", "--task", "none"], "unknown task 'none'"),
    ],
)
def test_a_study_that_cannot_be_is_refused(
    options: list[str], said: str, cli: Any, tmp_path: Path
) -> None:
    cli(*options, "--output", tmp_path / "o", main=semaniacs).refused(said)


@pytest.fixture
def sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sample, which here learns from three sets of its own, and a run that is fitted at once."""
    whole = catalog.get_task("sample")
    small = replace(whole, train=whole.datasets[:3], datasets=whole.datasets[3:5])
    monkeypatch.setitem(catalog.TASKS, "sample", small)
    part = Regressor.of(
        "boosting", library="sklearn", n_estimators=30, learning_rate=0.1, min_samples_leaf=5
    )
    head, learns = Ensemble((part,)), GradedYears()
    run = Run("small", "nine features", columns=COLUMNS, head=head, learns=learns)
    monkeypatch.setitem(recipes.RUNS, run.name, run)


@pytest.mark.parametrize("study", ["importance", "ablation"])
def test_the_table_of_a_study_on_the_sample(
    study: str, sample: None, cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "no programs"))  # Apertium is one
    monkeypatch.chdir(tmp_path)
    ended = cli(study, "--run", "small", "--task", "sample", "--jobs", "1", main=semaniacs)
    assert ended.code == 0, ended.err
    golden = GOLDEN / f"{study}.txt"
    if os.environ.get("STS_GOLDEN") == "write":
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(ended.out, encoding="utf-8")
    assert ended.out == golden.read_text(encoding="utf-8")
    written = json.loads((tmp_path / "output" / "sample" / "small" / f"{study}.json").read_text())
    if study == "importance":
        assert {row["feature"] for row in written["features"]} == set(COLUMNS)
    else:
        assert {cell["kind"] for cell in written["cells"]} == {"without", "alone", "cumulative"}


def test_a_study_holds_what_the_run_itself_sees(toy: Any, toy_runs: dict[str, Run]) -> None:
    run = toy_runs["toy-fusion"]
    study = prepare_study(run, toy.task, toy.data, None)
    assert study.columns == run.columns
    assert study.training.shape == (58, 5)  # 40 and 20 pairs, one of each unscored
    outcome = task_run.predict(run, toy.task, toy.data)
    predicted = study.predict(study.columns)
    for name, scores in outcome.predictions.items():
        np.testing.assert_array_equal(predicted[name], scores)
    assert score_task(predicted, study.test_gold) == task_run.evaluate(outcome, toy.data)
