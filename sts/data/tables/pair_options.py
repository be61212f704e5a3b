"""The options of commands that read pairs from a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from sts.command_line import (
    delimiter_option,
    input_format_option,
    left_option,
    option,
    right_option,
)
from sts.data.tables.table_kinds import KINDS

Command = Callable[..., Any]


def table_options(command: Command, **format_settings: Any) -> Command:
    """Add the options that say how a table is read: ``read_as``, ``delimiter`` and ``header``."""
    for add in (
        input_format_option("read_as", type=click.Choice(KINDS), **format_settings),
        delimiter_option(),
        option("--header/--no-header", default=None,
               help="Whether CSV or TSV begins with a header (default: detected)."),
    ):  # fmt: skip
        command = add(command)
    return command


def pair_options(command: Command, **format_settings: Any) -> Command:
    """Add the options of a table of pairs: ``left``, ``right`` and those of a table.

    Args:
        command: gets the options.
        **format_settings: those of ``--input-format`` that differ from the usual ones.
    """
    return left_option()(right_option()(table_options(command, **format_settings)))
