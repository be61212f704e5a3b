"""``semaniacs submit`` and ``python run_submission.py``: files, tables and error messages."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import numpy as np
import pytest
from scipy import stats

from semaniacs.cli import run
from semaniacs.runs.pipeline import task_run
from semaniacs.runs.recipes import RUNS, get_run
from semaniacs.sts.data.catalog import TASKS, Task, get_task
from semaniacs.sts.data.fetch import locate
from tests.runs.pipeline.test_result_file import KEYS

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.xdist_group("cli")  # one worker scores the sample

Contents = Callable[[Path], dict[str, bytes]]


def numbers(path: Path) -> list[float]:
    """What each line of a file says; an empty line is NaN."""
    lines = path.read_text(encoding="utf-8").split("\n")
    assert lines.pop() == ""
    return [float(line) if line else float("nan") for line in lines]


def official(task: Task, kind: str, data: Path | None) -> dict[str, Path]:
    """The input or gold file of each data set of a task."""
    found = {d.name: locate(getattr(d, kind), data) for d in task.datasets}
    assert all(found.values())
    return {name: path for name, path in found.items() if path}


def check_output(
    folder: Path, task: Task, run: str, data: Path | None = None, called: str = ""
) -> dict[str, Any]:
    """The files of ``OUTPUT/TASK/RUN`` keep the contract; the content of results.json."""
    names = {d.name: f"STS{task.year}.OUTPUT.{called or run}.{d.name}.txt" for d in task.datasets}
    assert {path.name for path in folder.iterdir()} == {*names.values(), "results.json"}
    results: dict[str, Any] = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert list(results) == KEYS
    assert (results["task"], results["run"]) == (task.name, run)
    assert list(results["datasets"]) == list(names)
    inputs, golds = official(task, "input", data), official(task, "gold", data)
    every: list[tuple[float, float]] = []
    for name, file in names.items():
        scores, gold = numbers(folder / file), numbers(golds[name])
        lines = inputs[name].read_bytes().count(b"\n")
        assert len(scores) == len(gold) == lines
        assert all(0 <= score <= 5 for score in scores)
        both = [(s, g) for s, g in zip(scores, gold, strict=True) if not np.isnan(g)]
        every += both
        assert list(results["datasets"][name]) == ["pairs", "scored", "pearson", "spearman"]
        assert results["datasets"][name] == {
            "pairs": lines,
            "scored": len(both),
            "pearson": pytest.approx(stats.pearsonr(*zip(*both, strict=True))[0], abs=1e-12),
            "spearman": pytest.approx(stats.spearmanr(*zip(*both, strict=True))[0], abs=1e-12),
        }
    each = list(results["datasets"].values())
    weighted = sum(d["pearson"] * d["scored"] for d in each) / sum(d["scored"] for d in each)
    assert results["weighted_mean"] == pytest.approx(weighted, abs=1e-12)
    assert results["mean"] == pytest.approx(np.mean([d["pearson"] for d in each]), abs=1e-12)
    spearman = stats.spearmanr(*zip(*every, strict=True))[0]
    assert results["spearman_all"] == pytest.approx(spearman, abs=1e-12)
    return results


# --- what ships: fusion on the sample


@pytest.fixture(scope="module")
def shipped(shell: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The command without any option, in a process of its own, and where it ran."""
    folder = tmp_path_factory.mktemp("shipped")
    return SimpleNamespace(folder=folder, ended=shell(folder=folder))


def test_without_options_the_fusion_scores_the_sample(shipped: Any) -> None:
    assert shipped.ended.code == 0, shipped.ended.err
    folder = shipped.folder / "output" / "sample" / "fusion"
    results = check_output(folder, get_task("sample"), "fusion")
    assert f"{results['weighted_mean']:.4f}  (official" in shipped.ended.out
    assert 0.5 < results["weighted_mean"] < 0.9
    assert "written to output/sample/fusion" in shipped.ended.err
    assert "written" not in shipped.ended.out


def test_the_signature_says_what_the_result_rests_on(shipped: Any) -> None:
    text = (shipped.folder / "output/sample/fusion/results.json").read_text(encoding="utf-8")
    signed = json.loads(text)["signature"]
    run = get_run("fusion")
    assert signed["run"] == run.digest
    assert signed["recipe"] == run.recipe
    assert signed["seed"] == 0
    assert list(signed["input"]) == [d.name for d in get_task("sample").datasets]
    assert set(signed["encoders"]) == {"paraphrase1", "paraphrase2"}
    assert [t["provider"] for t in signed["translators"]] == ["apertium"]
    assert len(signed["training"]) == len(run.main.learns_from(get_task("sample")))
    assert {"python", "numpy", "jax", "lightgbm"} <= set(signed["versions"])
    assert str(ROOT) not in text  # nothing of the machine: the bytes are the same elsewhere
    assert str(shipped.folder) not in text


# --- every kind of run, on the toy


@pytest.mark.parametrize("run", ["toy-raw", "toy-tuned", "toy-trips", "toy-fusion"])
def test_any_run_keeps_the_contract(
    run: str, cli: Any, toy: Any, toy_runs: Any, contents: Contents, tmp_path: Path
) -> None:
    options = ("--run", run, "--task", "toy", "--data", toy.data, "--output")
    first, second = cli(*options, tmp_path / "1"), cli(*options, tmp_path / "2")
    assert (first.code, second.code) == (0, 0), first.err
    results = check_output(tmp_path / "1" / "toy" / run, toy.task, run, toy.data)
    assert first.out.startswith(f"{run} on toy\n")
    assert f"{results['weighted_mean']:.4f}  (official" in first.out
    assert results["datasets"]["zeta"]["scored"] == results["datasets"]["zeta"]["pairs"] - 1
    assert contents(tmp_path / "1") == contents(tmp_path / "2")


