"""The commands on tasks: submit, evaluate, reproduce, verify and list."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from semaniacs.sts.command_line import (
    data_option,
    examples,
    format_option,
    output_option,
    removed,
    seed_option,
    threshold_option,
)
from semaniacs.sts.data.table_kinds import TABLES, encoding_option
from semaniacs.sts.errors import StsError
from semaniacs.sts.files import format_of

if TYPE_CHECKING:
    from semaniacs.sts.data.catalog import DataSet

FORMATS = f"table {TABLES}"


@click.command(
    epilog=examples(
        "semaniacs submit                                  the model fusion on the sample",
        "semaniacs submit --run synthetic --task sts2016 --data DIR",
        "semaniacs submit --run synthetic --task sts2016 --data DIR --record trips",
        "semaniacs submit --task sts2016 --data DIR --team DCU --run-name fusion --zip",
        "semaniacs submit --task sts2016-es-en --translator recorded --data DIR",
        "semaniacs submit --run paws --task paws-wiki --data DIR    paraphrase or not",
    )
)
@click.option(
    "--run",
    "name",
    default="fusion",
    help="Recipe; see: semaniacs list. contextual is more accurate and slower than fusion.",
)
@click.option("--task", "task_name", default="sample", help="Task; see: semaniacs list.")
@data_option()
@output_option(writes="", default=Path("output"), help="Folder for results.")
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
    from semaniacs.runs.pipeline.result_file import classification_table, score_table
    from semaniacs.runs.pipeline.task_run import (
        classify,
        evaluate,
        predict,
        record_translations,
        write,
    )
    from semaniacs.runs.recipes import get_run
    from semaniacs.sts.data.catalog import get_task
    from semaniacs.sts.files import check_writable
    from semaniacs.sts.scoring.submission import submission_name

    task = get_task(task_name)
    run = get_run(name).with_seed(seed)
    if train and not run.main.learns:
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


@click.command(
    epilog=examples(
        "semaniacs evaluate TEAM --task sts2016 --data DIR     one team's folder or zip",
        "semaniacs evaluate TEAMS --task sts2016 --data DIR    a folder of teams: a ranking",
        "semaniacs evaluate TEAMS --gold STS.gs.news.txt --pairwise",
        "semaniacs evaluate a.csv b.csv --gold gold.csv --gold-column gold --id id --by genre",
        "semaniacs evaluate TEAMS --task paws-wiki --data DIR --threshold 2.5",
    )
)
@click.argument("systems", nargs=-1, required=True, type=Path, metavar="FILE | FOLDER | ZIP ...")
@click.option("--task", help="Task; see: semaniacs list.")
@data_option()
@click.option(
    "--gold",
    type=Path,
    help="Your own gold: an official file, a folder of *.gs.NAME.txt, or a table.",
)
@click.option(
    "--gold-column", metavar="COLUMN", help="Column of the gold scores, if --gold is a table."
)
@click.option(
    "--score-column",
    metavar="COLUMN",
    help="Column of the scores in the teams' tables (default: score, or the only one).",
)
@click.option(
    "--id",
    "id_",
    metavar="COLUMN",
    help="Column of ids in both tables, which matches scores to pairs.",
)
@click.option("--by", metavar="COLUMN", help="Column of a gold table: a figure for each value.")
@click.option(
    "--labels",
    is_flag=True,
    help="Treat the gold as two classes, the higher number for paraphrases: rank by AUC.",
)
@threshold_option(help="With labels: lowest score of a paraphrase.")
@click.option(
    "--pairwise", is_flag=True, help="Compare every two submissions, instead of each with the best."
)
@click.option("--keep-going", is_flag=True, help="Skip broken submissions and rank the others.")
@click.option(
    "--resamples",
    default=10_000,
    type=click.IntRange(100),
    help="Number of bootstrap resamples for intervals and p-values.",
)
@seed_option()
@format_option(
    "shown_as",
    old=(),
    type=click.Choice(FORMATS.split()[:-1]),
    help="Format of the output, one row per submission (default: from its name, or a table).",
)
@output_option(writes=FORMATS)
@encoding_option
def evaluate(
    systems: tuple[Path, ...],
    task: str | None,
    data: Path | None,
    gold: Path | None,
    gold_column: str | None,
    score_column: str | None,
    id_: str | None,
    by: str | None,
    labels: bool,
    threshold: float | None,
    pairwise: bool,
    keep_going: bool,
    resamples: int,
    seed: int,
    shown_as: str | None,
    output: Path | None,
) -> None:
    """Score submissions as the official scorer does, and rank them.

    File names are those that the organisers ask for: they end in .NAME.txt, with the name of a
    data set. A file has one score per line. Intervals and p-values come from a bootstrap over the
    pairs; p-values are corrected for the number of comparisons (Holm). With labels, paraphrase or
    not, submissions are ranked by AUC instead of correlation.
    """
    from semaniacs.runs.report import evaluation
    from semaniacs.sts.data.table_writers import write_table
    from semaniacs.sts.files import write_lines
    from semaniacs.sts.progress import note
    from semaniacs.sts.scoring.shared_task import leaderboard
    from semaniacs.sts.scoring.shared_task.gold_standard import by_column, open_gold
    from semaniacs.sts.scoring.shared_task.system_files import find_submissions, read_submissions

    kind = format_of(output, FORMATS, shown_as)
    standard = open_gold(task, data, gold, gold_column, score_column, id_, labels=labels)
    if threshold is not None and not standard.labelled:
        raise StsError("--threshold is for labels; the gold has grades (or type --labels too)")
    found = find_submissions(systems, standard)
    submissions, scores = read_submissions(found, standard, keep_going=keep_going)
    if by is not None:
        standard, scores = by_column(standard, scores, by)
    if pairwise and len(submissions) < 2:
        raise StsError("--pairwise compares submissions; name two or more")
    others = len(submissions) - 1
    compared = others * (others + 1) // 2 if pairwise else others
    if warning := leaderboard.too_few_resamples(compared, resamples):
        note(f"warning: {warning}")
    drawn = {"resamples": resamples, "seed": seed}
    board: leaderboard.Leaderboard[Any]
    if standard.labelled:
        at = math.inf if threshold is None else threshold
        board = leaderboard.rank_labelled(scores, standard.labels, at, **drawn)
    else:
        board = leaderboard.rank(scores, standard.scores, **drawn)
    if kind != "table":
        records = evaluation.records(board, submissions, pairwise=pairwise)
        write_table(output, kind, *evaluation.as_rows(records, nested=kind in ("json", "jsonl")))
        return
    page = evaluation.as_text(standard.name, board, submissions, pairwise=pairwise)
    if output is None:
        click.echo(page)
    else:
        write_lines(output, page.split("\n"))


@click.command(
    epilog=examples("semaniacs reproduce sample", "semaniacs reproduce sts2016 --data DIR")
)
@click.argument("task", default="sts2016")
@data_option()
@output_option(
    writes="", default=Path("output"), help="Folder for the files of the runs and for the picture."
)
def reproduce(task: str, data: Path | None, output: Path) -> None:
    """Reproduce the runs of Hokamp and Arora (2016): raw, task-internal, synthetic and fusion-gbr.

    TASK is sts2016 (default), sample, or another that semaniacs list shows. The table has our
    figures beside the paper's; OUTPUT/TASK/reproduction.png shows both (needs matplotlib).
    """
    from semaniacs.runs.reproduction.paper_runs import reproduce as make_runs
    from semaniacs.sts.files import check_writable
    from semaniacs.sts.progress import note

    check_writable(output)
    made = make_runs(task, data, output)
    made.write_picture(output / made.task.name / "reproduction.png")
    click.echo(str(made))
    note(f"written to {output / made.task.name}")


@click.command(
    epilog=examples(
        "semaniacs verify output/sts2016/fusion/results.json --data DIR",
        "semaniacs verify sts2016.raw --data DIR",
    )
)
@click.argument("files", type=Path, nargs=-1, required=True)
@data_option()
@click.option(
    "--within",
    default=0.0,
    type=click.FloatRange(0, 1),
    help="Largest allowed difference between figures, for another processor.",
)
def verify(files: tuple[Path, ...], data: Path | None, within: float) -> None:
    """Reproduce recorded results, and compare their hashes.

    FILES are results.json, with the files of scores beside them, or in a checkout names of
    published results (research/results.jsonl), such as sts2016.raw. The exit code is 2 if one
    differs.
    """
    from semaniacs.runs.reproduction.made_again import check_made_again

    for path in files:
        print(*check_made_again(path, data, within), sep="\n")


@click.command("list", epilog=examples("semaniacs list", "semaniacs list --data DIR"))
@data_option()
def list_all(data: Path | None) -> None:
    """Show runs, tasks, and which data is here."""
    from semaniacs.runs.recipes import RUNS
    from semaniacs.sts.data.catalog import TASKS

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
    from semaniacs.sts.data.fetch import locate

    files = [file for dataset in datasets for file in (dataset.input, dataset.gold)]
    here = sum(locate(file, data) is not None for file in files)
    return "all" if here == len(files) else f"{here} of {len(files)}"
