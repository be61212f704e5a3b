"""``semaniacs calibrate``: scores on a person's own scale, and a threshold with a guarantee."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from semaniacs.verbs.shared_options import model_option, table_options


@click.command(
    short_help="Calibrate scores, or find a threshold, on your own labels.",
    epilog="""\b
Examples:
  semaniacs calibrate labelled.csv --gold similarity -o calibration.json
  semaniacs calibrate labelled.csv --gold same --precision 0.95 -o calibration.json
  semaniacs score pairs.csv --calibration calibration.json --interval""",
)
@click.argument("file")
@click.option(
    "--gold", required=True, help="Column of the similarity from 0 to 5, or of labels 0 and 1."
)
@click.option("-o", "--output", required=True, type=Path, help="JSON file of the calibration.")
@click.option("--precision", type=float, help="Share of right pairs above the threshold.")
@click.option("--confidence", default=0.9, show_default=True, type=float,
              help="How probably the threshold has it.")  # fmt: skip
@click.option("--right-from", type=float, metavar="SCORE",
              help="With gold from 0 to 5: the gold from which a pair is right.")  # fmt: skip
@model_option
@table_options
def calibrate(
    file: str, gold: str, output: Path, precision: float | None, confidence: float,
    right_from: float | None, model: str, **options: Any,
) -> None:  # fmt: skip
    """Calibrate the scores of a model on labelled pairs of your own.

    Gold from 0 to 5 gives a map from scores to your scale, and intervals for score --interval; labels
    of 0 and 1 give a threshold from which pairs are right with the precision that you want. Too few
    labels are refused.
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
        calibrated_name(scorer.model, scorer.source), pairs, scores,
        precision=precision, confidence=confidence, right_from=right_from,
    )  # fmt: skip
    found.save(output)
    click.echo(found.report)
