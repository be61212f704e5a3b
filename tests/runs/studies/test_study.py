"""A study: what is opened, what is kept on disk, what is refused; and the choice of epochs."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from runs.pipeline.ensemble_run import EnsembleRun
from runs.pipeline.tuning.training_data import TrainingData
from safetensors.numpy import load_file

from runs.pipeline import task_run
from runs.pipeline.run import Run
from runs.studies import __main__ as command
from runs.studies import epochs
from runs.studies.contribution import prepare
from runs.studies.contribution.prepare import check_studied, prepare_study, task_to_study
from runs.studies.contribution.study import Study
from sts.data.catalog import TASKS, get_task
from sts.data.pairs import Pairs
from sts.errors import StsError
from sts.scoring.task_score import score_task
from tests.runs.made_files import PNG
from tests.runs.made_studies import make_study, with_column, with_order

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
    assert study.fit(chosen).n_features_in_ == 2
    score = score_task(study.predict(chosen), study.test_gold)
    assert score.weighted_mean > 0.95
    assert {name: d.scored for name, d in score.datasets.items()} == {"one": 60, "two": 50}
    others = study.predict(["det_1", "number_count"])
    assert score_task(others, study.test_gold).weighted_mean < 0.5


# --- the command lines


@pytest.mark.parametrize("tool", ["ablation", "importance", "epochs"])
@pytest.mark.parametrize("task", ["sts2016", "sts2016-es-en", "sts2017"])
def test_a_task_that_is_reported_on_is_not_studied(
    tool: str, task: str, cli: Any, tmp_path: Path
) -> None:
    options = ["--run", "task-internal"] if tool == "epochs" else []
    ended = cli(tool, *options, "--task", task, "--output", tmp_path / "o", main=command.main)
    ended.refused(f"task '{task}' is for reporting", "2015", "--task sts2015")
    assert not (tmp_path / "o").exists()


def test_every_task_until_2015_and_the_sample_may_be_studied() -> None:
    for task in TASKS.values():
        if task.year <= 2015 or task.name == "sample":
            check_studied(task)


@pytest.mark.parametrize(
    ("tool", "options", "said"),
    [
        (
            "ablation",
            ["--run", "raw"],
            "run 'raw' is a cosine alone and has no features; choose another, such as fusion",
        ),
        (
            "importance",
            ["--run", "synthetic"],
            "run 'synthetic' is a cosine alone and has no features",
        ),
        ("epochs", ["--run", "raw"], "run 'raw' is not tuned; use --run task-internal or synth"),
        ("epochs", ["--run", "fusion"], "run 'fusion' is not tuned"),
        ("ablation", ["--run", "none"], "unknown run 'none'"),
        ("epochs", ["--task", "none"], "unknown task 'none'"),
        ("ablation", ["--jobs", "0"], "--jobs 0: expected a whole number from 1"),
        ("importance", ["--jobs", "-3"], "--jobs -3: expected a whole number from 1"),
        ("ablation", ["--translator", "babel"], "unknown translator 'babel'"),
    ],
)
def test_a_study_that_cannot_be_is_refused(
    tool: str, options: list[str], said: str, cli: Any
) -> None:
    cli(tool, *options, main=command.main).refused(said)


def test_a_seed_is_no_negative_number(cli: Any) -> None:
    ended = cli("importance", "--seed", "-1", main=command.main)
    assert (ended.code, ended.out) == (2, "")
    assert "argument --seed: -1; expected 0 or more" in ended.err


@pytest.mark.parametrize("tool", command.STUDIES)
def test_every_study_says_how_it_is_typed(tool: str, cli: Any) -> None:
    ended = cli(tool, "--help", main=command.main)
    assert ended.code == 0
    assert tool in cli("--help", main=command.main).out
    ended = cli(main=command.main)
    assert ended.code == 2 and tool in ended.err


def test_an_unknown_study_is_refused(cli: Any) -> None:
    cli("ablating", main=command.main).refused("unknown study 'ablating'", "ablation, behaviour")


@pytest.mark.parametrize(
    ("task", "studied"),
    [("sts2016", "sts2015"), ("sts2016-es-en", "sts2015"), ("sts2014", "sts2014")],
)
def test_what_is_reported_on_is_not_studied(task: str, studied: str) -> None:
    assert task_to_study(get_task(task)).name == studied


# --- a study of the toy task


Prepare = Callable[..., Study]


@pytest.fixture
def prepared(toy: Any, toy_runs: dict[str, Run], tmp_path: Path) -> Prepare:
    """Prepares the study of the toy fusion with its matrices in ``tmp_path``, or not kept."""

    def call(run: Run = toy_runs["toy-fusion"], *, toy: Any = toy, kept: bool = True) -> Study:
        return prepare_study(run, toy.task, toy.data, None, tmp_path if kept else None)

    return call


def test_a_study_holds_what_the_run_itself_sees(
    toy: Any, toy_runs: dict[str, Run], prepared: Prepare
) -> None:
    run = toy_runs["toy-fusion"]
    assert prepared().columns == run.columns
    study = prepared()  # from the file
    assert study.training.shape == (58, 5)  # 40 and 20 pairs, one of each unscored
    shapes = {name: matrix.shape for name, matrix in study.test.items()}
    assert shapes == {"zeta": (12, 5), "alpha": (9, 5), "es-en": (5, 5)}
    outcome = task_run.predict(run, toy.task, toy.data)
    predicted = study.predict(study.columns)
    for name, scores in outcome.predictions.items():
        np.testing.assert_array_equal(predicted[name], scores)
    assert score_task(predicted, study.test_gold) == task_run.evaluate(outcome, toy.data)


# --- matrices on disk


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A line each time matrices are computed, which is quick and says what they are made of."""
    calls: list[str] = []

    def quick(run: Run, training: TrainingData, tests: Sequence[Pairs]) -> prepare.Matrices:
        calls.append("computed")

        def rows(pairs: Pairs) -> Any:
            both = zip(pairs.left, pairs.right, strict=True)
            return np.array([[len(a), len(b), run.seed] for a, b in both], float)

        return prepare.Matrices(rows(training.scored), {p.name: rows(p) for p in tests})

    monkeypatch.setattr(prepare, "compute_matrices", quick)
    return calls


