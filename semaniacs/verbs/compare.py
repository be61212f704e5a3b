"""``semaniacs compare``: whether one of two submissions is better."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(
    epilog="""\b
Examples:
  semaniacs compare output/sts2016/fusion output/sts2016/raw --data DIR
  semaniacs compare THEIRS OURS --task sts2016 --data DIR"""
)
@click.argument("a", type=Path)
@click.argument("b", type=Path)
@click.option("--task", help="Data sets; see: semaniacs list (default: as the folders say).")
@click.option("--data", type=Path, help="Folder with the official files (also: STS_DATA).")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0),
              help="Of the resamples.")  # fmt: skip
@click.option("-o", "--output", type=Path, help="File (default: stdout).")
def compare(
    a: Path, b: Path, task: str | None, data: Path | None, seed: int, output: Path | None
) -> None:
    """Say whether one submission is better.

    A and B are folders of official files, any team's. Both are scored on the same resampled
    pairs; for more than two see: semaniacs evaluate.
    """
    from runs.report.comparison import compare as compare_folders
    from runs.report.comparison import comparison_text
    from semaniacs.submit import check_output_file, show

    check_output_file(output)
    compared = compare_folders(a, b, task, data, seed)
    show(comparison_text(compared).split("\n"), output)
