"""``semaniacs verify``: a result is made again and compared."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(
    epilog="""\b
Examples:
  semaniacs verify output/sts2016/fusion/results.json --data DIR
  semaniacs verify runs/results/sts2016.raw.json --data DIR"""
)
@click.argument("files", type=Path, nargs=-1, required=True)
@click.option("--data", type=Path, help="Folder with the official files (also: STS_DATA).")
@click.option("--within", default=0.0, show_default=True, type=click.FloatRange(0, 1),
              help="On another processor: figures may be so far apart, trained encoders others.")  # fmt: skip
def verify(files: tuple[Path, ...], data: Path | None, within: float) -> None:
    """Make results again, and compare hashes.

    FILES are results.json, beside which the files of scores are compared too, or files of the
    published table. Exit code 2 says that one is not the same.
    """
    from runs.tables.made_again import check_made_again

    for path in files:
        print(*check_made_again(path, data, within), sep="\n")
