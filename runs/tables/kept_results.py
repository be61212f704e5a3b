"""Results of the official tasks, kept with their whole signatures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from runs.pipeline.result_file import SHIPPED_FIT, fitted_files_digest
from runs.pipeline.run import earlier_digest
from runs.recipes.by_name import RUNS
from runs.tables import pages
from runs.tables.pages import read_json, write_json
from sts.data.catalog import TASKS, get_task
from sts.data.fetch import load_gold
from sts.data.schema import Task
from sts.errors import DataError, StsError
from sts.files import parse_json, read_text
from sts.scoring import submission
from sts.scoring.bootstrap import bootstrap_weighted_mean

FIGURES = ("task", "run", "datasets", "weighted_mean", "mean", "spearman_all")

SIGNED = ("run", "seed", "encoders", "missing_features", "translators", "versions", "code")

Result = dict[str, Any]

SHOWN = 8
"""Commands that an error names."""


def record(folder: Path, data: Path | None) -> list[Path]:
    """Keep every result below ``folder``, with a 95 % bootstrap interval of its weighted mean.

    Raises:
        StsError: there is none, or one is of another recipe than today's, or was made without
            all of its features.
        DataError: a score file or the gold is not as it should be.
    """
    found = sorted(folder.rglob("results.json"))
    if not found:
        raise StsError(f"{folder}: no results.json below it; run run_submission.py first")
    results = [(path, _read(path)) for path in found if _is_official(path)]
    for path, result in results:
        _refuse(path, result)
    return [_keep(path, result, data) for path, result in results]


def _is_official(path: Path) -> bool:
    task = TASKS.get(path.parent.parent.name)
    return task is not None and not task.labelled and path.parent.name in RUNS


def _read(path: Path) -> Result:
    try:
        result = parse_json(read_text(path))
        signature = result["signature"]
        for key in SIGNED:
            signature[key]
        return {key: result[key] for key in FIGURES} | {"signature": signature}
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path}: not a result of run_submission.py ({error!r})") from None


def _refuse(path: Path, result: Result) -> None:
    missing = result["signature"]["missing_features"]
    if missing:
        raise StsError(
            f"{path}: made without {', '.join(missing)}; have what they need installed "
            "(run_submission.py names it) and score the task again"
        )
    moved = moved_on(result)
    if moved:
        raise StsError(f"{path}: {moved}; score the task again")


def _keep(path: Path, result: Result, data: Path | None) -> Path:
    task = get_task(result["task"])
    gold, predicted = {}, {}
    for dataset in task.datasets:
        gold[dataset.name] = load_gold(dataset, data, dataset.input.rows)
        file = path.parent / submission.file_name(task.year, result["run"], dataset.name)
        predicted[dataset.name] = submission.read(file, dataset.input.rows)
    signature = result.pop("signature")
    result["interval"] = list(bootstrap_weighted_mean(predicted, gold))
    result["translator"] = _translator_of(task, signature)
    result["signature"] = signature
    name = ".".join(filter(None, (task.name, result["run"], result["translator"])))
    target = pages.RESULTS / f"{name}.json"
    write_json(target, result)
    return target


def _translator_of(task: Task, signature: Result) -> str:
    """Who translated the Spanish sentences; empty for English tasks, and where nobody did."""
    spanish = any("es" in dataset.languages for dataset in task.datasets)
    translators = signature["translators"] if spanish else []
    return str(translators[0]["provider"]) if translators else ""


def read_results() -> list[Result]:
    """Every kept result, in the order of the tasks and of the runs."""
    kept = [path for path in sorted(pages.RESULTS.glob("*.json")) if path != pages.PEERS]
    tasks, runs = list(TASKS), list(RUNS)
    return sorted(
        map(read_json, kept),
        key=lambda r: (tasks.index(r["task"]), r["translator"], runs.index(r["run"])),
    )


def moved_on(result: Result) -> str | None:
    """Why a result is not one of today's recipe and model, or None if it is."""
    signature = result["signature"]
    run = RUNS[result["run"]].with_seed(signature["seed"])
    if signature["run"] not in (run.digest, earlier_digest(run)):
        return f"the recipe of run {run.name!r} has changed since"
    if signature.get("fit") == SHIPPED_FIT and signature["fitted_files"] != fitted_files_digest(
        run
    ):
        return f"the model of run {run.name!r} that ships has changed since"
    return None


def command_for(result: Result) -> str:
    """What to type to make a result again."""
    task, run, translator = result["task"], result["run"], result["translator"]
    named = f" --translator {translator}" if translator and "-es-" in task else ""
    folder = translator if named else ""
    return (
        f"STS_MEMORY=output/memory/{task}{folder} .venv/bin/python run_submission.py --run {run} "
        f"--task {task}{named} --data DIR --output output/results/{folder}"
    )


def check_recipes() -> None:
    """Refuse results of recipes that have changed since.

    Raises:
        StsError: with the commands that make them again.
    """
    stale = [result for result in read_results() if moved_on(result)]
    if stale:
        commands = "\n".join(f"  {command_for(result)}" for result in stale[:SHOWN])
        if len(stale) > SHOWN:
            commands += f"\n  … and {len(stale) - SHOWN} more"
        raise StsError(
            f"{len(stale)} recorded results are of recipes or models that have changed since; make all again "
            f"with: make results DATA=DIR; or these, one by one:\n{commands}\n"
            "  .venv/bin/python -m runs.tables --record output/results --data DIR"
        )
