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
@click.option("--overwrite", is_flag=True, help="Replace the scorer that stands there.")
@model_option
@table_options
@click.option("--folds", default=5, show_default=True, type=click.IntRange(2),
              help="Of the cross-validation.")  # fmt: skip
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0),
              help="Of the folds and of the fit.")  # fmt: skip
def fit(
    file: str, gold: str, output: Path, overwrite: bool, model: str, folds: int, seed: int,
    **options: Any,
) -> None:  # fmt: skip
    """Fit the regressors of a model to labelled pairs of your own, and say how well they fit.

    The correlations are those of a cross-validation: no pair is scored by what it was fitted to.
    """
    from runs.scorer import load
    from sts.data.tables.pair_table import PairColumns, read_graded
    from sts.files import check_writable

    check_writable(output)
    scorer = load(model)
    _check_free(output, scorer.name, overwrite=overwrite)
    pairs = read_graded(file, PairColumns(**options), gold, of_task=True, option="--from")
    fitted = scorer.fit(pairs.left, pairs.right, pairs.gold, folds=folds, seed=seed)
    fitted.save(output)
    click.echo(fitted.report)


def _check_free(folder: Path, run: str, *, overwrite: bool) -> None:
    """Refuse to replace anything but a scorer of the same run, and that only where it is wanted."""
    from runs.recipes.by_name import run_in

    if not folder.is_dir() or not any(folder.iterdir()):
        return
    try:
        there = run_in(folder)
    except StsError:
        raise StsError(f"{folder}: stands there and is no scorer; name another folder") from None
    if there != run:
        raise StsError(f"{folder}: a scorer by {there} stands there; name another folder")
    if not overwrite:
        raise StsError(
            f"{folder}: a scorer stands there; name another folder, or replace it with --overwrite"
        )
