"""Ablation: on small matrices whose answer is known; stopped, damaged, in parallel."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from runs.pipeline.run import Run
from runs.studies import __main__ as command
from runs.studies.contribution import ablation
from runs.studies.contribution.ablation import Ablation, ablate
from runs.studies.contribution.outputs import ablation_chart, ablation_json
from runs.studies.contribution.study import Study
from runs.studies.ledger import Ledger
from runs.tables.format import json_text
from sts.scoring.bootstrap import paired_bootstrap
from sts.scoring.task_score import score_task
from tests.runs.made_files import PNG
from tests.runs.made_studies import make_study, with_column, with_order

ROOT = Path(__file__).parents[3]
FILES = ("ablation.csv", "ablation.json", "ablation.png")


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "ablation.jsonl")


@pytest.fixture
def fitted(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The columns of every fusion that is fitted in this process."""
    calls: list[tuple[str, ...]] = []
    predict = Study.predict

    def counted(study: Study, columns: tuple[str, ...]) -> Any:
        calls.append(tuple(columns))
        return predict(study, columns)

    monkeypatch.setattr(Study, "predict", counted)
    return calls


# --- what is measured


def test_the_informative_group_is_missed_most(ledger: Ledger) -> None:
    study = make_study()
    found = ablate(study, ledger)
    assert found.whole.weighted_mean.score > 0.95
    without, alone, cumulative = (found.of(kind) for kind in ("without", "alone", "cumulative"))
    groups = {group: tuple(columns) for group, columns in study.groups.items()}
    assert {cell.group: cell.columns for cell in alone} == groups
    for cell in without:
        assert set(cell.columns) == set(study.columns) - set(groups[cell.group])
    assert without[0].group == alone[0].group == cumulative[0].group == "ngrams"
    assert alone[0].score > 0.95
    assert without[0].score < 0.5
    lost = without[0].result.weighted_mean
    assert lost.low < lost.difference < lost.high < -0.4
    for cell in without[1:]:
        assert abs(cell.result.weighted_mean.difference) < 0.05
    assert [c.score for c in without] == sorted(c.score for c in without)
    assert [c.score for c in alone] == sorted((c.score for c in alone), reverse=True)


def test_groups_are_added_in_the_order_of_their_score_alone(ledger: Ledger) -> None:
    study = make_study()
    found = ablate(study, ledger)
    cumulative = found.of("cumulative")
    assert [c.group for c in cumulative] == [c.group for c in found.of("alone")]
    assert cumulative[0].result == found.of("alone")[0].result
    for before, after in pairwise(cumulative):
        assert set(after.columns) - set(before.columns) == set(study.groups[after.group])
    assert cumulative[-1].columns == study.columns
    assert cumulative[-1].result == found.whole
    whole = found.whole.weighted_mean
    assert (whole.difference, whole.low, whole.high) == (0, 0, 0)


def test_figures_are_those_of_the_scorer(ledger: Ledger) -> None:
    study = make_study()
    found = ablate(study, ledger)
    whole = study.predict(study.columns)
    for cell in (*found.of("without"), *found.of("alone")):
        predicted = study.predict(cell.columns)
        score = score_task(predicted, study.test_gold)
        assert cell.score == pytest.approx(score.weighted_mean, abs=1e-12)
        for name, dataset in score.datasets.items():
            assert cell.result.datasets[name].score == pytest.approx(dataset.pearson, abs=1e-12)
        compared = paired_bootstrap(
            predicted, whole, study.test_gold, resamples=ablation.RESAMPLES, seed=study.run.seed
        )
        figure = cell.result.weighted_mean
        assert (figure.difference, figure.low, figure.high) == (
            compared.weighted_mean.value,
            compared.weighted_mean.low,
            compared.weighted_mean.high,
        )


def test_a_group_that_says_nothing_is_undefined_alone_and_comes_last(ledger: Ledger) -> None:
    study = with_column(with_column(make_study(), "det_1", np.nan), "det_2", np.nan)
    found = ablate(study, ledger)
    assert [cell.group for cell in found.of("alone")] == ["ngrams", "numbers", "determiners"]
    silent = found.of("alone")[-1]
    assert np.isnan(silent.score)
    assert all(np.isnan(figure.score) for figure in silent.result.datasets.values())
    (without,) = (cell for cell in found.of("without") if cell.group == "determiners")
    assert without.result == found.whole
    content = json.loads(json_text(ablation_json(study, found)))
    (cell,) = (c for c in content["cells"] if (c["kind"], c["group"]) == ("alone", "determiners"))
    assert set(cell["weighted_mean"].values()) == {None}
    assert ablate(study, Ledger(ledger.path)).of("without") == found.of("without")


def test_the_undefined_come_last_by_name_whatever_the_order(ledger: Ledger) -> None:
    study = make_study()
    for name in ("det_1", "det_2", "number_count", "number_match"):
        study = with_column(study, name, np.nan)
    for order in (study.columns, study.columns[::-1]):
        found = ablate(with_order(study, order), ledger)
        assert [cell.group for cell in found.of("alone")] == ["ngrams", "determiners", "numbers"]
        assert found.of("without")[0].group == "ngrams"


