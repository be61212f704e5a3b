"""``semaniacs reproduce``: the paper's runs, beside the paper's figures."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(
    short_help="Make the paper's four runs, and one table beside the paper's.",
    epilog="""\b
Examples:
  semaniacs reproduce sample
  semaniacs reproduce sts2016 --data DIR""",
)
@click.argument("task", default="sts2016")
@click.option("--data", type=Path, help="Folder with the official files (also: STS_DATA).")
@click.option("-o", "--output", type=Path, default=Path("output"), show_default=True,
              help="Folder for the files of the runs and for the picture.")  # fmt: skip
def reproduce(task: str, data: Path | None, output: Path) -> None:
    """Make the runs of Hokamp and Arora (2016): raw, task-internal, synthetic and fusion-gbr.

    TASK is sts2016 (default), sample, or another that semaniacs list shows. The table has our
    figures beside the paper's; OUTPUT/TASK/reproduction.png shows both.
    """
    from runs.tables.reproduction import reproduce as make_runs
    from sts.extras import require
    from sts.files import check_writable, write_bytes
    from sts.progress import note

    require("matplotlib")
    check_writable(output)
    made = make_runs(task, data, output)
    picture = output / made.task.name / "reproduction.png"
    write_bytes(picture, made.picture())
    click.echo(str(made))
    note(f"written to {picture.parent}")
