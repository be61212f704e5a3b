"""Options that several verbs share."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable

import click

from sts.command_line import one_character
from sts.data.tables.table_kinds import KINDS

Command = Callable[..., None]


def model_option(command: Command) -> Command:
    """The option of the model that scores."""
    return click.option(
        "-m", "--model", default="fusion", show_default=True,
        help="A run that ships fitted (see: semaniacs list), or a folder that fit wrote.",
    )(command)  # fmt: skip


def _one_character(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    try:
        return None if value is None else one_character(value)
    except ArgumentTypeError as error:
        raise click.BadParameter(str(error)) from None


delimiter_option = click.option(
    "--delimiter", callback=_one_character, metavar="CHARACTER",
    help="Between the cells of CSV (default: a comma, or a semicolon if the first line has no comma).",
)  # fmt: skip
"""The option of what stands between cells."""


def table_options(command: Command) -> Command:
    """The options of a table of pairs."""
    for option in (
        click.option("--left", help="Column of the left sentences."),
        click.option("--right", help="Column of the right sentences."),
        click.option("--header/--no-header", default=None,
                     help="Whether CSV or TSV begins with names (default: look)."),
        delimiter_option,
        click.option("--from", "read_as", type=click.Choice(KINDS),
                     help="Format of the input (default: by its name)."),
    ):  # fmt: skip
        command = option(command)
    return command


def languages_option(command: Command) -> Command:
    """The option of the languages of both sides."""
    return click.option(
        "--languages", nargs=2, metavar="LEFT RIGHT",
        help="Languages of the sides, for a model of several: de en; auto identifies that of each "
        "sentence, as happens where none is named.",
    )(command)  # fmt: skip
