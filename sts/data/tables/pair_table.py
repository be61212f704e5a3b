"""Pairs of sentences in a table of any format, block by block; with gold, as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sts.data.pairs import Pairs
from sts.data.tables.table_cells import find_columns, finite, gold_in, sentences_in
from sts.data.tables.table_kinds import kind_of, listed
from sts.data.tables.table_reader import BLOCK, Block, read_blocks
from sts.data.texts import is_number
from sts.errors import DataError, StsError

GOLD = ("gold", "score", "similarity", "label")
"""Names of a column of gold that are understood without being told."""

LEAVE_OUT = "Leave its row out"


@dataclass(frozen=True)
class PairColumns:
    """Where the pairs of a table stand, and how it is read.

    Attributes:
        left, right: names of the columns of sentences; None finds them, see
            :func:`.table_cells.find_columns`.
        header: whether CSV or TSV begins with names; None looks at the first line.
        delimiter: between the cells of CSV; None looks at the first line.
        read_as: format; None goes by the name of the file.
    """

    left: str | None = None
    right: str | None = None
    header: bool | None = None
    delimiter: str | None = None
    read_as: str | None = None

    def blocks(
        self, path: str, size: int = BLOCK, option: str | None = "--from", also: str | None = None
    ) -> Iterator[Block]:
        """The rows of a table, ``size`` at a time.

        Args:
            path: a file, or ``-`` for stdin.
            size: of a block.
            option: see :func:`.table_kinds.kind_of`.
            also: another column that is asked for.

        Raises:
            DataError, StsError: the file cannot be read.
        """
        kind = self.read_as or kind_of(path, option)
        named = [name for name in (self.left, self.right, also) if name is not None]
        return read_blocks(
            path, kind, header=self.header, size=size, delimiter=self.delimiter, named=named
        )


class PairBlock(NamedTuple):
    """Some pairs of a table: their n rows, and both sentences of each, "" where one is missing."""

    rows: Block
    left: list[str]
    right: list[str]


def pair_blocks(
    path: str,
    where: PairColumns,
    *,
    advice: str | None = LEAVE_OUT,
    size: int = BLOCK,
    option: str | None = "--from",
    also: str | None = None,
) -> Iterator[PairBlock]:
    """The pairs of a table, ``size`` at a time, in order.

    Args:
        path: a file, or ``-`` for stdin.
        where: the columns.
        advice: what to do about a missing sentence; None where one may be missing.
        size: of a block.
        option: see :func:`.table_kinds.kind_of`.
        also: another column that is asked for.

    Raises:
        DataError: the file is damaged or has no pair, or a sentence is missing; the line is named.
        StsError: a column is not there, or it is not plain which ones are meant.
    """
    block = None
    for block in where.blocks(path, size, option, also):
        names = find_columns(path, block.columns, where.left, where.right)
        yield PairBlock(block, *sentences_in(path, block, names, advice=advice))
    if block is None:
        raise _no_pair(path)


def _no_pair(path: str) -> DataError:
    return DataError(
        f"{path}: names of columns and no pair; if its first line is a pair, say --no-header"
    )


def read_graded(
    path: str,
    where: PairColumns,
    gold: str | None = None,
    *,
    of_task: bool = False,
    option: str | None = None,
    without: str = "",
) -> Pairs:
    """The pairs of a table with their gold.

    Args:
        path: a file, or ``-`` for stdin.
        where: the columns of sentences.
        gold: column of the numbers; None: see :func:`gold_column`.
        of_task: whether they are to be from 0 to 5; otherwise they are on any scale.
        option: see :func:`.table_kinds.kind_of`.
        without: what to do where there is no gold, for the error.

    Raises:
        DataError: the file is damaged or has no pair, a sentence is missing, or gold is no such
            number; the line is named.
        StsError: a column is not there, or it is not plain which ones are meant.
    """
    left: list[str] = []
    right: list[str] = []
    values: list[float] = []
    for block in where.blocks(path, option=option, also=gold):
        if gold is None:
            gold = gold_column(path, block, where, without)
        values += gold_in(path, block, gold) if of_task else _numbers(path, block, gold)
        others = [name for name in block.columns if name != gold]
        names = find_columns(path, others, where.left, where.right)
        sides = sentences_in(path, block, names, advice=LEAVE_OUT)
        left += sides[0]
        right += sides[1]
    if not values:
        raise _no_pair(path)
    return Pairs(path, tuple(left), tuple(right), np.array(values))


def gold_column(path: str, block: Block, where: PairColumns, without: str = "") -> str:
    """The name of the column of gold where none was given: one of :data:`GOLD`.

    Where columns have no names it is the third of three; the first if that holds a number and the
    third does not.

    Args:
        path: the file, for errors.
        block: its first rows.
        where: the columns of sentences.
        without: what to do where there is no gold, for the error.

    Raises:
        DataError: there are fewer than three columns.
        StsError: it is not plain which column is meant.
    """
    columns = block.columns
    if len(columns) < 3:
        raise DataError(
            f"{path}: {len(columns)} column{'s' * (len(columns) != 1)}; "
            f"expected 3: left, right, gold{without}"
        )
    known = [name for name in columns if name.lower() in GOLD]
    if len(known) == 1:
        return known[0]
    if block.has_no_names and len(columns) == 3:
        others = [name for name in columns if name not in (where.left, where.right)]
        first, *_, last = ((name, block.column(name)[0]) for name in others)
        return first[0] if is_number(first[1]) and not is_number(last[1]) else last[0]
    raise StsError(
        f"{path}: which column is the gold? It has {listed(columns)}; name it with --gold"
    )


def _numbers(path: str, block: Block, gold: str) -> list[float]:
    if gold not in block.columns:
        raise StsError(f"{path}: no column {gold!r} for --gold; it has {listed(block.columns)}")
    cells = zip(block.lines, block.column(gold), strict=True)
    return [finite(cell, f"{path}:{line}: {_called(gold)}") for line, cell in cells]


def _called(column: str) -> str:
    """``gold``, and the name that the column has if it has one."""
    return "gold" if column.isdigit() or column == "gold" else f"gold, column {column},"
