"""The options of commands that read pairs from a table."""

from __future__ import annotations

import argparse

from sts.command_line import one_character
from sts.data.tables.pair_table import PairColumns
from sts.data.tables.table_kinds import KINDS

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