def same(a: Study, b: Study) -> bool:
    """Whether two studies hold the same numbers, gold included."""
    return a.digest == b.digest and list(a.test) == list(b.test)


def test_matrices_are_computed_once_and_kept_without_gold(
    prepared: Prepare, computed: list[str], tmp_path: Path
) -> None:
    opened = [prepared() for _ in range(3)]
    assert computed == ["computed"]
    path = tmp_path / "matrices.safetensors"
    before = path.read_bytes()
    assert {name: tensor.shape for name, tensor in load_file(path).items()} == {
        "training": (58, 3), "test/zeta": (12, 3), "test/alpha": (9, 3), "test/es-en": (5, 3),
    }  # fmt: skip
    path.unlink()
    opened += [prepared(), prepared(kept=False)]
    assert len(computed) == 3
    assert path.read_bytes() == before
    assert all(same(opened[0], other) for other in opened)


@pytest.mark.parametrize("reverse", [["lessons"], ["zeta"]])
def test_other_gold_is_never_served_the_old_answer(
    reverse: list[str], make_toy: Any, prepared: Prepare, computed: list[str]
) -> None:
    before = prepared()
    second = make_toy("other", reverse=reverse)
    after = prepared(toy=second)
    assert before.digest != after.digest
    # Training gold decides what the vectors are tuned on; test gold takes no part in a matrix.
    assert len(computed) == (2 if reverse == ["lessons"] else 1)
    assert same(after, prepared(toy=second, kept=False))


