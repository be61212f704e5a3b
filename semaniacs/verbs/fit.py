"""``semaniacs fit``: regressors for labelled pairs of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from semaniacs.verbs.shared_options import model_option, table_options
from sts.errors import StsError


@click.command(
    short_help="Fit a model to labelled pairs of your own.",
    epilog="""\b
Example:
  semaniacs fit labelled.csv --left a --right b --gold similarity -o my-scorer
  semaniacs score pairs.csv --model my-scorer""",
)
@click.argument("file")
@click.option("--gold", required=True, help="Column of the similarity, from 0 to 5.")
@click.option("-o", "--output", required=True, type=Path, help="Folder for the fitted scorer.")
@model_option
@table_options
@click.option("--folds", default=5, show_default=True, type=click.IntRange(2),
              help="Of the cross-validation.")  # fmt: skip
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0),
              help="Of the folds and of the fit.")  # fmt: skip
def fit(
    file: str, gold: str, output: Path, model: str, folds: int, seed: int, **options: Any
) -> None:
    """Fit the regressors of a model to labelled pairs of your own, and say how well they fit.

    The correlations are those of a cross-validation: no pair is scored by what it was fitted to.
    """
    from runs.scorer import load
    from sts.data.tables import find_columns, kind_of, read_blocks
    from sts.files import check_writable

    check_writable(output)
    left: list[Any] = []
    right: list[Any] = []
    scores: list[Any] = []
    for block in read_blocks(file, options["read_as"] or kind_of(file), header=options["header"]):
        names = find_columns(file, block.columns, options["left"], options["right"])
        if gold not in block.columns:
            raise StsError(
                f"{file}: no column {gold!r} for --gold; it has {', '.join(block.columns)}"
            )
        left += block.column(names[0])
        right += block.column(names[1])
        scores += map(_number, block.column(gold))
    fitted = load(model).fit(left, right, scores, folds=folds, seed=seed)
    fitted.save(output)
    click.echo(fitted.report)


def _number(cell: Any) -> Any:
    """A cell of text as a number; what is none stays as it is, to be named as an error."""
    try:
        return float(cell)
    except (TypeError, ValueError):
        return cell
