"""``semaniacs list``: runs, tasks, and which data is here."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sts.command_line import data_option, examples

if TYPE_CHECKING:
    from sts.data.schema import DataSet


@click.command("list", epilog=examples("semaniacs list", "semaniacs list --data DIR"))
@data_option()
def list_all(data: Path | None) -> None:
    """Show runs, tasks, and which data is here."""
    from runs.recipes.by_name import RUNS
    from sts.data.catalog import TASKS

    lines = ["runs"]
    for run in RUNS.values():
        lines.append(f"  {run.name:15} {'fitted' if run.ships() else '':6}  {run.about}")
    lines += ["", "fitted: it ships, and semaniacs score --model takes it", "", "tasks"]
    for task in TASKS.values():
        rows = sum(dataset.input.rows for dataset in task.datasets)
        lines.append(
            f"  {task.name:15} {len(task.datasets)} sets, {rows:6,} pairs; files here: "
            f"{_files_here(task.datasets, data)}, to learn from: {_files_here(task.train, data)}"
        )
    if data is None and "STS_DATA" not in os.environ:
        lines += ["", "official files: pass --data DIR or set STS_DATA; otherwise they are fetched"]
    click.echo("\n".join(lines))


def _files_here(datasets: Sequence[DataSet], data: Path | None) -> str:
    """Count the files of data sets that can be read without a network."""
    from sts.data.fetch import locate

    files = [file for dataset in datasets for file in (dataset.input, dataset.gold)]
    here = sum(locate(file, data) is not None for file in files)
    return "all" if here == len(files) else f"{here} of {len(files)}"
