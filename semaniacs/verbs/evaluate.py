"""``semaniacs evaluate``: the official scores of files that others hand in."""

from __future__ import annotations

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
  semaniacs evaluate a.csv b.csv --gold gold.csv --gold-column gold --id id""",
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
    gold_column: str | None, score_column: str | None, id_: str | None, pairwise: bool,
    keep_going: bool, resamples: int, seed: int, shown_as: str, output: Path | None,
) -> None:  # fmt: skip
    """Score what teams hand in, as the official scorer does, and rank many of them.

    Files are named as the organisers ask: anything that ends in .NAME.txt with the name of a data
    set, one score a line. Intervals and p-values come from a bootstrap over the pairs; p-values
    are corrected for the number of comparisons (Holm).
    """
    from runs.report import evaluation
    from sts.files import check_writable, write_lines
    from sts.progress import note
    from sts.scoring.gold_standard import open_gold
    from sts.scoring.leaderboard import rank, too_few_resamples
    from sts.scoring.system_files import find_submissions, read_submissions

    if output is not None:
        check_writable(output.parent)
    standard = open_gold(task, data, gold, gold_column, score_column, id_)
    found = find_submissions(systems, standard)
    submissions, scores = read_submissions(found, standard, keep_going=keep_going)
    if pairwise and len(submissions) < 2:
        raise StsError("--pairwise compares submissions; name two or more")
    others = len(submissions) - 1
    compared = others * (others + 1) // 2 if pairwise else others
    if warning := too_few_resamples(compared, resamples):
        note(f"warning: {warning}")
    board = rank(scores, standard.scores, resamples=resamples, seed=seed)
    if shown_as == "table":
        text = evaluation.as_text(standard.name, board, submissions, pairwise=pairwise)
    else:
        records = evaluation.records(board, submissions, pairwise=pairwise)
        text = evaluation.as_tsv(records) if shown_as == "tsv" else evaluation.as_jsonl(records)
    if output is None:
        click.echo(text)
    else:
        write_lines(output, text.split("\n"))
