"""``semaniacs evaluate``: the official scores of files that others hand in."""

from __future__ import annotations

import math
from pathlib import Path

import click

from sts.errors import StsError


@click.command(
    short_help="Score what teams hand in, and rank them.",
    epilog="""\b
Examples:
  semaniacs evaluate TEAM --task sts2016 --data DIR     one team's folder or zip
  semaniacs evaluate TEAMS --task sts2016 --data DIR    a folder of teams: a ranking
  semaniacs evaluate TEAMS --gold STS.gs.news.txt --pairwise
  semaniacs evaluate a.csv b.csv --gold gold.csv --gold-column gold --id id
  semaniacs evaluate TEAMS --task paws-wiki --data DIR --threshold 2.5""",
)
@click.argument("systems", nargs=-1, required=True, type=Path, metavar="FILE | FOLDER | ZIP ...")
@click.option("--task", help="A task of the catalogue; see: semaniacs list.")
@click.option("--data", type=Path, help="Folder with the official files (also: STS_DATA).")
@click.option("--gold", type=Path,
              help="Your own gold: an official file, a folder of *.gs.NAME.txt, or a table.")  # fmt: skip
@click.option("--gold-column", help="Column of the gold scores, where --gold is a table.")
@click.option("--score-column",
              help="Column of the scores in the tables of the teams (default: score, or the only one).")  # fmt: skip
@click.option("--id", "id_", help="Column of both tables by which scores find their pairs.")
@click.option("--labels", is_flag=True,
              help="The gold is two classes, the higher number for paraphrases: rank by AUC.")  # fmt: skip
@click.option("--threshold", type=float,
              help="Score from which a pair of labelled gold is taken for a paraphrase.")  # fmt: skip
@click.option("--pairwise", is_flag=True, help="Compare every two instead of all with the best.")
@click.option("--keep-going", is_flag=True,
              help="Rank the others where a submission is broken.")  # fmt: skip
@click.option("--resamples", default=10_000, show_default=True, type=click.IntRange(100),
              help="Of the pairs, for intervals and p-values.")  # fmt: skip
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0),
              help="Of the resamples.")  # fmt: skip
@click.option("--format", "shown_as", type=click.Choice(["table", "tsv", "jsonl"]),
              default="table", show_default=True, help="For people, or a line a submission.")  # fmt: skip
@click.option("-o", "--output", type=Path, help="File (default: stdout).")
def evaluate(
    systems: tuple[Path, ...], task: str | None, data: Path | None, gold: Path | None,
    gold_column: str | None, score_column: str | None, id_: str | None, labels: bool,
    threshold: float | None, pairwise: bool, keep_going: bool, resamples: int, seed: int,
    shown_as: str, output: Path | None,
) -> None:  # fmt: skip
    """Score what teams hand in, as the official scorer does, and rank many of them.

    Files are named as the organisers ask: anything that ends in .NAME.txt with the name of a data
    set, one score a line. Intervals and p-values come from a bootstrap over the pairs; p-values
    are corrected for the number of comparisons (Holm). Where gold is labels, paraphrase or not,
    AUC takes the place of the correlation.
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
