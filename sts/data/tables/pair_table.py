"""Pairs of sentences in a table of any format, block by block; with gold, as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sts.data.pairs import Pairs
from sts.data.tables.table_cells import find_columns, finite, sentences_in
from sts.data.tables.table_kinds import kind_of, listed
from sts.data.tables.table_reader import BLOCK, Block, read_blocks
from sts.data.texts import is_number
from sts.errors import DataError, StsError
from sts.progress import note

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
        self, path: str, size: int = BLOCK, option: str | None = "--from", gold: str | None = None
    ) -> Iterator[Block]:
        """The rows of a table, ``size`` at a time.

        Args:
            path: a file, or ``-`` for stdin.
            size: of a block.
            option: see :func:`.table_kinds.kind_of`.
            gold: another column that is asked for.

        Raises:
            DataError, StsError: the file cannot be read.
        """
        kind = self.read_as or kind_of(path, option)
        named = [name for name in (self.left, self.right, gold) if name is not None]
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
) -> Iterator[PairBlock]:
    """The pairs of a table, ``size`` at a time, in order.

    Args:
        path: a file, or ``-`` for stdin.
        where: the columns.
        advice: what to do about a missing sentence; None where one may be missing.
        size: of a block.
        option: see :func:`.table_kinds.kind_of`.

    Raises:
        DataError: the file is damaged, or a sentence is missing; the line is named.
        StsError: a column is not there, or it is not plain which ones are meant.
    """
    block = None
    for block in where.blocks(path, size, option):
        names = find_columns(path, block.columns, where.left, where.right)
        yield PairBlock(block, *sentences_in(path, block, names, advice=advice))
    if block is None:
        note(f"{path}: names of columns and no pair; if the first line is a pair: --no-header")


def read_graded(
    path: str, where: PairColumns, gold: str | None = None, *, without: str = ""
) -> Pairs:
    """The pairs of a table with their gold, on any scale.

    Args:
        path: a file, or ``-`` for stdin; its name may end in anything.
        where: the columns of sentences.
        gold: column of the numbers. None: one of :data:`GOLD`, the only one left, or of three
            the first if it holds a number and the last does not.
        without: what to do where there is no gold, for the error.

    Raises:
        DataError: the file is damaged, a sentence is missing, or gold is no finite number; the
            line is named.
        StsError: a column is not there, or it is not plain which ones are meant.
    """
    left: list[str] = []
    right: list[str] = []
    values: list[float] = []
    for block in where.blocks(path, option=None, gold=gold):
        column = gold_column(path, block, where, gold, without)
        others = [name for name in block.columns if name != column]
        names = find_columns(path, others, where.left, where.right)
        sides = sentences_in(path, block, names, advice=LEAVE_OUT)
        left += sides[0]
        right += sides[1]
        gold = column  # what the first rows decide holds for all
        cells = zip(block.lines, block.column(column), strict=True)
        values += [finite(cell, f"{path}:{line}: {_called(column)}") for line, cell in cells]
    if not values:
        raise DataError(f"{path}: names of columns and no row; expected pairs with gold")
    return Pairs(path, tuple(left), tuple(right), np.array(values))


def gold_column(
    path: str, block: Block, where: PairColumns, gold: str | None = None, without: str = ""
) -> str:
    """The name of the column of gold, see :func:`read_graded`.

    Raises:
        DataError: there are fewer than three columns.
        StsError: it is not plain which column is meant.
    """
    columns = block.columns
    if gold is not None and gold not in columns:
        raise StsError(f"{path}: no column {gold!r} for --gold; it has {listed(columns)}")
    if gold is not None:
        return gold
    if len(columns) < 3:
        raise DataError(
            f"{path}: {len(columns)} column{'s' * (len(columns) != 1)}; "
            f"expected 3: left, right, gold{without}"
        )
    others = [name for name in columns if name not in (where.left, where.right)]
    known = [name for name in others if name.lower() in GOLD]
    if len(known) == 1 or len(others) == 1:
        return known[0] if known else others[0]
    if len(others) == 3:
        first, last = (block.column(others[place])[0] for place in (0, 2))
        return others[0 if is_number(first) and not is_number(last) else 2]
    raise StsError(
        f"{path}: which column is the gold? It has {listed(columns)}; name it with --gold"
    )


def _called(column: str) -> str:
    """``gold``, and the name that the column has if it has one."""
    return "gold" if column.isdigit() or column == "gold" else f"gold, column {column},"
