"""Results are kept and shown in the README, next to what was published."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from runs.pipeline.run import Run
from runs.recipes.by_name import RUNS
from runs.tables import __main__ as command
from runs.tables import all_results, kept_results, pages, results_tables
from runs.tables.pages import STUDIES, read_json
from runs.tables.published import PUBLISHED, Published, published_on
from sts.data.catalog import TASKS, get_task
from sts.errors import StsError

RESULT: Mapping[str, Any] = {
    "run": "raw",
    "translator": "",
    "datasets": {
        name: {"pearson": 0.5} for name in ("FNWN", "OnWN", "headlines")
    },
    "weighted_mean": 0.61234,
    "mean": 0.5,
    "interval": [0.55, 0.65],
}  # fmt: skip


# --- what was published


@pytest.mark.parametrize("other", PUBLISHED, ids=lambda p: f"{p.task}-{p.system}")
def test_published_figures_are_of_data_sets_that_exist(other: Published) -> None:
    names = {dataset.name for dataset in TASKS[other.task].datasets}
    assert set(other.datasets) <= names
    assert all(0 < figure < 1 for figure in (*other.datasets.values(), other.average))
    assert other.source


NOT_ONE_SYSTEM = {"median", "best"}
MISPRINTED = {("sts2016", "DCU synthetic")}
"""Table 2 has .7133, and figures by data set of which the weighted mean is .706."""


@pytest.mark.parametrize(
    "other",
    [
        other
        for other in PUBLISHED
        if other.kind not in NOT_ONE_SYSTEM
        and other.datasets
        and (other.task, other.system) not in MISPRINTED
    ],
    ids=lambda p: f"{p.task}-{p.system}",
)
def test_the_average_is_that_of_the_data_sets(other: Published) -> None:
    sizes = {dataset.name: dataset.scored for dataset in TASKS[other.task].datasets}
    assert set(other.datasets) == set(sizes)
    whole = sum(other.datasets[name] * size for name, size in sizes.items()) / sum(sizes.values())
    assert whole == pytest.approx(other.average, abs=6e-4)


@pytest.mark.parametrize("year", range(2012, 2017))
def test_every_year_has_a_winner(year: int) -> None:
    kinds = [other.kind for other in published_on(f"sts{year}")]
    assert kinds.count("winner") == 1


# --- tables


def test_a_figure_that_is_not_known_is_left_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    (winner,) = published_on("sts2013")
    partly = winner._replace(datasets={"OnWN": 0.753})
    monkeypatch.setattr(results_tables, "published_on", lambda task: [partly])
    lines = results_tables.task_table(get_task("sts2013"), [RESULT]).splitlines()
    assert lines[2] == "| `raw` | 0.500 | 0.500 | 0.500 | **0.6123** | 0.550–0.650 | 0.5000 |"
    assert lines[3] == "| UMBC (winner), without SMT |  | 0.753 |  | 0.737 |  |  |"
    assert len({line.count("|") for line in lines}) == 1


def test_what_stands_around_a_block_stays() -> None:
    text = "before <!-- x: begin -->old<!-- x: end --> between <!-- y: begin --><!-- y: end -->\n"
    fresh = pages.between(text, "x", "new")
    assert fresh == text.replace("old", "\n\nnew\n\n")
    assert pages.between(fresh, "x", "new") == fresh


def test_a_page_without_marks_is_refused() -> None:
    with pytest.raises(StsError, match="results: begin"):
        pages.between("nothing here\n", "results", "a table")


@pytest.mark.parametrize(
    ("mark", "shown", "fresh"),
    [
        ("a weighted_mean", "0.1", "0.6"),
        ("a weighted_mean", "0.1234", "0.6123"),
        ("a weighted_mean", ".123", ".612"),
        ("a datasets/surprise.OnWN/pearson", "0.123", "0.500"),
        ("studies/b interval/1", "0.12", "0.65"),
    ],
)
def test_a_figure_in_a_sentence_is_renewed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mark: str, shown: str, fresh: str
) -> None:
    monkeypatch.setattr(pages, "RESULTS", tmp_path)
    (tmp_path / "studies").mkdir()
    for name in ("a", "studies/b"):
        text = json.dumps(dict(RESULT) | {"datasets": {"surprise.OnWN": {"pearson": 0.5}}})
        (tmp_path / f"{name}.json").write_text(text)
    document = f"It is <!-- {mark} -->{shown}<!-- end -->, up from 0.1."
    found = pages.with_figures(document, Path("page.md"))
    assert found == document.replace(f">{shown}<", f">{fresh}<")
    assert pages.with_figures(found, Path("page.md")) == found


@pytest.mark.parametrize("mark", ["a nothing", "gone weighted_mean", "a run", "a interval/7"])
def test_a_figure_that_is_not_recorded_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    monkeypatch.setattr(pages, "RESULTS", tmp_path)
    (tmp_path / "a.json").write_text(json.dumps(dict(RESULT)))
    with pytest.raises(StsError, match=f"page.md: <!-- {mark} -->: no such figure"):
        pages.with_figures(f"<!-- {mark} -->0.5<!-- end -->", Path("page.md"))


# --- the command


@pytest.fixture
def stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A README and documents whose tables are not those of the results."""
    named = {
        "README": ("README.md", ("peers",)),
        "ALL_RESULTS": ("results.md", ("summary", "results")),
        "BITEXT": (
            "docs/bitext.md",
            ("similarity", "retrieval", "mining", "search", "speed", "overlap"),
        ),
        "DUPLICATES": ("docs/duplicates.md", ("duplicates",)),
        "MEANING": (
            "docs/meaning-figures.md",
            ("weights", "coverage", "behaviour", "invariances", "ranking"),
        ),
        "FUSION": ("docs/fusion.md", (*read_json(STUDIES / "model_selection.json"), "round-trips")),
    }
    (tmp_path / "docs").mkdir()
    for constant, (name, blocks) in named.items():
        path = tmp_path / name
        path.write_text("".join(f"<!-- {b}: begin -->\n<!-- {b}: end -->\n" for b in blocks))
        monkeypatch.setattr(pages, constant, path)
    monkeypatch.setattr(kept_results, "check_recipes", lambda: None)
    return tmp_path / "README.md"


