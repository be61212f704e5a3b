"""``semaniacs score``: a pair, or a table of pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from semaniacs.verbs.shared_options import languages_option, model_option, table_options
from semaniacs.verbs.two_sentences import check_sentences
from sts.errors import DataError


@click.command(
    short_help="Score two sentences, or a table of pairs.",
    epilog="""\b
Examples:
  semaniacs score "A dog runs." "A dog is running."
  semaniacs score pairs.tsv                        two columns: a score a line
  semaniacs score pairs.csv --left a --right b     all columns, and the score
  semaniacs score big.jsonl.gz -o scored.parquet --empty nan --jobs 2
  cat pairs.tsv | semaniacs score - --model contextual
  semaniacs score pairs.csv --interval             and columns of low and high
  semaniacs score de-en.tsv --model bitext-teacher --languages de en""",
)
@click.argument("texts", nargs=-1, required=True, metavar="LEFT RIGHT | FILE")
@model_option
@table_options
@click.option("--id", "id_", help="Keep this column alone beside the score.")
@click.option("--to", "--format", "write_as",
              type=click.Choice(["table", "tsv", "csv", "jsonl", "parquet"]),
              help="Format of the output (default: by its name, or as the input).")  # fmt: skip
@click.option("-o", "--output", help="File; it appears when all is scored (default: stdout).")
@click.option("--name", default="score", show_default=True, help="Name of the new column.")
@click.option("--digits", default=4, show_default=True, type=click.IntRange(0, 17),
              help="Digits after the point.")  # fmt: skip
@click.option("--empty", type=click.Choice(["error", "nan", "zero"]), default="error",
              show_default=True, help="What a pair with a blank sentence gets.")  # fmt: skip
@click.option("--interval", is_flag=False, flag_value=0.9, type=float, metavar="[LEVEL]",
              help="Add columns of the bounds between which so many of people's scores lie, .5 to .98 "
              "(default: .9).")  # fmt: skip
@click.option("--calibration", type=Path,
              help="What semaniacs calibrate wrote: its map, and its decision as a column.")  # fmt: skip
@click.option("--jobs", default=1, show_default=True, type=click.IntRange(1),
              help="Processes that share a large FILE, one a core at most.")  # fmt: skip
@languages_option
def score(
    texts: tuple[str, ...], model: str, id_: str | None, output: str | None,
    interval: float | None, calibration: Path | None, jobs: int, **options: Any,
) -> None:  # fmt: skip
    """Score two sentences, or every pair of a FILE (TSV, CSV, JSONL, Parquet; - is stdin).

    0 is unrelated, 5 the same meaning. Rows, order and other columns stay as they are.
    """
    from runs.pipeline.own_pairs import note_thresholds
    from runs.pipeline.score_columns import Calibration, ScoreColumns
    from runs.score_table import TableOptions, score_table
    from runs.scorer import load

    without = "Go on without it with --empty nan or --empty zero"
    check_sentences(texts, advice=without if options["empty"] == "error" else None)
    if len(texts) == 1 and " " in texts[0] and not Path(texts[0]).exists():
        raise DataError(f"{texts[0]}: no such file; to compare two sentences, give both")
    scorer = load(model)
    note_thresholds(scorer.model)
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
