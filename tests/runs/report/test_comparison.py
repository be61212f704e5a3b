"""``run_submission.py --compare``: two folders of scores, ours or another team's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from runs.report import comparison
from runs.report.comparison import compare, conclusion
from sts.scoring.bootstrap import Difference

ENDINGS = ("zeta", "alpha", "es-en")


def gold_of(toy: Any, name: str) -> np.ndarray:
    return np.array([row[2] for row in toy.rows[name]])


def submit(folder: Path, toy: Any, noise: float, prefix: str = "STS2015.OUTPUT.x") -> Path:
    """Files of scores that follow the gold, more or less; unscored pairs have scores too."""
    folder.mkdir()
    for number, name in enumerate(ENDINGS):
        gold = np.nan_to_num(gold_of(toy, name), nan=2.5)
        rng = np.random.default_rng(number)
        scores = np.clip(gold + noise * rng.standard_normal(len(gold)), 0, 5)
        text = "".join(f"{score!r}\n" for score in scores.tolist())
        (folder / f"{prefix}.{name}.txt").write_text(text)
    return folder


@pytest.fixture
def two(toy: Any, tmp_path: Path) -> tuple[Path, Path]:
    """Two submissions, the first much better, the second by another team."""
    return (
        submit(tmp_path / "a", toy, noise=0.3),
        submit(tmp_path / "b", toy, noise=9.0, prefix="team.run7"),
    )


@pytest.fixture
def asked(cli: Any, toy: Any, two: tuple[Path, Path]) -> Any:
    """What the command answers about two folders, those of ``two`` by default."""

    def ask(*options: object, a: Path = two[0], b: Path = two[1]) -> Any:
        return cli("--compare", a, b, "--task", "toy", "--data", toy.data, *options)

    return ask


def say_task(folder: Path, text: str) -> None:
    (folder / "results.json").write_text(text)


def numbers(path: Path) -> np.ndarray:
    return np.array([float(line) for line in path.read_text().splitlines()])


# What it shows


def test_the_figures_are_scipys_and_the_official_mean(
    toy: Any, two: tuple[Path, Path], asked: Any
) -> None:
    a, b = two
    ended = asked()
    assert (ended.code, ended.err) == (0, "")
    rows = {line.split("  ")[0]: line.split() for line in ended.out.splitlines() if line}
    weights, means = [], []
    for name in ENDINGS:
        gold = gold_of(toy, name)
        scored = ~np.isnan(gold)
        expected = [
            stats.pearsonr(numbers(next(folder.glob(f"*.{name}.txt")))[scored], gold[scored])[0]
            for folder in two
        ]
        assert rows[name][1:3] == [f"{r:.4f}" for r in expected]
        assert rows[name][3] == f"{expected[0] - expected[1]:+.4f}"
        assert float(rows[name][4]) <= float(rows[name][3]) <= float(rows[name][6])
        weights.append(scored.sum())
        means.append(expected)
    mean = np.average(means, axis=0, weights=weights)
    words = next(line for line in ended.out.splitlines() if line.startswith("weighted mean"))
    assert words.split()[2:4] == [f"{r:.4f}" for r in mean]
    assert f"A is better by {mean[0] - mean[1]:.4f}: the 95 % interval, +" in ended.out
    assert "excludes 0." in ended.out
    assert f"A  {a}\nB  {b}\n" in ended.out


def test_the_other_way_round_b_is_better(two: tuple[Path, Path], asked: Any) -> None:
    ended = asked(a=two[1], b=two[0])
    assert "\nB is better by " in ended.out
    assert "B is at least as good as A in 100.00% of" in ended.out


def test_a_submission_does_not_differ_from_itself(two: tuple[Path, Path], asked: Any) -> None:
    for one in two:
        ended = asked(a=one, b=one)
        assert "A and B cannot be told apart: the 95 % interval, +0.0000 to +0.0000," in ended.out
        assert ended.out.count("+0.0000  +0.0000 to +0.0000  1.0000\n") == 4
        assert "A is at least as good as B in 100.00% of" in ended.out


def test_the_sentence_follows_the_interval() -> None:
    def say(a: float, b: float, low: float, high: float) -> str:
        return conclusion(Difference(a, b, low, high, 0.97, 0.03, 10_000))[0]

    assert say(0.8, 0.75, 0.01, 0.09) == (
        "A is better by 0.0500: the 95 % interval, +0.0100 to +0.0900, excludes 0."
    )
    assert say(0.75, 0.8, -0.09, -0.01).startswith("B is better by 0.0500: ")
    assert say(0.8, 0.75, -0.01, 0.09).startswith("A and B cannot be told apart: ")
    assert say(0.8, 0.75, 0.0, 0.09).endswith("includes 0.")


def test_the_same_command_says_the_same_and_the_seed_another(asked: Any) -> None:
    assert asked().out == asked().out != asked("--seed", 1).out


def test_the_report_goes_to_a_file(tmp_path: Path, asked: Any) -> None:
    printed = asked()
    written = asked("--output", tmp_path / "new" / "report.txt")
    assert (written.code, written.out) == (0, "")
    assert (tmp_path / "new" / "report.txt").read_text() == printed.out


def test_what_a_run_wrote_can_be_compared(
    cli: Any, toy: Any, toy_runs: Any, tmp_path: Path
) -> None:
    output = tmp_path / "o"
    for run in ("toy-raw", "toy-tuned"):
        options = ("--run", run, "--task", "toy", "--data", toy.data, "--output", output)
        assert cli(*options).code == 0
    ended = cli("--compare", output / "toy/toy-raw", output / "toy/toy-tuned", "--data", toy.data)
    assert ended.code == 0, ended.err
    results = json.loads((output / "toy/toy-tuned/results.json").read_text())
    assert f"  {results['weighted_mean']:.4f}  " in ended.out
    assert f"  {results['datasets']['zeta']['pearson']:.4f}  " in ended.out


def test_a_real_teams_folder(sts_data: Path) -> None:
    team = sts_data / "submissions" / "2015-MathLingBudapest"
    folders = [team / f"STS-MathLingBudapest-{kind}" for kind in ("hybrid", "embedding")]
    found = compare(*folders, "sts2015", sts_data, resamples=200).comparison.weighted_mean
    assert (round(found.a, 4), round(found.b, 4)) == (0.7836, 0.7478)
    assert found.low > 0


# Which task


def test_the_task_comes_from_either_folder(
    cli: Any, toy: Any, two: tuple[Path, Path], asked: Any
) -> None:
    asked = asked().out
    say_task(two[1], '{"task": "toy"}')
    assert cli("--compare", *two, "--data", toy.data).out == asked
    say_task(two[0], '{"task": "toy"}')
    assert cli("--compare", *two, "--data", toy.data).out == asked


def test_no_task_two_tasks_and_no_such_task_are_refused(
    cli: Any, toy: Any, two: tuple[Path, Path]
) -> None:
    a, b = two
    options = ("--compare", a, b, "--data", toy.data)
    cli(*options).refused("no file says which task", f"{a / 'results.json'}", "add --task")
    say_task(a, '{"task": "toy"}')
    say_task(b, '{"task": "sts2015"}')
    cli(*options).refused(f"{b / 'results.json'} is of sts2015", "choose one with --task")
    say_task(b, '{"task": "sts2061"}')
    a.joinpath("results.json").unlink()
    cli(*options).refused(f"{b / 'results.json'}: unknown task 'sts2061'", "--task")
    cli(*options, "--task", "no").refused("unknown task 'no'")


@pytest.mark.parametrize("text", ["", "{", "[1]", "{}", "null"])
def test_a_results_file_that_is_none_is_refused(
    text: str, cli: Any, toy: Any, two: tuple[Path, Path]
) -> None:
    say_task(two[0], text)
    ended = cli("--compare", *two, "--data", toy.data)
    ended.refused("results.json: not a results.json of ours", "--task")
    assert cli("--compare", *two, "--data", toy.data, "--task", "toy").code == 0


# Bad input


def test_a_missing_file_is_refused_with_what_is_there(two: tuple[Path, Path], asked: Any) -> None:
    b = two[1]
    (b / "team.run7.alpha.txt").rename(b / "team.run7.alpha-1.txt")
    asked().refused(
        f"{b}: no file ends in '.alpha.txt'",
        "team.run7.alpha-1.txt, team.run7.es-en.txt",
        "STS2015.OUTPUT.NAME.alpha.txt",
        "--task",
    )


def test_an_empty_folder_is_refused(tmp_path: Path, asked: Any) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "folder.zeta.txt").mkdir()
    ended = asked(b=empty)
    ended.refused("no file ends in '.zeta.txt'; files there: none")


def test_two_files_of_a_data_set_are_refused(two: tuple[Path, Path], asked: Any) -> None:
    (two[0] / "other.zeta.txt").write_text("1\n")
    asked().refused("2 files end in '.zeta.txt'", "STS2015.OUTPUT.x.zeta.txt, other.zeta.txt")


def test_long_lists_of_files_are_cut(two: tuple[Path, Path], asked: Any) -> None:
    for number in range(9):
        (two[0] / f"{number}.zeta.txt").write_text("1\n")
    asked().refused("10 files end in", "5.zeta.txt, and 4 more;")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda lines: lines[:-1], "zeta.txt:11: 11 scores for 12 pairs"),
        (lambda lines: [*lines, "1"], "zeta.txt:13: 13 scores for 12 pairs"),
        (lambda lines: ["high", *lines[1:]], "zeta.txt:1: 'high', expected a number"),
        (lambda lines: [*lines[:3], "", *lines[4:]], "zeta.txt:4: '', expected a number"),
        (lambda lines: [*lines[:2], "nan", *lines[3:]], "zeta.txt:3: 'nan', expected a number"),
        (lambda lines: ["2.5"] * len(lines), "every scored pair of 'zeta' has the score 2.5"),
    ],
)
def test_a_bad_file_of_scores_is_refused(
    change: Any, said: str, two: tuple[Path, Path], asked: Any
) -> None:
    path = two[1] / "team.run7.zeta.txt"
    path.write_text("".join(f"{line}\n" for line in change(path.read_text().splitlines())))
    asked().refused(str(two[1]), said)


def test_scores_off_the_scale_are_counted(two: tuple[Path, Path], asked: Any) -> None:
    path = two[1] / "team.run7.zeta.txt"
    path.write_text("".join(f"{20 * x - 50!r}\n" for x in numbers(path).tolist()))
    ended = asked()
    assert ended.code == 0
    assert ended.err.startswith(f"warning: {path}:1: ") and ended.err.count("\n") == 1
    assert "is not from 0 to 5" in ended.err and "of 12 scores here" in ended.err


def test_a_confidence_column_is_let_through(two: tuple[Path, Path], asked: Any) -> None:
    before = asked().out
    path = two[1] / "team.run7.zeta.txt"
    path.write_text(path.read_text().replace("\n", "\t100\n"))
    assert asked().out == before


def test_what_is_no_folder_is_refused(two: tuple[Path, Path], tmp_path: Path, asked: Any) -> None:
    file = two[0] / "STS2015.OUTPUT.x.zeta.txt"
    for bad in (tmp_path / "none", file):
        ended = asked(b=bad)
        ended.refused(f"{bad}: not a folder", "output/sts2016/fusion")


@pytest.mark.parametrize(
    "option",
    [("--run", "raw"), ("--translator", "memory"), ("--pairs", "-"), ("--explain",), ("--json",)],
)
def test_compare_refuses_what_it_would_ignore(
    option: tuple[str, ...], cli: Any, two: tuple[Path, Path]
) -> None:
    ended = cli("--compare", *two, "--task", "toy", *option)
    ended.refused(f"{option[0]} has no meaning with --compare")


def test_other_bad_options_are_refused(
    cli: Any, two: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: Any
) -> None:
    assert "argument --seed: -1; expected 0 or more" in asked("--seed", -1).err
    cli("--compare", *two, "--task", "toy", "--data", tmp_path / "no").refused("not a folder")
    monkeypatch.setattr(comparison, "compare", None)  # refused before the work
    (tmp_path / "file").write_text("mine")
    ended = asked("--output", tmp_path / "file" / "below")
    ended.refused("cannot be written", "--output")
