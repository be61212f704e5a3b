"""A study, its commands and their tables on the sample.

After a change that is meant to change the tables: ``STS_GOLDEN=write pytest`` of this file writes
them anew."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semaniacs.cli import run as semaniacs
from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.runs import recipes
from semaniacs.runs.contribution.behaviour import cosine_score, score_of_run
from semaniacs.runs.contribution.study import prepare_study, task_to_study
from semaniacs.runs.pipeline import task_run
from semaniacs.runs.pipeline.recipe_parts import Ensemble, GradedYears, Regressor
from semaniacs.runs.pipeline.run import Run
from semaniacs.sts.behaviour.suite import try_behaviour
from semaniacs.sts.behaviour.triples import HEADER, shipped_triples
from semaniacs.sts.data import catalog
from semaniacs.sts.data.catalog import get_task
from semaniacs.sts.scoring.task_score import score_task

GOLDEN = Path(__file__).with_name("golden")
COLUMNS = (
    "number_match", "content_1gram", "content_2gram", "lemma_1gram", "relative_len_difference",
    "chrf", "character_3gram", "dynamax", "soft_match",
)  # fmt: skip


@pytest.mark.parametrize(
    ("task", "studied"),
    [("sts2016", "sts2015"), ("sts2016-es-en", "sts2015"), ("sts2014", "sts2014")],
)
def test_what_is_reported_on_is_not_studied(task: str, studied: str) -> None:
    assert task_to_study(get_task(task)).name == studied


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["ablation", "--task", "sts2016"], "task 'sts2016' is for reporting; study one of 2015"),
        (["ablation", "--run", "raw"], "run 'raw' is a cosine alone and has no features"),
        (["ablation", "--run", "none"], "unknown run 'none'"),
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


# The behaviour suite as a command, and what the shipped fusion must reach on it


FLOOR = 0.74
"""Least overall accuracy of the shipped contextual, below what is measured, so that a loss is seen."""

LEAST_SHARES = {"upper case": 0.97, "lower case": 0.97, "no full stop": 0.97, "typo": 0.85}
"""Least share of the sentences whose rewriting stays near, also below what is measured."""

LEAST_SYMMETRY = LEAST_IDENTITY = 1.0


def test_the_shipped_contextual_reaches_its_floors() -> None:
    found = try_behaviour(shipped_triples("held_out"), score_of_run("contextual"))
    assert found.overall.value >= FLOOR
    assert found.symmetry >= LEAST_SYMMETRY
    assert found.identity >= LEAST_IDENTITY
    for name, least in LEAST_SHARES.items():
        assert found.invariances[name].share >= least


def test_own_triples_are_tried_and_written(tmp_path: Path, cli: Any) -> None:
    mine = tmp_path / "mine.tsv"
    rows = (
        ("animals", "A dog sleeps.", "A puppy is asleep.", "The treaty failed."),
        ("animals", "A cat sleeps.", "The treaty failed again.", "A cat is asleep."),
    )
    mine.write_text("".join("\t".join(row) + "\n" for row in (HEADER, *rows)), encoding="utf-8")
    options = ("--triples", mine, "--run", "raw", "--output", tmp_path)
    printed = cli("behaviour", *options, main=semaniacs).out
    folder = tmp_path / "behaviour" / "mine"
    assert printed == (folder / "behaviour.md").read_text(encoding="utf-8")
    assert "| animals | 0.50 |" in printed and "| **mean of phenomena** | **0.50** |" in printed
    figures = json.loads((folder / "behaviour.json").read_text(encoding="utf-8"))
    assert figures["systems"]["raw"]["phenomena"]["animals"]["value"] == 0.5
    lines = (folder / "scores.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[0].split("\t")[-2:] == ["raw closer", "raw farther"]
    closer, farther = (float(cell) for cell in lines[1].split("\t")[-2:])
    assert closer > farther
    before = [path.read_bytes() for path in sorted(folder.iterdir())]
    cli("behaviour", *options, main=semaniacs)
    assert [path.read_bytes() for path in sorted(folder.iterdir())] == before


def test_a_cosine_is_scored_from_0_to_5() -> None:
    rows = np.array([[1, 0], [0, 2], [-1, 0], *[[0, 0]] * 4], np.float32)
    score = cosine_score(Encoder(WordTokenizer(["a", "b", "c"], 4), rows))
    assert list(score(["a", "a", "a"], ["a", "b", "c"])) == [5, 0, 0]
