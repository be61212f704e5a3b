"""Score every task that the pages show, and record the results in research/results.jsonl.

This takes an hour or more. A result that is there already, of the current recipe and model, is not
made again, so a command that was stopped resumes; remove OUTPUT to begin again. Each task starts
with an empty translation memory of its own. ``--check`` only compares: it fails if the recipe or
the shipped model of a recorded result has changed since.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from research.study import run_study, study
from research.tables import CROSSLINGUAL, ROOT, SPANISH, YEARS, task_results, write_lines
from semaniacs.runs.pipeline.result_file import SHIPPED_FIT, fitted_files_digest
from semaniacs.runs.recipes import RUNS
from semaniacs.runs.reproduction.made_again import short, short_signature
from semaniacs.sts.command_line import data_option, option, output_option
from semaniacs.sts.data.catalog import Task, get_task
from semaniacs.sts.data.fetch import load_gold
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.files import parse_json, read_text
from semaniacs.sts.progress import note
from semaniacs.sts.scoring import submission
from semaniacs.sts.scoring.bootstrap import bootstrap_weighted_mean

EMBEDDING = ("raw", "task-internal", "synthetic")
FUSIONS = ("fusion", "contextual")
BITEXT = ("bitext-sp", "bitext-word", "bitext-trigram", "bitext-lstm", "bitext-teacher")
RANDOM = ("random-sp", "random-word", "random-trigram")
FIGURES = ("task", "run", "datasets", "weighted_mean", "mean", "spearman_all")

Result = dict[str, Any]


class Score(NamedTuple):
    """One result: a run on a task, and the translator."""

    task: str
    run: str
    translator: str = ""

    @property
    def folder(self) -> Path:
        """Folder that ``semaniacs submit`` writes, below the output folder."""
        return Path("results", self.translator, self.task, self.run)


def wanted() -> Iterator[Score]:
    """Yield every result that the pages show."""
    for run in (*EMBEDDING, "fusion-gbr", *FUSIONS):
        yield from (Score("sts2016", run), Score("sts2015", run))
        yield from (Score(CROSSLINGUAL, run, by) for by in ("recorded", "apertium"))
    yield from (Score(CROSSLINGUAL, "crosslingual", by) for by in ("recorded", "apertium"))
    for task in ("sts2014", "sts2013", "sts2012"):
        yield from (Score(task, run) for run in (*EMBEDDING, *FUSIONS))
    for task in SPANISH:
        yield from (Score(task, run) for run in ("raw", *FUSIONS))
    for task in (*YEARS, CROSSLINGUAL, *SPANISH):
        yield from (Score(task, run) for run in BITEXT)
    # multilingual learned from the gold of the other tasks.
    yield from (Score(task, "multilingual") for task in ("sts2016", CROSSLINGUAL))
    yield Score("sts2016", "crosslingual")
    for task in ("sts2016", CROSSLINGUAL, "sts2015"):
        yield from (Score(task, run) for run in RANDOM)
    yield from (Score(task, "paraphrase-sp") for task in YEARS)


def changed(result: Result) -> str | None:
    """Return why a result is not of the current recipe and model, or None if it is."""
    signature = result["signature"]
    run = RUNS[result["run"]].with_seed(signature["seed"])
    if short(signature["run"]) != short(run.digest):
        return f"the recipe of run {run.name!r} has changed since"
    shipped = signature.get("fit") == SHIPPED_FIT
    if shipped and short(signature["fitted_files"]) != short(fitted_files_digest(run)):
        return f"the shipped model of run {run.name!r} has changed since"
    return None


def read_result(path: Path) -> Result:
    """Read a results.json that ``semaniacs submit`` wrote.

    Raises:
        DataError: it is missing or damaged.
        StsError: it was made without some features, or by another recipe than the current one.
    """
    try:
        result = parse_json(read_text(path))
        signature = short_signature(result["signature"])
        missing = signature["missing_features"]
        providers = [str(one["provider"]) for one in result["signature"]["translators"]]
        result = {key: result[key] for key in FIGURES} | {"signature": signature}
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path}: not a result of semaniacs submit ({error!r})") from None
    reason = f"made without {', '.join(missing)}" if missing else changed(result)
    if reason:
        raise StsError(f"{path}: {reason}; score the task again")
    spanish = any("es" in dataset.languages for dataset in get_task(result["task"]).datasets)
    return result | {"translator": providers[0] if spanish and providers else ""}


def result_of(score: Score, data: Path | None, output: Path) -> Result:
    """Return the line of a result, with a 95 % bootstrap interval of its weighted mean."""
    folder = output / score.folder
    result, task = read_result(folder / "results.json"), get_task(score.task)
    result["interval"] = list(_interval(task, score.run, folder, data))
    name = ".".join(filter(None, (score.task, score.run, result["translator"])))
    return {"name": name, **result}


def _interval(task: Task, run: str, folder: Path, data: Path | None) -> tuple[float, float]:
    gold, predicted = {}, {}
    for dataset in task.datasets:
        gold[dataset.name] = load_gold(dataset, data, dataset.input.rows)
        file = folder / submission.file_name(task.year, run, dataset.name)
        predicted[dataset.name] = submission.read(file, dataset.input.rows)
    return bootstrap_weighted_mean(predicted, gold)


def make(score: Score, data: Path | None, output: Path) -> None:
    """Score a task in a process of its own, unless its result is there.

    Raises:
        StsError: it failed; the reason is on stderr.
    """
    try:
        read_result(output / score.folder / "results.json")
    except StsError:
        command = [sys.executable, "-m", "semaniacs", "submit", "--run", score.run]
        command += ["--task", score.task, "--output", str(output / "results" / score.translator)]
        command += ["--translator", score.translator] if score.translator else []
        command += ["--data", str(data)] if data else []
        memory = output / "memory" / f"{score.task}{score.translator}"
        environment = os.environ | {"STS_MEMORY": str(memory)}
        if subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode:
            raise StsError(f"{score.run} on {score.task} failed; see above") from None


def check() -> None:
    """Refuse recorded results of recipes or models that have changed since.

    Raises:
        StsError: with the command that makes them again.
    """
    stale = [result["name"] for result in task_results() if changed(result)]
    if stale:
        raise StsError(
            f"{len(stale)} recorded results are of recipes or models that have changed since, such "
            f"as {stale[0]}; make them again: make results DATA=DIR"
        )


@study(__doc__, "--data DIR", "--data DIR --run fusion --task sts2016")
@data_option()
@output_option(default=Path("output"), show_default=True, help="Folder for the scores.")
@option("--run", "run", multiple=True, help="Recipe; repeatable (default: all).")
@option("--task", multiple=True, help="Task; repeatable (default: all).")
@option("--check", "only_check", is_flag=True, help="Only compare recipes and models.")
def record(
    data: Path | None, output: Path, run: tuple[str, ...], task: tuple[str, ...], only_check: bool
) -> None:
    """Score what is not there yet, then record everything."""
    if only_check:
        check()
        return
    every = dict.fromkeys(wanted())
    scores = [s for s in every if s.run in (run or [s.run]) and s.task in (task or [s.task])]
    if not scores:
        raise StsError("no page shows this run on this task; leave out --run or --task")
    for number, score in enumerate(scores, start=1):
        note(f"{number} of {len(scores)}: {' '.join(filter(None, score))}")
        make(score, data, output)
    write_lines([result_of(score, data, output) for score in scores])


if __name__ == "__main__":
    run_study(record)
