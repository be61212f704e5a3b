"""What fitting a fusion without round trips costs: each year with them and without.

A fusion also learns from the test sentences, translated to Spanish and back. Where nobody can
translate, it learns without. This study fits both for 2013 to 2015, on the years before each.
It needs Apertium, or a memory in which the translations were recorded, and half an hour. Finished
fits are kept in OUTPUT/round_trips.jsonl: stopped and started again, it goes on where it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from runs.options import new_parser
from runs.pipeline.result_file import code_digest
from runs.pipeline.task_run import evaluate, predict
from runs.recipes.by_name import get_run
from runs.studies.ledger import Ledger, Value, each_once
from runs.tables.format import markdown_table
from runs.tables.pages import FUSION, ROUND_TRIPS, check_checkout, show, write_json
from sts.cache import digest
from sts.data.catalog import get_task
from sts.files import check_writable

RUNS = ("fusion", "fusion-gbr")
TASKS = ("sts2013", "sts2014", "sts2015")

Figures = dict[str, list[dict[str, str | float]]]
"""For each run a row per task: its name, and the weighted mean ``with`` and ``without``."""


class Fit(NamedTuple):
    """One fit of the study."""

    run: str
    task: str
    round_trips: bool


def score_fit(data: Path | None, fit: Fit) -> Value:
    """Fit a run for a task and score it: ``{"weighted_mean": …}``."""
    outcome = predict(
        get_run(fit.run), get_task(fit.task), data, train=True, round_trips=fit.round_trips
    )
    return {"weighted_mean": evaluate(outcome, data).weighted_mean}


def key_of(fit: Fit) -> str:
    """sha256 of the recipe, its code, the task and whether there are round trips."""
    run, task = get_run(fit.run), get_task(fit.task)
    files = [(d.input.sha256, d.gold.sha256) for d in (*run.learns_from(task), *task.datasets)]
    return digest([run.digest, code_digest(run), files, fit.round_trips])


def measure(data: Path | None, ledger: Ledger, runs: Sequence[str] = RUNS) -> Figures:
    """Score every run of every year, with round trips first: if there are none, nothing is done."""
    fits = [Fit(run, task, trips) for trips in (True, False) for run in runs for task in TASKS]
    score = partial(score_fit, data)
    found = each_once(score, fits, ledger, key_of, jobs=1, label="round trips", unit="fit")
    means = {fit: value["weighted_mean"] for fit, value in found.items()}
    return {
        run: [
            {
                "task": task,
                "with": means[Fit(run, task, True)],
                "without": means[Fit(run, task, False)],
            }
            for task in TASKS
        ]
        for run in runs
    }


def round_trips_table(found: Mapping[str, Sequence[Mapping[str, str | float]]]) -> str:
    """Markdown: a row per run, and what each year loses."""
    header = ["", *(str(row["task"]).removeprefix("sts") for row in next(iter(found.values())))]
    rows = []
    for run, years in found.items():
        for kind in ("with", "without"):
            figures = [f"{row[kind]:.4f}" for row in years]
            rows.append([f"`{run}`, {kind} round trips", *figures])
    return markdown_table(header, rows)


def main() -> None:
    """Fit, score, print; with ``--write`` keep the figures for docs/fusion.md."""
    parser = new_parser("runs.studies round-trips", __doc__, example="--data DIR --write")
    parser.add_argument(
        "--output", type=Path, default=Path("output"), help="folder (default: output)"
    )
    parser.add_argument("--write", action="store_true", help=f"keep it, for docs/{FUSION.name}")
    options = parser.parse_args()
    if options.write:
        check_checkout()
    check_writable(options.output)
    found = measure(options.data, Ledger(options.output / "round_trips.jsonl"))
    if options.write:
        write_json(ROUND_TRIPS, found)
        show(FUSION, "round-trips", round_trips_table(found))
    print(round_trips_table(found))
