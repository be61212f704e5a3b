"""Labelled tasks from end to end, and what a recipe learns from for each of them."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import semaniacs
from semaniacs.runs.pipeline.recipe_parts import Classifier, Labelled, Regressor
from semaniacs.runs.pipeline.run import Run
from semaniacs.runs.pipeline.task_run import predict
from semaniacs.runs.pipeline.training_data import partial_paraphrases
from semaniacs.runs.pipeline.translate_pairs import Translating
from semaniacs.runs.recipes import RUNS, get_run
from semaniacs.sts.data import catalog
from semaniacs.sts.data.catalog import (
    PAWS_WIKI_DEV,
    PAWS_WIKI_TEST,
    TASKS,
    DataFile,
    DataSet,
    LabelledTable,
    Task,
    get_task,
)
from semaniacs.sts.data.fetch import load, locate
from semaniacs.sts.data.pairs import Pairs, concatenate
from semaniacs.sts.errors import StsError
from semaniacs.sts.files import sha256_of
from semaniacs.sts.scoring.cross_validation import connected
from semaniacs.sts.text.tokenizer import fold, words

LABELLED = [task for task in TASKS.values() if task.labelled]
RUSSIAN = [task for task in LABELLED if task.datasets[0].languages == ("ru",)]
OTHERS = [task for task in LABELLED if task not in RUSSIAN]
LEARNING = [run for run in RUNS.values() if run.main.learns]


# --- nothing is learned from a test set


@cache
def folded_sentences(dataset: DataSet, data: Path) -> frozenset[str]:
    return frozenset(map(fold, load(dataset, data, with_gold=False).sentences()))


@pytest.mark.parametrize("task", OTHERS, ids=lambda task: task.name)
def test_no_test_sentence_is_in_the_data_that_a_recipe_learns_from(
    sts_data: Path, task: Task
) -> None:
    if locate(PAWS_WIKI_DEV.input, sts_data) is None:
        pytest.skip("labelled data not found beside the STS data")
    tested = [folded_sentences(dataset, sts_data) for dataset in task.datasets]
    languages = {*task.datasets[0].languages}
    for run in (run.main for run in LEARNING):
        if isinstance(run.learns, Labelled) and languages - {
            *(run.reads.languages or ("en", "es"))
        }:
            continue  # it refuses the language
        for dataset in run.learns_from(task):
            learned = folded_sentences(dataset, sts_data)
            assert all(learned.isdisjoint(one) for one in tested), (run.name, dataset.name)


@pytest.mark.parametrize("name", ["paws", "paws-any", "paws-bi", "paws-cross"])
def test_paws_x_is_never_scored_by_what_ships(name: str) -> None:
    run = get_run(name)
    assert run.main.learns_from(get_task("paws-wiki")) == (PAWS_WIKI_DEV,)
    assert run.main.learns_from(get_task("sts2016")) == (PAWS_WIKI_DEV,)
    for task in LABELLED:
        if task.name.startswith("paws-x-"):
            assert run.main.learns_from(task) == (PAWS_WIKI_TEST,)
            assert not run.ships(task.name)


@pytest.mark.parametrize(
    ("names", "task", "instead"),
    [
        ("contextual reader paws-both", "paws-x-de", "paws-any-both"),
        ("reader-any paws-any-both", "paws-wiki", "paws-both"),
    ],
)
def test_a_network_that_learned_from_the_sentences_of_a_task_is_refused(
    names: str, task: str, instead: str
) -> None:
    for name in names.split():
        said = f"{task}: the network of run '{name}' learned .* --run {instead}$"
        with pytest.raises(StsError, match=said):
            predict(get_run(name), get_task(task), None)
        assert get_run(instead).reader != get_run(name).reader


def test_a_mean_is_the_mean_of_its_parts() -> None:
    pairs = ["A dog bit him.", "He sold it."], ["He bit a dog.", "He bought it."]
    parts = [semaniacs.load(name).score(*pairs) for name in ("paws", "reader")]
    both = semaniacs.load("paws-both")
    assert both.score(*pairs) == pytest.approx(np.mean(parts, axis=0))
    alone = semaniacs.load("paws").model.thresholds["en"].value
    assert both.model.thresholds["en"].value == pytest.approx((alone + 2.5) / 2)


# --- a labelled toy


@pytest.fixture
def labelled_toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Task, Path]:
    """Pairs that are paraphrases where both sides hold the same words; the folder of the files."""
    rng = np.random.default_rng(0)
    words = "cat dog pilot horse teacher apple fence stone river box".split()

    def table(name: str, rows: int) -> DataSet:
        path = tmp_path / "toy" / f"{name}.tsv"
        path.parent.mkdir(exist_ok=True)
        lines = ["sentence1\tsentence2\tlabel"]
        for row in range(rows):
            left = [words[i] for i in rng.choice(10, 3, replace=False)]
            same = row % 2
            right = left[::-1] if same else [words[i] for i in rng.choice(10, 3, replace=False)]
            lines.append(f"{name} {row} {' '.join(left)}\t{' '.join(right)} {row} .\t{same}")
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        file = DataFile(f"toy/{name}.tsv", rows, sha256_of(path))
        return DataSet(name, 2019, file, file, rows, table=LabelledTable())

    dev, test = table("dev", 80), table("test", 20)
    task = Task("toy-labels", 2019, (test,), (dev,), "a toy", "none", dev=(dev,))
    monkeypatch.setitem(catalog.TASKS, task.name, task)
    run = Run(
        "toy-classifier",
        "a toy",
        columns=("content_1gram", "content_2gram"),
        head=Classifier((Regressor.of("boosting", objective="logistic", n_estimators=20),)),
        learns=Labelled(),
    )
    monkeypatch.setitem(RUNS, run.name, run)
    return task, tmp_path


def test_a_classifier_learns_and_chooses_its_threshold_out_of_fold(
    cli: Any, labelled_toy: tuple[Task, Path], tmp_path: Path
) -> None:
    task, data = labelled_toy
    ended = cli(
        "--run", "toy-classifier", "--task", task.name, "--data", data, "--output", tmp_path / "o"
    )
    assert ended.code == 0, ended.err
    for label in ("accuracy", "F1", "AUC", "equal error rate", "majority accuracy"):
        assert label in ended.out
    assert "accurate on dev, out of fold, where it was chosen" in ended.out
    folder = tmp_path / "o" / task.name / "toy-classifier"
    assert len((folder / "STS2019.OUTPUT.toy-classifier.test.txt").read_text().split()) == 20
    result = json.loads((folder / "results.json").read_text())
    assert result["datasets"]["test"]["accuracy"] > 0.9
    assert result["threshold"]["out_of_fold"] is True
    signed = result["signature"]
    assert signed["training"] == signed["threshold"] == [task.dev[0].gold.sha256]
    assert signed["input"] == {"test": task.datasets[0].input.sha256}


def test_a_cosine_is_cut_where_dev_is_most_accurate(
    cli: Any, labelled_toy: tuple[Task, Path], tmp_path: Path
) -> None:
    task, data = labelled_toy
    ended = cli("--run", "raw", "--task", task.name, "--data", data, "--output", tmp_path / "o")
    assert ended.code == 0, ended.err
    assert "accurate on dev, where it was chosen" in ended.out
    result = json.loads((tmp_path / "o" / task.name / "raw" / "results.json").read_text())
    assert result["signature"]["training"] == []


@pytest.mark.parametrize("run", ["paws", "raw", "fusion"])
def test_a_language_that_nobody_translates_is_refused(run: str) -> None:
    (test,) = get_task("paws-x-ja").datasets
    empty = DataFile(test.input.path, 0)
    with pytest.raises(StsError, match=rf"run '{run}' reads English.*ja-test is in ja"):
        get_run(run).main.reads.read(
            run, replace(test, input=empty), None, Translating().to_english
        )


# --- partial paraphrases to learn from


PARAPHRASES = Pairs(
    "made up",
    (
        "A tall man gave the young teacher a red apple in Paris in May, and left for Rome in June.",
        "The old ship sank near Malta in March.",
        "Birds sing.",
    ),
    (
        "In Paris in May a tall man gave a red apple to the young teacher; in June he left for Rome.",
        "Near Malta the old ship sank in March.",
        "The birds sing.",
    ),
    np.array([5.0, 0.0, 5.0]),
)


def test_partial_paraphrases_are_made_of_paraphrases_alone() -> None:
    made = partial_paraphrases(PARAPHRASES, 1, 0)
    assert set(made.right) == {PARAPHRASES.right[0]}  # a pair is none, the last has no like words
    assert made.gold.tolist() == [0.0] * 3
    for left, right in zip(made.left, made.right, strict=True):
        assert left != right
        assert sorted(words(left)) == sorted(words(right))
    assert partial_paraphrases(PARAPHRASES, 2, 0).left == made.left[::2]
    both = concatenate([PARAPHRASES, made])
    assert len(set(connected(both)[[0, 3, 4, 5]])) == 1  # in one fold