def test_one_data_set_may_be_undefined(ledger: Ledger) -> None:
    study = make_study()
    flat = study.test["one"].copy()
    for name in ("det_1", "det_2"):
        flat[:, study.columns.index(name)] = 0.5
    study = replace(study, test={**study.test, "one": flat})
    (cell,) = (c for c in ablate(study, ledger).of("alone") if c.group == "determiners")
    assert np.isnan(cell.score)
    assert np.isnan(cell.result.datasets["one"].score)
    other = cell.result.datasets["two"]
    assert other.low < other.difference < other.high


def test_a_single_group_has_nothing_left_without_it(ledger: Ledger) -> None:
    study = make_study()
    only = ("content_1gram", "content_2gram")
    found = ablate(replace(with_order(study, only)), ledger)
    assert np.isnan(found.of("without")[0].score)
    assert found.of("alone")[0].result == found.of("cumulative")[0].result == found.whole


# --- what is kept


def test_no_fusion_is_fitted_twice(ledger: Ledger, fitted: list[tuple[str, ...]]) -> None:
    study = make_study()
    found = ablate(study, ledger)
    # The whole once for its predictions and once as a cell; 3 groups out, 3 in, 1 pair of groups,
    # which is the same set of columns as all but the worst one alone.
    assert fitted[0] == study.columns
    assert len(fitted) == len(set(fitted)) + 1 == 8
    assert ablate(study, Ledger(ledger.path)) == found
    assert len(fitted) == 8