def test_stale_pages_are_told_and_written(stale: Path, cli: Any) -> None:
    before = stale.read_bytes()
    cli("--check", main=command.main).refused("not up to date", "python -m runs.tables")
    assert stale.read_bytes() == before
    assert cli(main=command.main).code == 0
    assert b"| `fusion` |" in pages.ALL_RESULTS.read_bytes()
    assert b"| `raw` |" in pages.BITEXT.read_bytes()
    assert cli("--check", main=command.main).code == 0
    for path, old in ((pages.BITEXT, "`raw`"), (pages.FUSION, "boosting"), (stale, "ours")):
        good = path.read_text()
        path.write_text(good.replace(old, "changed", 1))
        cli("--check", main=command.main).refused(f"{path.name} is not up to date")
        path.write_text(good)
    (stale.parent / "docs" / "quality-speed.png").write_bytes(b"")
    cli("--check", main=command.main).refused("quality-speed.png is not up to date")


@pytest.mark.parametrize("main", [command.main, all_results.main])
def test_an_installed_copy_has_no_pages(stale: Path, cli: Any, main: Callable[[], None]) -> None:
    stale.unlink()
    cli(main=main).refused(f"{stale}: not there", "in a checkout of the project alone")


@pytest.fixture
def scored(toy: Any, toy_runs: dict[str, Run], cli: Any, stale: Path, monkeypatch: Any) -> Path:
    """An output folder with a result of the toy task; what is recorded goes to a folder beside."""
    rows = toy.task.datasets[:1]  # more than a handful of pairs, for the interval
    monkeypatch.setitem(TASKS, "toy", replace(toy.task, datasets=rows))
    monkeypatch.setattr(pages, "RESULTS", stale.parent / "kept")
    output = stale.parent / "output"
    options = ("--run", "toy-raw", "--task", "toy", "--data", toy.data, "--output", output)
    assert cli(*options).code == 0
    return output


def test_a_result_is_recorded_with_its_whole_signature(
    scored: Path, toy: Any, cli: Any, stale: Path
) -> None:
    ended = cli("--record", scored, "--data", toy.data, main=command.main)
    assert (ended.code, ended.out) == (0, "toy.toy-raw.json\n")
    result = json.loads((stale.parent / "kept" / "toy.toy-raw.json").read_text())
    assert result["interval"][0] <= result["weighted_mean"] <= result["interval"][1]
    assert list(result["datasets"]) == ["zeta"]
    written = json.loads((scored / "toy" / "toy-raw" / "results.json").read_text())
    assert result["signature"] == written["signature"]
    assert {"versions", "missing_features", "recipe", "input", "code"} <= set(result["signature"])
    assert "**toy**, Pearson" in (stale.parent / "results.md").read_text(encoding="utf-8")


