"""``semaniacs reproduce``: the paper's runs, beside the paper's figures."""

from __future__ import annotations

from pathlib import Path

import click

from sts.command_line import data_option, examples, output_option


@click.command(
    short_help="Reproduce the paper's runs in one table beside the paper's.",
    epilog=examples("semaniacs reproduce sample", "semaniacs reproduce sts2016 --data DIR"),
)
@click.argument("task", default="sts2016")
@data_option()
@output_option(default=Path("output"), help="Folder for the files of the runs and for the picture.")
def reproduce(task: str, data: Path | None, output: Path) -> None:
    """Reproduce the runs of Hokamp and Arora (2016): raw, task-internal, synthetic and fusion-gbr.

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
