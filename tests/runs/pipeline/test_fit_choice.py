"""Which fit scores a task: the one that ships, or a new one, with round trips or without."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, NoReturn

import numpy as np
import pytest

from semaniacs.embeddings import loading
from semaniacs.runs.pipeline import task_run, translate_pairs
from semaniacs.runs.pipeline.fitted_heads import StaticCosine
from semaniacs.runs.pipeline.model import Model
from semaniacs.runs.pipeline.recipe_parts import SAMPLE
from semaniacs.runs.pipeline.run import Run
from semaniacs.runs.recipes import RUNS, get_run
from semaniacs.runs.reproduction.made_again import check_made_again
from semaniacs.sts import translation
from semaniacs.sts.data import catalog
from semaniacs.sts.data.catalog import TASKS, get_task
from semaniacs.sts.errors import MissingResourceError
from semaniacs.sts.translation import MEMORY_FILE, Translation
from semaniacs.sts.translation.translator import Provider

SHIPPING = [name for name, run in RUNS.items() if run.main.learns and run.ships()]

# --- the fit that ships


@pytest.mark.parametrize("name", SHIPPING)
def test_what_ships_scores_no_year_that_it_learned_from(name: str) -> None:
    run = get_run(name)
    learned = {
        d.name: d.year for d in run.main.learns_from(get_task("sample")) if d.kind == "graded"
    }
    for task in (task for task in TASKS.values() if not task.labelled and task.name != "sample"):
        if learned and task_run.shipped_fit_may_score(run, task):
            assert max(learned.values()) < task.year
            assert not {d.name for d in task.datasets if learned.get(d.name) == d.year}


def test_2016_is_scored_by_what_ships_but_for_the_run_of_round_trips() -> None:
    task = get_task("sts2016")
    for name in ("raw", "task-internal", "fusion", "fusion-gbr", "contextual", "crosslingual"):
        assert task_run.shipped_fit_may_score(get_run(name), task), name
        assert not task_run.shipped_fit_may_score(get_run(name).with_seed(1), task) or name == "raw"
    assert not task_run.shipped_fit_may_score(get_run("synthetic"), task)
    assert task_run.shipped_fit_may_score(get_run("synthetic"), get_task("sample"))
    fusion = get_run("fusion").main
    changed = replace(fusion, head=replace(fusion.head, blend_weight=0.5))  # type: ignore[call-arg]
    assert not task_run.shipped_fit_may_score(changed, task)


@pytest.fixture
def ships(monkeypatch: pytest.MonkeyPatch, toy_runs: dict[str, Run]) -> None:
    """The untuned vectors ship as the fitted ``toy-tuned``."""
    run = toy_runs["toy-tuned"]
    model = Model(run, StaticCosine(loading.load_static("tiny"), "tiny"))
    monkeypatch.setattr(Model, "load", lambda asked: model)
    monkeypatch.setattr(
        Run, "is_saved", lambda asked, _, task=SAMPLE: asked == run and task == SAMPLE
    )


def submit(cli: Any, toy: Any, *options: object, run: str = "toy-tuned") -> tuple[Any, Any]:
    """How the command ended, and the signature of its result."""
    output = toy.data / "output"
    ended = cli("--run", run, "--task", "toy", "--data", toy.data, "--output", output, *options)
    path = output / "toy" / run / "results.json"
    return ended, json.loads(path.read_text())["signature"] if path.exists() else None


def test_a_later_task_is_scored_as_it_ships_unless_it_is_trained(
    make_toy: Any, cli: Any, ships: None
) -> None:
    toy = make_toy(year=2016)
    ended, signed = submit(cli, toy)
    assert ended.code == 0, ended.err
    assert "toy-tuned is used as it ships, learned from 2012–2015; --train fits it" in ended.err
    assert signed["fit"] == "shipped"
    assert len(signed["training"]) == len(get_task("sample").train)
    ended, signed = submit(cli, toy, "--train")
    assert "as it ships" not in ended.err
    assert (signed["fit"], len(signed["training"])) == ("trained", 2)
    assert "fitted_files" not in signed
    _, signed = submit(cli, make_toy(year=2015))
    assert signed["fit"] == "trained"  # the model that ships learned from that year


def test_what_does_not_learn_cannot_be_trained(toy: Any, toy_runs: Any, cli: Any) -> None:
    ended, _ = submit(cli, toy, "--train", run="toy-raw")
    ended.refused("--train: run 'toy-raw' learns from no task; leave it out")


# --- round trips


class FakeApertium(Provider):
    """Takes sentences there and back, where it is installed."""

    name, chunk, version = "apertium", 100, "1"
    install_hint = "install it: apt-get install apertium apertium-eng-spa"
    installed: ClassVar[bool] = True

    def available(self) -> bool:
        return self.installed

    def translate(self, texts: Sequence[str], source: str, target: str) -> Iterator[Translation]:
        for text in texts:
            yield Translation(f"~{text}" if source == "en" else text[1:].replace("the ", "that "))


@pytest.fixture
def english(toy: Any, toy_runs: dict[str, Run], monkeypatch: pytest.MonkeyPatch) -> Any:
    """The English sets of the toy task, on a machine whose Apertium is a fake and not installed."""
    monkeypatch.setattr(translate_pairs, "get_translator", translation.get_translator)
    monkeypatch.setattr(translation, "Apertium", FakeApertium)
    monkeypatch.setattr(FakeApertium, "installed", False)
    task = replace(toy.task, datasets=toy.task.datasets[:2])
    monkeypatch.setitem(catalog.TASKS, "toy", task)
    toy.task = task
    return toy


def test_a_fusion_learns_without_round_trips_and_says_so(english: Any, cli: Any) -> None:
    ended, signed = submit(cli, english, run="toy-fusion")
    assert ended.code == 0, ended.err
    said = [line for line in ended.err.splitlines() if "without round trips" in line]
    assert said == [
        "toy-fusion learns without round trips of the test sentences; to have them: "
        "apt-get install apertium apertium-eng-spa"
    ]
    assert signed["fit"] == "trained, without round trips"
    assert signed["translators"] == []
    assert set(signed["encoders"]) == {"paraphrase1", "paraphrase2"}
    FakeApertium.installed = True
    ended, signed = submit(cli, english, run="toy-fusion")
    assert "without round trips" not in ended.err
    assert signed["fit"] == "trained, with round trips"


def test_without_round_trips_no_column_comes_twice(english: Any, toy_runs: dict[str, Run]) -> None:
    outcome = task_run.predict(toy_runs["toy-fusion"], english.task, english.data)
    columns = outcome.model.run.columns
    assert columns == ("content_1gram", "number_match", "det_1", "paraphrase2")
    matrix = outcome.model.columns.describe(outcome.tests[0])
    assert len({tuple(column) for column in np.round(matrix, 9).T}) == len(columns)
    run = get_run("fusion").without_round_trips()
    assert run is not None
    assert set(get_run("fusion").columns) - set(run.columns) == {"paraphrase1"}
    assert set(run.main.head.anchors) <= set(run.main.columns)  # type: ignore[union-attr]


def test_a_translator_that_is_named_must_work(english: Any, cli: Any) -> None:
    for name in ("apertium", "memory"):
        ended, _ = submit(cli, english, "--translator", name, run="toy-fusion")
        ended.refused("distinct texts have no en->es translation", "apt-get install apertium")


def test_a_run_about_round_trips_stops_before_any_work(
    english: Any, cli: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(*_: object) -> NoReturn:
        raise AssertionError("fitting began")

    monkeypatch.setattr(task_run, "fit", work)
    for path in english.data.glob("toy/*.gs.txt"):  # nothing to learn from is even read
        path.unlink()
    ended, _ = submit(cli, english, run="toy-trips")
    assert (ended.code, ended.out) == (2, "")
    first, second = ended.err.splitlines()
    assert first.startswith("error: run 'toy-trips' learns from each test sentence translated")
    assert first.endswith("apt-get install apertium apertium-eng-spa")
    assert "--run toy-trips --task toy --data DIR --record trips" in second
    assert "STS_MEMORY=trips semaniacs submit --run toy-trips" in second
    assert not (english.data / "output").exists()


def test_round_trips_are_recorded_on_one_machine_and_used_on_another(
    english: Any, cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    FakeApertium.installed = True
    _, there = submit(cli, english, run="toy-trips")
    ended, _ = submit(cli, english, "--record", tmp_path / "trips", run="toy-trips")
    assert ended.code == 0, ended.err
    assert f"use it with: STS_MEMORY={tmp_path / 'trips'}" in ended.err
    FakeApertium.installed = False
    (tmp_path / "here").mkdir()
    carried = (tmp_path / "trips" / MEMORY_FILE).read_bytes()
    (tmp_path / "here" / MEMORY_FILE).write_bytes(carried)
    monkeypatch.setenv("STS_CACHE", str(tmp_path / "cache of another machine"))
    ended, _ = submit(cli, english, run="toy-trips")
    assert ended.code == 2
    monkeypatch.setenv("STS_MEMORY", str(tmp_path / "here"))
    ended, here = submit(cli, english, run="toy-trips")
    assert ended.code == 0, ended.err
    assert here == there
    assert here["fit"] == "trained, with round trips"


# --- a published result is made again by the same fit


@pytest.mark.parametrize("installed", [True, False])
def test_a_result_is_made_again_by_the_fit_that_it_names(
    installed: bool, english: Any, cli: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    FakeApertium.installed = installed
    submit(cli, english, run="toy-fusion")
    path = english.data / "output" / "toy" / "toy-fusion" / "results.json"
    FakeApertium.installed = True
    assert check_made_again(path, english.data)[0].endswith("made again, the same")
    FakeApertium.installed = False
    monkeypatch.setenv("STS_MEMORY", str(english.data / "empty"))
    if installed:
        with pytest.raises(MissingResourceError, match="learns from each test sentence"):
            check_made_again(path, english.data)
    else:
        assert check_made_again(path, english.data)[0].endswith("made again, the same")
