"""A column of scores in a table, with the ids of its rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from semaniacs.sts.data.notation import NOTATION, Notation
from semaniacs.sts.data.pairs import Scores, has_no_text, is_number
from semaniacs.sts.data.table_blocks import read_blocks
from semaniacs.sts.data.table_kinds import kind_of, listed
from semaniacs.sts.errors import DataError


class ScoreColumn(NamedTuple):
    """Column of a table.

    Attributes:
        values: (n,) scores, NaN where a cell is blank.
        ids: the n ids of the rows, each once; None if none were asked for.
        lines: the n line numbers of the rows, from 1.
        others: the n cells of each other column, by name.
    """

    values: Scores
    ids: tuple[str, ...] | None
    lines: tuple[int, ...]
    others: Mapping[str, list[str]]

    def order_of(self, others: Mapping[str, list[str]]) -> str | None:
        """Return a column that has the same cells in ``others`` in another order; None if none has.

        A column that hardly tells rows apart says nothing; nor does any if a text is in order.
        """
        both = [name for name, cells in self.others.items() if 2 * len({*cells}) > len(cells)]
        both = [n for n in both if sorted(self.others[n]) == sorted(others.get(n, ()))]
        moved = [name for name in both if self.others[name] != others[name]]
        texts = [name for name in both if not all(map(is_number, others[name]))]
        moved = moved if {*texts} <= {*moved} else []
        return max(moved, key=lambda name: len({*others[name]}), default=None)


def read_column(
    path: str, name: str | None, id_: str | None = None, *, blank: bool = False
) -> ScoreColumn:
    """Return the scores in a table of any format.

    Args:
        path: the file.
        name: column of the scores; None is ``score``, or the only column.
        id_: column of the ids.
        blank: whether a cell may be blank.

    Raises:
        DataError: the file is malformed, a column is missing, a cell is no number, or an id is
            there twice; the message names the line.
    """
    columns, rows, lines, notation = _read(path, {name or "score", id_})
    if name is None:
        name = columns[0] if len(columns) == 1 else "score"
    values = _column(path, columns, rows, name)
    numbers = [
        notation.number(v, f"{path}:{n}: {name} is") for n, v in zip(lines, values, strict=True)
    ]
    scores = [_number(path, n, name, cell, blank) for n, cell in zip(lines, numbers, strict=True)]
    others = {one: [*map(str, _column(path, columns, rows, one))] for one in columns if one != name}
    if id_ is None:
        return ScoreColumn(np.array(scores), None, tuple(lines), others)
    ids = [str(cell) for cell in _column(path, columns, rows, id_)]
    first: dict[str, int] = {}
    for line, one in zip(lines, ids, strict=True):
        if first.setdefault(one, line) != line:
            raise DataError(f"{path}:{line}: {id_} {one!r} is in line {first[one]} too")
    return ScoreColumn(np.array(scores), tuple(ids), tuple(lines), others)


def _read(
    path: str, wanted: set[str | None]
) -> tuple[Sequence[str], list[list[Any]], list[int], Notation]:
    """Return columns, rows and line numbers; text has a header if line 1 holds a wanted name."""
    kind = kind_of(path)
    text, notation = kind in ("csv", "tsv", "xlsx"), NOTATION
    columns: Sequence[str] = ()
    rows: list[list[Any]] = []
    lines: list[int] = []
    named = [name for name in wanted if name]
    for block in read_blocks(path, kind, header=False if text else None, named=named):
        columns, notation = block.columns, block.notation
        rows += block.rows
        lines += block.lines
    if text and wanted & {*rows[0]}:
        columns, rows, lines = rows[0], rows[1:], lines[1:]
    return columns, rows, lines, notation


def _column(path: str, columns: Sequence[str], rows: list[list[Any]], name: str) -> list[Any]:
    if name not in columns:
        if columns[0] == "1" and not any(map(is_number, rows[0])):
            columns = rows[0]
        raise DataError(
            f"{path}: no column {name!r}; it has {listed(columns)}: see --gold-column, "
            "--score-column and --id"
        )
    place = columns.index(name)
    return [row[place] for row in rows]


def _number(path: str, line: int, column: str, cell: Any, blank: bool) -> float:
    if blank and has_no_text(cell):
        return math.nan
    try:
        number = float(cell)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise DataError(f"{path}:{line}: {column} is {str(cell)[:80]!r}, expected a number")
    return number