def change_signature(folder: Path, **changed: Any) -> None:
    path = folder / "toy" / "toy-raw" / "results.json"
    result = json.loads(path.read_text())
    result["signature"] |= changed
    path.write_text(json.dumps(result))


def test_a_result_without_a_feature_is_not_recorded(scored: Path, toy: Any, cli: Any) -> None:
    change_signature(scored, missing_features=["antonyms", "wn_sim_match"])
    ended = cli("--record", scored, "--data", toy.data, main=command.main)
    ended.refused("made without antonyms, wn_sim_match")


def test_a_result_of_another_recipe_is_not_recorded(scored: Path, toy: Any, cli: Any) -> None:
    change_signature(scored, run="0" * 64)
    ended = cli("--record", scored, "--data", toy.data, main=command.main)
    ended.refused("the recipe of run 'toy-raw' has changed since", "score the task again")


def test_a_recipe_that_has_moved_on_is_told_with_the_command(
    scored: Path, toy: Any, cli: Any, monkeypatch: pytest.MonkeyPatch, toy_runs: dict[str, Run]
) -> None:
    assert cli("--record", scored, "--data", toy.data, main=command.main).code == 0
    monkeypatch.undo()
    kept = scored.parent / "kept"
    monkeypatch.setattr(pages, "RESULTS", kept)
    monkeypatch.setitem(TASKS, "toy", toy.task)
    run = toy_runs["toy-raw"]
    monkeypatch.setitem(kept_results.RUNS, run.name, replace(run, about="said in other words"))
    kept_results.check_recipes()
    monkeypatch.setitem(kept_results.RUNS, run.name, replace(run, start="paragram-small"))
    with pytest.raises(StsError) as refused:
        kept_results.check_recipes()
    assert "1 recorded results are of recipes or models that have changed" in str(refused.value)
    assert "run_submission.py --run toy-raw --task toy --data DIR" in str(refused.value)


def test_a_model_that_was_shipped_anew_is_told(
    scored: Path, toy: Any, cli: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_signature(
        scored, fit="shipped", fitted_files=kept_results.fitted_files_digest(RUNS["toy-raw"])
    )
    assert cli("--record", scored, "--data", toy.data, main=command.main).code == 0
    score = all_results.Score("toy", "toy-raw")
    scored.rename(scored.parent / "results")
    assert all_results.is_there(score, scored.parent)
    for module in (kept_results, all_results):
        monkeypatch.setattr(module, "fitted_files_digest", lambda run: "another")
    assert not all_results.is_there(score, scored.parent)
    ended = cli("--record", scored.parent / "results", "--data", toy.data, main=command.main)
    ended.refused("the model of run 'toy-raw' that ships has changed since", "score the task again")


def test_some_results_can_be_made(cli: Any, tmp_path: Path) -> None:
    options = ("--run", "fusion", "--task", "sts2099", "--output", tmp_path)
    cli(*options, main=all_results.main).refused("no page shows this run on this task")


def test_there_must_be_something_to_record(stale: Path, cli: Any, tmp_path: Path) -> None:
    cli("--record", tmp_path, main=command.main).refused("no results.json", "run_submission.py")


def test_every_recorded_result_is_among_those_that_are_made() -> None:
    made = {(score.task, score.run) for score in all_results.wanted()}
    assert made >= {(result["task"], result["run"]) for result in kept_results.read_results()}


def test_a_result_that_is_there_is_not_made_again(scored: Path, toy_runs: dict[str, Run]) -> None:
    score = all_results.Score("toy", "toy-raw")
    output = scored.parent
    assert not all_results.is_there(score, output)
    scored.rename(output / "results")
    assert all_results.is_there(score, output)
    for changed in ({"code": "other"}, {"run": "other"}, {"missing_features": ["antonyms"]}):
        before = (output / "results/toy/toy-raw/results.json").read_text()
        change_signature(output / "results", **changed)
        assert not all_results.is_there(score, output)
        (output / "results/toy/toy-raw/results.json").write_text(before)