def test_another_recipe_translation_or_code_makes_new_matrices(
    toy_runs: dict[str, Run], translator: Any, prepared: Prepare, computed: list[str],
    monkeypatch: pytest.MonkeyPatch, capsys: Any,
) -> None:  # fmt: skip
    run = toy_runs["toy-fusion"]

    def times(run: Run = run) -> int:
        prepared(run)
        return len(computed)

    assert times() == times() == 1
    assert times(run.with_seed(1)) == times(run.with_seed(1)) == 2
    assert times() == 3  # a file holds one answer
    monkeypatch.setattr(type(translator), "back", lambda *_: "the cat eats an apple")
    assert times() == times() == 4
    monkeypatch.setattr(prepare, "CODE", ("sts.files",))
    assert times() == times() == 5
    monkeypatch.setattr(EnsembleRun, "missing", lambda _: {"det_1": "install it"})
    assert times() == times() == 6
    assert "without det_1; NaN for this run. To have it: install it" in capsys.readouterr().err


@pytest.mark.parametrize("damage", ["torn", "text", "flipped"])
def test_damaged_matrices_are_computed_again(
    damage: str, prepared: Prepare, computed: list[str], tmp_path: Path, capsys: Any
) -> None:
    whole = prepared()
    path = tmp_path / "matrices.safetensors"
    raw = path.read_bytes()
    flipped = raw[:-1] + bytes([raw[-1] ^ 1])
    path.write_bytes({"torn": raw[:-9], "text": b"hello", "flipped": flipped}[damage])
    capsys.readouterr()
    assert same(whole, prepared())
    assert len(computed) == 2
    assert "computing the matrices again" in capsys.readouterr().err
    assert path.read_bytes() == raw


def test_missing_features_are_named_each_time(
    prepared: Prepare, computed: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr(EnsembleRun, "missing", lambda _: {"det_1": "install det"})
    for _ in range(2):
        prepared()
        assert "warning: without det_1" in capsys.readouterr().err


def test_a_study_is_known_by_its_numbers() -> None:
    one = make_study()
    others = [
        make_study("lightgbm"),
        with_column(one, "det_1", 0.5),
        with_order(one, one.columns[::-1]),
        replace(one, gold=one.gold[::-1].copy()),
        replace(one, test_gold=one.test_gold | {"one": np.zeros(60)}),
        one.scored(),
    ]
    assert one.digest == make_study().digest
    assert len({study.digest for study in [one, *others]}) == 1 + len(others)


def test_columns_without_a_value_teach_nothing() -> None:
    one = with_column(make_study(), "det_1", np.nan)
    for columns in ([], ["det_1"]):
        for name, scores in one.predict(columns).items():
            np.testing.assert_array_equal(scores, np.full(len(one.test[name]), one.gold.mean()))
    predicted = one.predict(["det_1", "content_1gram"])
    assert score_task(predicted, one.test_gold).weighted_mean > 0.95


def test_only_scored_pairs_are_left() -> None:
    one = make_study()
    assert {name: matrix.shape for name, matrix in one.scored().test.items()} == {
        "one": (60, 6),
        "two": (50, 6),
    }
    assert not any(np.isnan(gold).any() for gold in one.scored().test_gold.values())


def test_a_later_task_is_refused_before_it_is_read(
    make_toy: Any, toy_runs: dict[str, Run], tmp_path: Path
) -> None:
    toy = make_toy(year=2016)
    for path in toy.data.rglob("*.txt"):
        path.unlink()
    with pytest.raises(StsError, match="fitted to the test"):
        prepare_study(toy_runs["toy-fusion"], toy.task, toy.data, None)


# --- epochs


@pytest.fixture
def two_epochs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(epochs, "LONGEST", 2)


def test_the_curve_begins_untuned_and_has_a_point_an_epoch(
    toy: Any, toy_runs: dict[str, Run], two_epochs: None
) -> None:
    run = toy_runs["toy-tuned"]
    scores = epochs.curve(run, toy.task, toy.data, None)
    assert len(scores) == 3
    for score, same in zip(scores, (toy_runs["toy-raw"], run), strict=False):
        outcome = task_run.predict(same, toy.task, toy.data)
        # a run's tuned vectors are read back from what is kept, in int8
        assert score == pytest.approx(task_run.evaluate(outcome, toy.data).weighted_mean, abs=1e-4)
    assert len(set(scores)) == 3


def test_the_best_epoch_is_named(
    toy: Any,
    toy_runs: dict[str, Run],
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
