"""``semaniacs submit``: the official files of a task."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sts.command_line import data_option, examples, output_option, removed, seed_option
from sts.errors import StsError


@click.command(
    short_help="Score an official task and write its files.",
    epilog=examples(
        "semaniacs submit                                  the model fusion on the sample",
        "semaniacs submit --run synthetic --task sts2016 --data DIR",
        "semaniacs submit --run synthetic --task sts2016 --data DIR --record trips",
        "semaniacs submit --task sts2016 --data DIR --team DCU --run-name fusion --zip",
        "semaniacs submit --task sts2016-es-en --translator recorded --data DIR",
        "semaniacs submit --run paws --task paws-wiki --data DIR    paraphrase or not",
    ),
)
@click.option("--run", "name", default="fusion", help="Recipe; see: semaniacs list.")
@click.option("--task", "task_name", default="sample", help="Task; see: semaniacs list.")
@data_option()
@output_option(default=Path("output"), help="Folder for results.")
@seed_option()
@click.option(
    "--translator",
    help="Translator: memory, apertium, recorded or an online engine. Several, separated by "
    "commas, are asked in that order (default: the memory, then Apertium).",
)
@click.option(
    "--train", is_flag=True, help="Fit the run for the task, even if a fitted model is shipped."
)
@click.option(
    "--record",
    type=Path,
    metavar="FOLDER",
    help="Only translate the training data, and save it in FOLDER. Another machine can then "
    "train without a translator, with STS_MEMORY=FOLDER.",
)
@click.option("--team", help="Team name, put before the run's name in file names.")
@click.option("--run-name", help="Name of the run in file names (default: the recipe's).")
@click.option("--zip", "packed", is_flag=True, help="Also write all files as one zip to submit.")
@removed("--pairs", "semaniacs score FILE")
@removed("--explain", "semaniacs explain FILE")
@removed("--json", "semaniacs explain FILE --format jsonl")
@removed("--languages", "semaniacs score FILE --languages LEFT RIGHT")
@removed("--compare", "semaniacs evaluate A B --pairwise")
@removed("--list", "semaniacs list")
def submit(
    name: str,
    task_name: str,
    data: Path | None,
    output: Path,
    seed: int,
    translator: str | None,
    train: bool,
    record: Path | None,
    team: str | None,
    run_name: str | None,
    packed: bool,
) -> None:
    """Score an official task, write its files and print the table of results.

    OUTPUT/TASK/RUN/ receives one file of scores per data set, and results.json; with --team the
    folder is OUTPUT/TASK/TEAM.RUN/.
    """
    from runs.pipeline.result_file import classification_table, score_table
    from runs.pipeline.task_run import classify, evaluate, predict, record_translations, write
    from runs.recipes.by_name import get_run
    from sts.data.catalog import get_task
    from sts.files import check_writable
    from sts.scoring.submission import submission_name

    task = get_task(task_name)
    run = get_run(name).with_seed(seed)
    if train and not run.learns:
        raise StsError(f"--train: run {run.name!r} learns from no task; leave it out")
    if record is not None:
        check_writable(record)
        record_translations(run, task, data, translator, record)
        click.echo(f"recorded in {record}; use it with: STS_MEMORY={record}", err=True)
        return
    called = submission_name(team, run_name or run.name)
    check_writable(output / task.name / called)
    outcome = predict(run, task, data, translator, train=train)
    scored: Any
    if task.labelled:
        scored = classify(outcome, data)
        table = classification_table(scored)
    else:
        scored = evaluate(outcome, data)
        table = score_table(scored)
    folder = write(outcome, scored, output, called, packed=packed)
    click.echo(f"{run.name} on {task.name}\n\n{table}")
    beside = f" and {folder.name}.zip beside it" if packed else ""
    click.echo(f"\nwritten to {folder}{beside}", err=True)
