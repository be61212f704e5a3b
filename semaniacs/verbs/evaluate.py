"""``semaniacs evaluate``: the official scores of submissions, and a leaderboard."""

from __future__ import annotations

import math
from pathlib import Path

import click

from sts.command_line import (
    data_option,
    examples,
    format_option,
    output_option,
    seed_option,
    threshold_option,
)
from sts.errors import StsError


@click.command(
    short_help="Score and rank submissions.",
    epilog=examples(
        "semaniacs evaluate TEAM --task sts2016 --data DIR     one team's folder or zip",
        "semaniacs evaluate TEAMS --task sts2016 --data DIR    a folder of teams: a ranking",
        "semaniacs evaluate TEAMS --gold STS.gs.news.txt --pairwise",
        "semaniacs evaluate a.csv b.csv --gold gold.csv --gold-column gold --id id",
        "semaniacs evaluate TEAMS --task paws-wiki --data DIR --threshold 2.5",
    ),
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
    type=click.Choice(["table", "tsv", "jsonl"]),
    default="table",
    help="Format of the output; tsv and jsonl: one line per submission.",
)
@output_option()
def evaluate(
    systems: tuple[Path, ...],
    task: str | None,
    data: Path | None,
    gold: Path | None,
    gold_column: str | None,
    score_column: str | None,
    id_: str | None,
    labels: bool,
    threshold: float | None,
    pairwise: bool,
    keep_going: bool,
    resamples: int,
    seed: int,
    shown_as: str,
    output: Path | None,
) -> None:
    """Score submissions as the official scorer does, and rank them.

    File names are those that the organisers ask for: they end in .NAME.txt, with the name of a
    data set. A file has one score per line. Intervals and p-values come from a bootstrap over the
    pairs; p-values are corrected for the number of comparisons (Holm). With labels, paraphrase or
    not, submissions are ranked by AUC instead of correlation.
    """
    from runs.report import evaluation, labelled_evaluation
    from sts.files import check_writable, write_lines
    from sts.progress import note
    from sts.scoring.shared_task.gold_standard import open_gold
    from sts.scoring.shared_task.labelled_leaderboard import rank_labelled
    from sts.scoring.shared_task.leaderboard import rank, too_few_resamples
    from sts.scoring.shared_task.system_files import find_submissions, read_submissions

    if output is not None:
        check_writable(output.parent)
    standard = open_gold(task, data, gold, gold_column, score_column, id_, labels=labels)
    if threshold is not None and not standard.labelled:
        raise StsError("--threshold is for labels; the gold has grades (or type --labels too)")
    found = find_submissions(systems, standard)
    submissions, scores = read_submissions(found, standard, keep_going=keep_going)
    if pairwise and len(submissions) < 2:
        raise StsError("--pairwise compares submissions; name two or more")
    others = len(submissions) - 1
    compared = others * (others + 1) // 2 if pairwise else others
    if warning := too_few_resamples(compared, resamples):
        note(f"warning: {warning}")
    drawn = {"resamples": resamples, "seed": seed}
    if standard.labelled:
        at = math.inf if threshold is None else threshold
        labelled = rank_labelled(scores, standard.labels, at, **drawn)
        page = labelled_evaluation.as_text(standard.name, labelled, submissions, pairwise=pairwise)
        records = labelled_evaluation.records(labelled, submissions, pairwise=pairwise)
    else:
        board = rank(scores, standard.scores, **drawn)
        page = evaluation.as_text(standard.name, board, submissions, pairwise=pairwise)
        records = evaluation.records(board, submissions, pairwise=pairwise)
    if shown_as != "table":
        page = (evaluation.as_tsv if shown_as == "tsv" else evaluation.as_jsonl)(records)
    if output is None:
        click.echo(page)
    else:
        write_lines(output, page.split("\n"))
