"""``semaniacs verify``: reproduce a recorded result and compare it."""

from __future__ import annotations

from pathlib import Path

import click

from sts.command_line import data_option, examples


@click.command(
    epilog=examples(
        "semaniacs verify output/sts2016/fusion/results.json --data DIR",
        "semaniacs verify runs/results/sts2016.raw.json --data DIR",
    )
)
@click.argument("files", type=Path, nargs=-1, required=True)
@data_option()
@click.option(
    "--within",
    default=0.0,
    type=click.FloatRange(0, 1),
    help="Largest allowed difference between figures, for another processor.",
)
def verify(files: tuple[Path, ...], data: Path | None, within: float) -> None:
    """Reproduce recorded results, and compare their hashes.

    FILES are results.json, with the files of scores beside them, or files of the published table.
    The exit code is 2 if one differs.
    """
    from runs.tables.made_again import check_made_again

    for path in files:
        print(*check_made_again(path, data, within), sep="\n")
