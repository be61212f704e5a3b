"""``semaniacs score``: a pair, or a table of pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from semaniacs.verbs.shared_options import check_sentences, note_thresholds, sides_option
from sts.command_line import (
    FINITE,
    examples,
    format_option,
    jobs_option,
    model_option,
    output_option,
)
from sts.data.tables.pair_options import pair_options
from sts.errors import DataError


@click.command(
    short_help="Score two sentences, or a table of pairs.",
    epilog=examples(
        'semaniacs score "A dog runs." "A dog is running."',
        "semaniacs score pairs.tsv                        two columns: one score per line",
        "semaniacs score pairs.csv --left a --right b     all columns, and the score",
        "semaniacs score big.jsonl.gz -o scored.parquet --empty nan --jobs 2",
        "cat pairs.tsv | semaniacs score - --model contextual",
        "semaniacs score pairs.csv --interval             adds the columns low and high",
        "semaniacs score de-en.tsv --model bitext-teacher --languages de en",
    ),
)
@click.argument("texts", nargs=-1, required=True, metavar="LEFT RIGHT | FILE")
@model_option()
@pair_options
@click.option("--id", "id_", metavar="COLUMN", help="The only column to keep beside the score.")
@format_option(
    "write_as",
    type=click.Choice(["table", "tsv", "csv", "jsonl", "parquet"]),
    help="Format of the output (default: from its name, or as the input).",
)
@output_option(type=str, help="Output file, written when all pairs are scored (default: stdout).")
@click.option("--name", default="score", help="Name of the new column.")
@click.option(
    "--digits", default=4, type=click.IntRange(0, 17), help="Digits after the decimal point."
)
@click.option(
    "--empty",
    type=click.Choice(["error", "nan", "zero"]),
    default="error",
    help="Score of a pair with a blank sentence.",
)
@click.option(
    "--interval",
    is_flag=False,
    flag_value=0.9,
    type=FINITE,
    metavar="[LEVEL]",
    help="Add low and high columns: an interval that contains the human score with this "
    "probability (0.5–0.98, default 0.9).",
)
@click.option(
    "--calibration",
    type=Path,
    metavar="FILE",
    help="File that semaniacs calibrate wrote: maps the scores, and adds its decision as a column.",
)
@jobs_option(help="Number of processes for a large FILE, at most one per core.")
@sides_option
def score(
    texts: tuple[str, ...],
    model: str,
    id_: str | None,
    output: str | None,
    interval: float | None,
    calibration: Path | None,
    jobs: int,
    **options: Any,
) -> None:
    """Score two sentences, or every pair of a FILE (TSV, CSV, JSONL, Parquet; - is stdin).

    0 is unrelated, 5 the same meaning. Rows, order and other columns stay as they are.
    """
    from runs.pipeline.score_columns import Calibration, ScoreColumns
    from runs.score_table import TableOptions, score_table
    from runs.scorer import load

    without = "Go on without it with --empty nan or --empty zero"
    check_sentences(texts, advice=without if options["empty"] == "error" else None)
    if len(texts) == 1 and " " in texts[0] and not Path(texts[0]).exists():
        raise DataError(f"{texts[0]}: no such file; to compare two sentences, give both")
    scorer = load(model)
    note_thresholds(scorer)
    languages = options["languages"] or None
    own = Calibration.of(calibration, scorer.model, scorer.source)
    beside = ScoreColumns.of(scorer.model, interval, own)
    if len(texts) == 2:
        left, right = ([text] for text in texts)
        seen = scorer.watch()
        scores = scorer.score_counting(
            left, right, seen, languages=languages, empty=options["empty"]
        )
        values = [column[0].item() for column in beside.named(options["name"], scores).values()]
        shown = (str(v) if isinstance(v, int) else f"{v:.{options['digits']}f}" for v in values)
        click.echo("\t".join(shown))
        seen.note(scorer.name, "--languages")
        return
    wanted = TableOptions(**(options | {"id": id_, "languages": languages, "beside": beside}))
    with scorer.parallel(jobs) as several:
        score_table(several, texts[0], output, wanted, progress=True)
