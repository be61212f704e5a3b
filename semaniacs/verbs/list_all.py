"""``semaniacs list``: runs, tasks, and which data is here."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(
    "list",
    epilog="""\b
Examples:
  semaniacs list
  semaniacs list --data DIR""",
)
@click.option("--data", type=Path, help="Folder with the official files (also: STS_DATA).")
def list_all(data: Path | None) -> None:
    """Show runs, tasks, and which data is here."""
    from semaniacs.submit import show_list

    show_list(data)
