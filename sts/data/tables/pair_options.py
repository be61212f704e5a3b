"""The options of commands that read pairs from a table."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import click

from sts.command_line import (
    delimiter_option,
    input_format_option,
    left_option,
    one_character,
    option,
    right_option,
)
from sts.data.tables.pair_table import PairColumns
from sts.data.tables.table_kinds import KINDS

Command = Callable[..., Any]


def table_options(command: Command) -> Command:
    """Add the options that say how a table is read: ``read_as``, ``delimiter`` and ``header``."""
    for add in (
        input_format_option("read_as", type=click.Choice(KINDS)),
        delimiter_option(),
        option("--header/--no-header", default=None,
               help="Whether CSV or TSV begins with a header (default: detected)."),
    ):  # fmt: skip
        command = add(command)
    return command


def pair_options(command: Command) -> Command:
    """Add the options of a table of pairs: ``left``, ``right`` and those of a table."""
    return left_option()(right_option()(table_options(command)))


TABLES = "TSV, CSV, JSONL or Parquet, by its name; gzip too"


def add_pair_columns(parser: argparse.ArgumentParser, *, gold: bool, read_as: bool) -> None:
    """Add the options of :class:`.PairColumns`.

    Args:
        parser: of the command.
        gold: whether there is a column of gold.
        read_as: whether ``--from`` names the format; not where it names a model.
    """
    group = parser.add_argument_group("of a table")
    group.add_argument("--left", metavar="COL", help="column of the left sentences")
    group.add_argument("--right", metavar="COL", help="column of the right sentences")
    if gold:
        group.add_argument("--gold", metavar="COL", help="column of the gold")
    add_format(group, read_as=read_as)


def add_format(parser: argparse._ActionsContainer, *, read_as: bool = True) -> None:
    """Add the options of how a table is read, see :func:`add_pair_columns`."""
    parser.add_argument("--header", action=argparse.BooleanOptionalAction,
        help="whether CSV or TSV begins with names (default: look)")  # fmt: skip
    parser.add_argument("--delimiter", type=one_character, metavar="CHARACTER",
        help="between the cells of CSV (default: a comma, or a semicolon if there is none)")  # fmt: skip
    if read_as:
        parser.add_argument("--from", dest="read_as", choices=KINDS,
            help="format of FILE (default: by its name)")  # fmt: skip


def pair_columns(options: argparse.Namespace) -> PairColumns:
    """What was typed of them."""
    read_as = getattr(options, "read_as", None)
    return PairColumns(options.left, options.right, options.header, options.delimiter, read_as)
