"""``semaniacs fit``: regressors for the user's own labelled pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sts.command_line import examples, model_option, output_option, seed_option
from sts.data.tables.pair_options import pair_options
from sts.errors import StsError


@click.command(
    short_help="Fit a model to your own labelled pairs.",
    epilog=examples(
        "semaniacs fit labelled.csv --left a --right b --gold similarity -o my-scorer",
        "semaniacs score pairs.csv --model my-scorer",
    ),
)
@click.argument("file")
@click.option(
    "--gold", required=True, metavar="COLUMN", help="Column of the similarity, from 0 to 5."
)
@output_option(required=True, help="Folder to write the fitted scorer to.")
@click.option("--overwrite", is_flag=True, help="Replace the scorer in that folder.")
@model_option()
@pair_options
@click.option(
    "--folds", default=5, type=click.IntRange(2), help="Number of folds of the cross-validation."
)
@seed_option(help="Random seed of the folds and of the fit.")
def fit(
    file: str,
    gold: str,
    output: Path,
    overwrite: bool,
    model: str,
    folds: int,
    seed: int,
    **options: Any,
) -> None:
    """Fit the regressors of a model to your own labelled pairs, and report how well they fit.

    The correlations are out-of-fold: each pair is scored by a model that was not fitted to it.
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
    """Refuse to replace anything but a scorer of the same run, and that only with --overwrite."""
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