def test_a_team_hands_in_a_zip(cli: Any, toy: Any, toy_runs: Any, tmp_path: Path) -> None:
    options = ("--run", "toy-raw", "--task", "toy", "--data", toy.data, "--output", tmp_path)
    ended = cli(*options, "--team", "DCU", "--run-name", "first-try", "--zip")
    assert ended.code == 0, ended.err
    check_output(tmp_path / "toy" / "DCU.first-try", toy.task, "toy-raw", toy.data, "DCU.first-try")
    assert "and DCU.first-try.zip beside it" in ended.err
    assert sorted(p.name for p in (tmp_path / "toy").iterdir()) == [
        "DCU.first-try",
        "DCU.first-try.zip",
    ]
    for bad in ("D.CU", "", "../x", "Müller", "a b"):
        cli(*options, "--team", bad).refused("--team", "expected letters")


# --- the list, help, and flags that are gone


def test_list_names_every_run_and_task(cli: Any) -> None:
    ended = cli("list", main=run)
    assert (ended.code, ended.err) == (0, "")
    first_words = {line.split()[0] for line in ended.out.splitlines() if line.startswith("  ")}
    assert first_words == {*RUNS, *TASKS}
    for recipe in RUNS.values():
        assert recipe.about in ended.out
    assert "pass --data DIR or set STS_DATA" in ended.out


@pytest.mark.parametrize(
    ("typed", "instead"),
    [
        (["--pairs", "FILE"], "semaniacs score FILE"),
        (["--run", "raw", "--languages", "de", "en"], "semaniacs score FILE --languages"),
        (["--list"], "semaniacs list"),
    ],
)
def test_a_flag_that_is_gone_names_the_command(typed: list[str], instead: str, cli: Any) -> None:
    cli(*typed).refused(f"{typed[0] if typed[0] != '--run' else '--languages'} is gone", instead)


# --- bad input

BAD_OPTIONS: list[tuple[list[str], list[str]]] = [
    (["--run", "fussion"], ["unknown run 'fussion'", *RUNS]),
    (["--task", "sts2061"], ["unknown task 'sts2061'", *TASKS, "Did you mean 'sts20"]),
    (["--data", "no/such/folder"], ["--data no/such/folder: not a folder", "2012 ... 2016"]),
    (["--translator", "babel"], ["unknown translator 'babel'", "memory", "apertium", "recorded"]),
]


@pytest.mark.parametrize(("options", "said"), BAD_OPTIONS)
def test_bad_options_are_refused_and_nothing_is_written(
    options: list[str], said: list[str], cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if "--run" not in options:
        options = ["--run", "raw", *options]
    if options[2:4] == ["--data", "no/such/folder"]:
        options += ["--task", "sts2016"]
    cli(*options).refused(*said)
    assert not list(tmp_path.rglob("output/**/*"))


@pytest.mark.parametrize("options", [["--seed", "-1"], ["--sed", "1"], ["x"]])
def test_what_is_no_option_ends_with_the_usage(options: list[str], cli: Any) -> None:
    ended = cli(*options)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("Usage: semaniacs submit ")
    assert "Try 'semaniacs submit --help' for help." in ended.err
    assert "Error: " in ended.err and "Traceback" not in ended.err


@pytest.fixture
def part_of_2016(sts_data: Path, tmp_path: Path) -> Path:
    """A copy of the files of 2016: without learning, no other year is needed."""
    shutil.copytree(sts_data / "2016", tmp_path / "data" / "2016")
    return tmp_path / "data"


def damage(path: Path, how: str) -> None:
    content = path.read_bytes()
    if how == "truncated":
        path.write_bytes(content[: content.index(b"\n", len(content) // 2) + 1])
    else:
        path.unlink()


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("truncated", "it is truncated or another version"),
        ("gone", "STS.2016.input.headlines.txt: not found in"),
    ],
)
def test_a_damaged_official_file_is_refused(
    how: str, said: str, cli: Any, part_of_2016: Path, tmp_path: Path
) -> None:
    damage(part_of_2016 / "2016" / "STS.2016.input.headlines.txt", how)
    output = tmp_path / "o"
    cli("--run", "raw", "--task", "sts2016", "--data", part_of_2016, "--output", output).refused(
        "STS.2016.input.headlines.txt", said
    )
    assert not list(output.rglob("*"))


@pytest.mark.parametrize(
    ("first", "said"),
    [
        (None, "alpha.gs.txt: not found in"),
        ("", "alpha.gs.txt:9: the file holds 8 lines, expected 9"),
    ],
)
def test_bad_gold_is_refused_and_nothing_is_written(
    first: str | None, said: str, cli: Any, toy: Any, toy_runs: Any, tmp_path: Path
) -> None:
    """The first line of the gold is another, or the file is gone."""
    path, output = toy.gold_path("alpha"), tmp_path / "o"
    if first is None:
        path.unlink()
    else:
        path.write_text(first + path.read_text().split("\n", 1)[1])
    options = ("--run", "toy-raw", "--task", "toy", "--data", toy.data)
    cli(*options, "--output", output).refused(said)
    assert not list(output.rglob("*"))


# --- how it ends


def test_an_interruption_leaves_one_line(cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(task_run, "predict", interrupt)
    ended = cli("--run", "raw")
    assert (ended.code, ended.out) == (130, "")
    assert ended.err.strip() == "stopped; no output is half-written"
