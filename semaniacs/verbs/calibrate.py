"""``semaniacs calibrate``: scores on a person's own scale, and a threshold with a guarantee."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sts.command_line import FINITE, examples, model_option, output_option
from sts.data.tables.pair_options import pair_options


@click.command(
    short_help="Calibrate scores, or find a threshold, on your own labels.",
    epilog=examples(
        "semaniacs calibrate labelled.csv --gold similarity -o calibration.json",
        "semaniacs calibrate labelled.csv --gold same --precision 0.95 -o calibration.json",
        "semaniacs score pairs.csv --calibration calibration.json --interval",
    ),
)
@click.argument("file")
@click.option(
    "--gold",
    required=True,
    metavar="COLUMN",
    help="Column of the similarity from 0 to 5, or of labels 0 and 1.",
)
@output_option(required=True, help="JSON file to write.")
@click.option("--precision", type=FINITE, help="Precision of the pairs above the threshold.")
@click.option(
    "--confidence",
    default=0.9,
    type=FINITE,
    help="Probability that the threshold reaches this precision.",
)
@click.option(
    "--right-from",
    type=FINITE,
    metavar="SCORE",
    help="With gold from 0 to 5: lowest gold of a right pair.",
)
@model_option()
@pair_options
def calibrate(
    file: str,
    gold: str,
    output: Path,
    precision: float | None,
    confidence: float,
    right_from: float | None,
    model: str,
    **options: Any,
) -> None:
    """Calibrate the scores of a model on your own labelled pairs.

    Gold from 0 to 5 gives a map from scores to your scale, and intervals for score --interval.
    Labels of 0 and 1 give a threshold; the pairs above it are right with the requested precision.
    Too few labels are an error.
    """
    from runs.pipeline.score_columns import calibrate as calibrate_pairs
    from runs.pipeline.score_columns import calibrated_name
    from runs.scorer import load
    from sts.data.tables.pair_table import PairColumns, read_graded
    from sts.files import check_distinct, check_writable
    from sts.progress import note

    check_writable(output.parent)
    check_distinct(file, output)
    scorer = load(model)
    if scorer.source != scorer.name:
        note(
            f"{model}: on the pairs that it was fitted to it errs less than on others; give others"
        )
    pairs = read_graded(file, PairColumns(**options), gold, of_task=True, option="--from")
    scores = scorer.score(pairs.left, pairs.right, progress=True)
    found = calibrate_pairs(
        calibrated_name(scorer.model, scorer.source),
        pairs,
        scores,
        precision=precision,
        confidence=confidence,
        right_from=right_from,
    )
    found.save(output)
    click.echo(found.report)
