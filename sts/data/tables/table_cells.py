"""The columns of a table that hold pairs and gold scores; a bad cell is named by its line."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sts.data.pairs import HIGHEST, LOWEST
from sts.data.tables.table_kinds import listed
from sts.data.tables.table_reader import NAMES, Block
from sts.data.texts import is_missing, is_number, texts_of
from sts.errors import DataError, StsError


def find_columns(
    path: str, columns: Sequence[str], left: str | None, right: str | None
) -> tuple[str, str]:
    """The names of the two columns of sentences: as given, well-known, or the only two.

    Raises:
        StsError: a name that the table does not have, or none was given and none is known.
    """
    for option, name in (("--left", left), ("--right", right)):
        if name is not None and name not in columns:
            raise StsError(f"{path}: no column {name!r} for {option}; it has {listed(columns)}")
    if left is not None and right is not None:
        if left == right:
            raise StsError(f"{path}: --left and --right are both {left}; name two columns")
        return left, right
    if left is None and right is None:
        lower = {name.lower(): name for name in columns}
        for one, other in NAMES:
            if one in lower and other in lower:
                return lower[one], lower[other]
        if len(columns) == 2:
            return columns[0], columns[1]
    if len(columns) == 1:
        raise StsError(f"{path}: one column; a pair takes two, with a tab between them or, in a "
                       "file called .csv, a comma")  # fmt: skip
    raise StsError(f"{path}: which columns are the sentences? It has {listed(columns)}; "
                   "name two with --left and --right")  # fmt: skip


def sentences_in(
    path: str, block: Block, names: tuple[str, str], *, advice: str | None
) -> tuple[list[str], list[str]]:
    """The sentences of two columns, "" where one is missing and may be.

    Args:
        path: the file, for errors.
        block: some of its rows.
        names: of the columns.
        advice: what to do about a missing sentence; None where one may be missing.

    Raises:
        DataError: a sentence is missing or blank, or a cell is no string.
    """
    sides = []
    for name in names:
        cells = block.column(name)
        try:
            texts, here = texts_of(cells, name)
        except StsError:  # it counts from 0, and knows no file
            both = zip(block.lines, cells, strict=True)
            line, cell = next((n, c) for n, c in both if not (isinstance(c, str) or is_missing(c)))
            raise DataError(
                f"{path}:{line}: column {name} is {cell!r:.80}; expected a string"
            ) from None
        if advice is not None and not here.all():
            line = block.lines[int(here.argmin())]
            raise DataError(
                f"{path}:{line}: the cell in column {name} is empty or NaN; a pair needs two "
                f"sentences. {advice}"
            )
        sides.append(texts)
    return sides[0], sides[1]


def gold_in(path: str, block: Block, name: str) -> list[float]:
    """The similarities of a column.

    Raises:
        DataError: a cell is no number from 0 to 5, or there is no such column.
    """
    if name not in block.columns:
        raise DataError(f"{path}: no column {name!r} for --gold; it has {listed(block.columns)}")
    cells = zip(block.lines, block.column(name), strict=True)
    return [_gold(path, line, name, cell) for line, cell in cells]


def _gold(path: str, row: int, name: str, cell: object) -> float:
    value = float(str(cell)) if is_number(cell) else math.nan
    if isinstance(cell, bool) or not LOWEST <= value <= HIGHEST:
        found = "empty" if is_missing(cell) or cell == "" else f"{cell!s:.80}"
        raise DataError(
            f"{path}:{row}: column {name} is {found}; expected a number from {LOWEST:g} to "
            f"{HIGHEST:g}: bring other scales to it, and leave out rows without a score"
        )
    return value


def finite(cell: object, place: str) -> float:
    """The finite number that a cell holds.

    Raises:
        DataError: it holds none; ``place`` is the file, the line and the name of the cell.
    """
    found = float(str(cell)) if is_number(cell) else math.nan
    if isinstance(cell, bool) or not math.isfinite(found):
        raise DataError(f"{place} {cell!r:.80}; expected a number")
    return found
