"""Measure what fitting a fusion without round trips costs: each year with them and without.

A fusion also learns from the test sentences, translated to Spanish and back. Where nothing can
translate, it learns without. This study fits both for 2013 to 2015, on the years before each. It
needs Apertium or a memory of recorded translations, and half an hour. Finished fits are stored in
OUTPUT/round_trips.jsonl, so a study that was stopped resumes; remove the file after a change of
the code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click

from research.tables import write_record
from runs.contribution.ledger import Ledger, Value, each_once
from runs.pipeline.task_run import evaluate, predict
from runs.recipes.by_name import get_run
from runs.tables.format import markdown_table
from sts.cache import digest
from sts.command_line import data_option, examples, option, output_option, run_command, run_tool
from sts.data.catalog import get_task

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
    """Fit a run for a task and score it."""
    run, task = get_run(fit.run), get_task(fit.task)
    outcome = predict(run, task, data, train=True, round_trips=fit.round_trips)
    return {"weighted_mean": evaluate(outcome, data).weighted_mean}


def measure(data: Path | None, ledger: Ledger, runs: Sequence[str] = RUNS) -> Figures:
    """Score every run of every year, with round trips first."""
    fits = [Fit(run, task, trips) for trips in (True, False) for run in runs for task in TASKS]

    def key(fit: Fit) -> str:
        return digest([get_run(fit.run).digest, *fit])

    found = each_once(
        partial(score_fit, data), fits, ledger, key, jobs=1, label="round trips", unit="fit"
    )
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
    """Return two rows per run in Markdown."""
    years = [str(row["task"]).removeprefix("sts") for row in next(iter(found.values()))]
    rows = [
        [f"`{run}`, {kind} round trips", *(f"{row[kind]:.4f}" for row in figures)]
        for run, figures in found.items()
        for kind in ("with", "without")
    ]
    return markdown_table(["", *years], rows)


@click.command(help=__doc__, epilog=examples("python -m research.round_trip_cost --data DIR"))
@data_option()
@output_option(default=Path("output"), show_default=True, help="Folder for finished fits.")
@option("--record", is_flag=True, help="Write the figures to research/results.jsonl.")
def round_trip_cost(data: Path | None, output: Path, record: bool) -> None:
    """Fit, score and print."""
    found = measure(data, Ledger(output / "round_trips.jsonl"))
    if record:
        write_record("round-trips", found)
    click.echo(round_trips_table(found))


if __name__ == "__main__":
    run_tool(lambda: run_command(round_trip_cost, "python -m research.round_trip_cost"))
