"""Measure what fitting a fusion without round trips costs: each year with them and without.

A fusion also learns from the test sentences, translated to Spanish and back. Where nothing can
translate, it learns without. This study fits both for 2013 to 2015, on the years before each. It
needs Apertium or a memory of recorded translations, and half an hour.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from research.tables import read_record, write_record
from runs.pipeline.task_run import evaluate, predict
from runs.recipes.by_name import get_run
from runs.tables.format import markdown_table
from sts.command_line import data_option, examples, option, run_command, run_tool
from sts.data.catalog import get_task

RUNS = ("fusion", "fusion-gbr")
TASKS = ("sts2013", "sts2014", "sts2015")

Row = dict[str, str | float]
"""Name of a task, and the weighted mean ``with`` and ``without`` round trips."""


def measure(data: Path | None) -> dict[str, list[Row]]:
    """Fit and score every run of every year."""
    found: dict[str, list[Row]] = {}
    for name in RUNS:
        found[name] = []
        for task in map(get_task, TASKS):
            row: Row = {"task": task.name}
            for kind, trips in (("with", True), ("without", False)):
                outcome = predict(get_run(name), task, data, train=True, round_trips=trips)
                row[kind] = evaluate(outcome, data).weighted_mean
            found[name].append(row)
    return found


def round_trips_table(found: Mapping[str, Sequence[Mapping[str, str | float]]]) -> str:
    """Return two rows per run in Markdown."""
    rows = [
        [f"`{run}`, {kind} round trips", *(f"{row[kind]:.4f}" for row in figures)]
        for run, figures in found.items()
        for kind in ("with", "without")
    ]
    return markdown_table(["", *(task.removeprefix("sts") for task in TASKS)], rows)


@click.command(
    help=__doc__,
    epilog=examples("python -m research.round_trip_cost --data DIR --fit"),
)
@data_option()
@option("--fit", is_flag=True, help="Measure and record (default: show the recorded figures).")
def round_trip_cost(data: Path | None, fit: bool) -> None:
    """Measure and record, or show the record."""
    if fit:
        write_record("round-trips", measure(data))
    click.echo(round_trips_table(read_record("round-trips")))


if __name__ == "__main__":
    run_tool(lambda: run_command(round_trip_cost, "python -m research.round_trip_cost"))