def test_what_was_stopped_goes_on_where_it_was(
    ledger: Ledger, fitted: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    study = make_study()
    predict = Study.predict

    def stopped(self: Study, columns: tuple[str, ...]) -> Any:
        if len(fitted) == 4:
            raise KeyboardInterrupt
        return predict(self, columns)

    with monkeypatch.context() as patch:
        patch.setattr(Study, "predict", stopped)
        with pytest.raises(KeyboardInterrupt):
            ablate(study, ledger)
    done = fitted.copy()
    assert len(done) == 4
    found = ablate(study, Ledger(ledger.path))
    assert len(fitted) == 8
    assert not set(fitted[4:]) & set(done[1:])
    assert found == ablate(study, Ledger(tmp_path / "fresh.jsonl"))


def test_a_torn_cell_alone_is_computed_again(ledger: Ledger, fitted: list[tuple[str, ...]]) -> None:
    study = make_study()
    found = ablate(study, ledger)
    raw = ledger.path.read_bytes()
    ledger.path.write_bytes(raw[:-20])
    fitted.clear()
    assert ablate(study, Ledger(ledger.path)) == found
    assert len(fitted) == 1
    assert ledger.path.read_bytes() == raw


def changed_gold(study: Study) -> Study:
    return replace(study, gold=5 - study.gold)


def changed_test_gold(study: Study) -> Study:
    return replace(study, test_gold={n: 5 - gold for n, gold in study.test_gold.items()})


def changed_matrix(study: Study) -> Study:
    return with_column(study, "det_1", 0.25)


def changed_seed(study: Study) -> Study:
    return replace(study, run=study.run.with_seed(1))


@pytest.mark.parametrize("change", [changed_gold, changed_test_gold, changed_matrix, changed_seed])
def test_a_changed_study_is_computed_anew(
    change: Callable[[Study], Study], ledger: Ledger, fitted: list[tuple[str, ...]], tmp_path: Path
) -> None:
    study = make_study()
    before = ablate(study, ledger)
    fitted.clear()
    after = ablate(change(study), ledger)
    assert len(fitted) == 8
    assert after == ablate(change(study), Ledger(tmp_path / "fresh.jsonl"))
    fitted.clear()
    assert ablate(study, ledger) == before  # the old cells are there still
    assert fitted == []


@pytest.mark.parametrize("name", ["RESAMPLES", "CODE"])
def test_another_bootstrap_or_other_code_is_computed_anew(
    name: str, ledger: Ledger, fitted: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    ablate(make_study(), ledger)
    fitted.clear()
    monkeypatch.setattr(ablation, name, 50 if name == "RESAMPLES" else ("sts.files",))
    ablate(make_study(), ledger)
    assert len(fitted) == 8


def test_a_killed_process_leaves_what_it_finished(
    ledger: Ledger, fitted: list[tuple[str, ...]], tmp_path: Path
) -> None:
    script = (
        "import sys, time; from pathlib import Path\n"
        "from runs.studies.contribution.ablation import ablate\n"
        "from runs.studies.contribution.study import Study\n"
        "from runs.studies.ledger import Ledger\n"
        "from tests.runs.made_studies import make_study\n"
        "predict = Study.predict\n"
        "def slow(*a): time.sleep(0.3); return predict(*a)\n"
        "Study.predict = slow\n"
        "ablate(make_study(), Ledger(Path(sys.argv[1])))\n"
    )
    path = ledger.path
    with subprocess.Popen(
        [sys.executable, "-c", script, str(path)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stderr=subprocess.DEVNULL,
    ) as process:
        give_up = time.monotonic() + 120
        while not path.exists() or path.read_bytes().count(b"\n") < 3:
            assert time.monotonic() < give_up
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    kept = path.read_bytes().count(b"\n")  # the predictions of the whole fusion, and cells
    found = ablate(make_study(), Ledger(path))
    assert len(fitted) == 8 - kept
    assert found == ablate(make_study(), Ledger(tmp_path / "fresh.jsonl"))


# --- the command line


def run_on(study: Study, folder: Path, cli: Any, monkeypatch: Any, *options: str) -> str:
    """What the command prints for a study that is open already."""
    monkeypatch.setattr(command, "study_from", lambda _: (study, folder))
    ended = cli(*options, main=command.ablation)
    assert ended.code == 0, ended.err
    return str(ended.out)


def written(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in FILES}


@pytest.mark.parametrize("regressor", ["sklearn", "blend"])
def test_two_processes_write_what_one_writes(
    regressor: str, cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = make_study(regressor)
    printed = {
        run_on(study, tmp_path / name, cli, monkeypatch, "--jobs", jobs)
        for name, jobs in (("one", "1"), ("two", "2"), ("two", "1"))
    }
    assert len(printed) == 1
    assert written(tmp_path / "one") == written(tmp_path / "two")


@pytest.fixture
def outcome(cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, Path]:
    """What the command prints, and its folder."""
    return run_on(make_study(), tmp_path, cli, monkeypatch, "--jobs", "1"), tmp_path


def test_every_file_is_there(outcome: tuple[str, Path]) -> None:
    _, folder = outcome
    assert {path.name for path in folder.iterdir()} == {*FILES, "ablation.jsonl"}
    assert (folder / "ablation.png").read_bytes().startswith(PNG)


def test_the_csv_has_a_line_a_cell_and_data_set(outcome: tuple[str, Path], ledger: Ledger) -> None:
    _, folder = outcome
    text = (folder / "ablation.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    found = ablate(make_study(), ledger)
    assert len(rows) == 3 * (1 + len(found.cells))
    assert {row["dataset"] for row in rows} == {"one", "two", "weighted mean"}
    expected = {(cell.kind, cell.group): cell.result.weighted_mean for cell in found.cells} | {
        ("whole", "all"): found.whole.weighted_mean
    }
    for row in rows:
        if row["dataset"] == "weighted mean":
            figure = expected[row["kind"], row["group"]]
            for name in ("score", "difference", "low", "high"):
                assert float(row[name]) == pytest.approx(getattr(figure, name), abs=6e-5)


def test_the_json_says_all(outcome: tuple[str, Path], ledger: Ledger) -> None:
    _, folder = outcome
    study = make_study()
    content = json.loads((folder / "ablation.json").read_text(encoding="utf-8"))
    assert (content["run"], content["task"]) == ("by-hand", "by-hand")
    assert content["run_digest"] == study.run.digest
    assert content["inputs"] == study.digest
    assert content["pairs"] == {"one": 60, "two": 50}
    assert content["groups"] == study.groups
    assert content["whole"]["columns"] == 6
    found = ablate(study, ledger)
    assert content["whole"]["weighted_mean"]["score"] == found.whole.weighted_mean.score
    assert [(c["kind"], c["group"]) for c in content["cells"]] == [
        (cell.kind, cell.group) for cell in found.cells
    ]
    for shown, cell in zip(content["cells"], found.cells, strict=True):
        assert shown["columns"] == len(cell.columns)
        assert shown["weighted_mean"]["low"] == cell.result.weighted_mean.low
        assert shown["datasets"]["two"]["score"] == cell.result.datasets["two"].score


def test_the_tables_show_every_group_three_times(outcome: tuple[str, Path]) -> None:
    printed, _ = outcome
    for group in make_study().groups:
        assert sum(line.split()[:1] == [group] for line in printed.splitlines()) == 3
    assert max(map(len, printed.splitlines())) < 120


def test_as_many_features_as_there_will_be_can_be_read() -> None:
    nothing = ablation.FusionFigures({"d": ablation.UNDEFINED}, ablation.UNDEFINED)
    cells = tuple(
        ablation.Cell(kind, f"group {i}", ("det_1",), nothing)
        for kind in ("without", "alone", "cumulative")
        for i in range(18)
    )
    assert ablation_chart(make_study(), Ablation(nothing, cells)).startswith(PNG)


def test_a_toy_run_is_ablated_from_the_files(
    toy: Any, toy_runs: dict[str, Run], cli: Any, tmp_path: Path
) -> None:
    where = ("--run", "toy-fusion", "--task", "toy", "--data", toy.data, "--jobs", "1")
    first, second = (
        cli(*where, "--output", tmp_path / folder, main=command.ablation) for folder in "ab"
    )
    assert (first.code, second.code) == (0, 0), first.err
    assert first.out == second.out
    folders = [tmp_path / folder / "toy" / "toy-fusion" for folder in "ab"]
    assert written(folders[0]) == written(folders[1])
    assert (folders[0] / "matrices.safetensors").is_file()
