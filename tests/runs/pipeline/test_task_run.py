"""The order of things, and that no prediction ever rests on the gold it is compared with."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

from semaniacs.embeddings import loading
from semaniacs.features.resources import INSTALL, Resources
from semaniacs.runs.pipeline import task_run
from semaniacs.runs.pipeline.fitting import fit
from semaniacs.runs.pipeline.recipe_parts import GradedYears
from semaniacs.runs.pipeline.run import Run
from semaniacs.runs.pipeline.training_data import TrainingData, read_tests, read_training_data
from semaniacs.runs.pipeline.translate_pairs import Translating
from semaniacs.runs.pipeline.tuning.encoders import tune
from semaniacs.sts.data import catalog, fetch
from semaniacs.sts.data.catalog import DataSet
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.errors import MissingResourceError, StsError
from semaniacs.sts.scoring import submission

Contents = Callable[[Path], dict[str, bytes]]

RUN_NAMES = ["toy-raw", "toy-fusion"]


# --- gold isolation


@pytest.mark.parametrize("name", RUN_NAMES)
def test_predicting_opens_no_gold_of_the_task(
    name: str, toy: Any, toy_runs: dict[str, Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    load_gold = fetch.load_gold
    opened = []

    def guard(dataset: DataSet, data: Path | None, rows: int) -> Any:
        if dataset in toy.task.datasets:
            raise AssertionError(f"the gold of {dataset.name} was read")
        opened.append(dataset.name)
        return load_gold(dataset, data, rows)

    monkeypatch.setattr(fetch, "load_gold", guard)
    monkeypatch.setattr(task_run, "load_gold", guard)
    for dataset in toy.task.datasets:  # whoever goes round the guard finds nothing
        toy.gold_path(dataset.name).unlink()
    outcome = task_run.predict(toy_runs[name], toy.task, toy.data)
    assert {n: len(s) for n, s in outcome.predictions.items()} == {
        "zeta": 12,
        "alpha": 9,
        "es-en": 5,
    }
    assert opened == (["lessons", "drills"] if toy_runs[name].vectors.tunings else [])
    with pytest.raises(AssertionError, match="the gold of zeta was read"):
        task_run.evaluate(outcome, toy.data)


@pytest.mark.parametrize("name", RUN_NAMES)
def test_other_gold_gives_the_same_predictions(
    name: str, make_toy: Any, toy_runs: Any, cli: Any, contents: Contents
) -> None:
    written, results = [], []
    for folder, reverse in (("true", ()), ("reversed", ("zeta", "alpha", "es-en"))):
        toy = make_toy(folder, reverse=reverse)
        output = toy.data / "output"
        ended = cli("--run", name, "--task", "toy", "--data", toy.data, "--output", output)
        assert ended.code == 0, ended.err
        files = contents(output)
        results.append(json.loads(files.pop(f"toy/{name}/results.json")))
        written.append(files)
    assert len(written[0]) == 3
    assert written[0] == written[1]
    assert results[0]["signature"] == results[1]["signature"]
    assert results[0]["weighted_mean"] == pytest.approx(-results[1]["weighted_mean"])
    assert abs(results[0]["weighted_mean"]) > 0.1  # there was something to change


def test_test_sentences_teach_only_through_their_round_trips(
    toy: Any, toy_runs: dict[str, Run]
) -> None:
    lessons = {}
    for name in ("toy-raw", "toy-tuned", "toy-trips"):
        translating = Translating(data=toy.data)
        english = read_tests(toy_runs[name], toy.task, toy.data, translating)
        assert all(np.isnan(pairs.gold).all() for pairs in english)
        lessons[name] = read_training_data(toy_runs[name], toy.task, toy.data, translating, english)
    assert list(lessons["toy-raw"].sets) == []
    assert [pairs.name for pairs in lessons["toy-tuned"].sets] == ["lessons", "drills"]
    assert not lessons["toy-tuned"].round_trips
    trips = lessons["toy-trips"].round_trips
    assert [len(each) for each in trips] == [len(pairs.sentences()) for pairs in english]


# --- predict


def test_a_spanish_sentence_is_scored_by_its_translation(
    toy: Any, toy_runs: dict[str, Run], translator: Any
) -> None:
    outcome = task_run.predict(toy_runs["toy-raw"], toy.task, toy.data)
    scores = outcome.predictions["es-en"]
    assert scores[0] > scores[1] + 1  # the same thing said, and another
    assert outcome.signature["translators"] == [translator.signature()]


def test_a_task_that_is_nowhere_stops_before_anything_is_fitted(
    toy: Any, toy_runs: dict[str, Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(*_: object) -> NoReturn:
        raise AssertionError("fitting began")

    monkeypatch.setattr(task_run, "fit", work)
    (toy.data / "toy" / "drills.gs.txt").unlink()
    with pytest.raises(MissingResourceError, match=r"drills\.gs\.txt: not found"):
        task_run.predict(toy_runs["toy-fusion"], toy.task, toy.data)


def test_what_cannot_be_computed_is_named_once_and_signed(
    cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = Resources.missing
    monkeypatch.setattr(
        Resources,
        "missing",
        lambda self, name: INSTALL[name] if name == "lsa-news" else missing(self, name),
    )
    sample = catalog.TASKS["sample"]
    monkeypatch.setitem(catalog.TASKS, "sample", replace(sample, datasets=sample.datasets[:2]))
    ended = cli("--output", tmp_path)
    assert ended.code == 0, ended.err
    warnings = [line for line in ended.err.splitlines() if "warning" in line]
    assert len(warnings) == 1
    absent = ["dist_sim", "weighted_dist_sim_news"]
    assert warnings[0].startswith(f"warning: without {', '.join(absent)}; NaN for this run.")
    assert "python -m semaniacs.features.word_spaces" in warnings[0]
    folder = tmp_path / "sample" / "fusion"
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert results["signature"]["missing_features"] == absent
    assert results["weighted_mean"] > 0.5
    scores = (folder / "STS2026.OUTPUT.fusion.answers.txt").read_text().splitlines()
    assert len(scores) == 40


# --- fit


def test_a_spanish_task_teaches_translationese_too(toy: Any, toy_runs: dict[str, Run]) -> None:
    spanish = replace(toy.task, datasets=toy.task.datasets[-1:])
    assert spanish.datasets[0].languages == ("es", "en")
    for task, echo, expected in ((spanish, True, 2), (spanish, False, 0), (toy.task, True, 0)):
        run = replace(toy_runs["toy-fusion"], learns=GradedYears(back_translation=echo))
        translating = Translating(data=toy.data)
        english = read_tests(run, task, toy.data, translating)
        lesson = read_training_data(run, task, toy.data, translating, english)
        assert len(lesson.back_translated) == expected
        training = sum(int(pairs.scored.sum()) for pairs in lesson.sets)
        assert len(lesson.scored) == training * (2 if expected else 1)


def test_pairs_without_gold_take_no_part(toy_runs: dict[str, Run]) -> None:
    pairs = Pairs(
        "three",
        ("the cat eats an apple", "my sister eats two maps", "the old horse paints a fence"),
        ("the cat is eating an apple", "the cat eats 7 stones", "the old horse is painting it"),
        np.array([5.0, np.nan, 4.0]),
    )
    training = TrainingData([pairs])
    assert training.scored.gold.tolist() == [5.0, 4.0]
    encoder = tune("tiny", 0, toy_runs["toy-tuned"].vectors.tunings[0], [pairs], {})
    assert (encoder.table != loading.load_static("tiny").table).any()
    with pytest.raises(StsError, match="1 training pairs; at least two are needed"):
        fit(toy_runs["toy-tuned"], TrainingData([pairs.select(pairs.gold == 5)]))


def test_useful_round_trips_are_counted_on_stderr(
    toy_runs: dict[str, Run], capsys: pytest.CaptureFixture[str]
) -> None:
    weak = Pairs("weak", ("the cat eats",), ("a fence",), np.array([0.0]))
    trips = [
        ("the cat eats an apple", "that cat eats an apple"),
        ("my sister eats two maps", "My sister eats two maps!"),
        ("a tall pilot paints a fence", "one tall pilot paints a fence"),
    ]
    fit(toy_runs["toy-trips"], TrainingData([weak], [trips]))
    captured = capsys.readouterr()
    assert "3 round trips: 1 identical, 0 drifted, 0 too close, 2 kept" in captured.err
    assert captured.out == ""


# --- write


def test_written_scores_read_back_exactly_and_are_packed_for_a_team(
    toy: Any, toy_runs: dict[str, Run], tmp_path: Path
) -> None:
    outcome = task_run.predict(toy_runs["toy-raw"], toy.task, toy.data)
    score = task_run.evaluate(outcome, toy.data)
    assert task_run.write(outcome, score, tmp_path / "o") == tmp_path / "o" / "toy" / "toy-raw"
    for name, scores in outcome.predictions.items():
        path = tmp_path / "o" / "toy" / "toy-raw" / submission.file_name(2015, "toy-raw", name)
        np.testing.assert_array_equal(submission.read(path, len(scores)), scores)
    for once in ("o", "again"):
        folder = task_run.write(outcome, score, tmp_path / once, "DCU.first", packed=True)
    names = [submission.file_name(2015, "DCU.first", d.name) for d in toy.task.datasets]
    assert {path.name for path in folder.iterdir()} == {*names, "results.json"}
    with zipfile.ZipFile(folder.with_name("DCU.first.zip")) as packed:
        assert packed.namelist() == names
        assert all(packed.read(name) == (folder / name).read_bytes() for name in names)
    first, second = (path.read_bytes() for path in tmp_path.rglob("*.zip"))
    assert first == second


def test_results_are_written_last(toy: Any, toy_runs: dict[str, Run], tmp_path: Path) -> None:
    outcome = task_run.predict(toy_runs["toy-raw"], toy.task, toy.data)
    score = task_run.evaluate(outcome, toy.data)
    folder = task_run.write(outcome, score, tmp_path)
    (folder / submission.file_name(2015, "toy-raw", "es-en")).unlink()
    (folder / submission.file_name(2015, "toy-raw", "es-en")).mkdir()  # it cannot be written
    with pytest.raises((StsError, OSError)):
        task_run.write(outcome, score, tmp_path)
    assert not (folder / "results.json").exists()
