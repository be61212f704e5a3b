"""The reader of labelled pairs: a table whose sentences and labels stand in one file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from sts.data.addresses import headline_of, is_address
from sts.data.pairs import HIGHEST, LOWEST, Pairs
from sts.data.schema import LabelledTable
from sts.errors import DataError
from sts.files import read_lines

_QUOTE = '"'


def read_labelled(name: str, path: Path, table: LabelledTable) -> Pairs:
    """The pairs of a file; the gold of a paraphrase is 5, that of any other pair 0.

    Raises:
        DataError: the file is missing, not UTF-8 or malformed, a sentence is empty or no address
            where there should be one, or a label is none of the table's; the line is named.
    """
    left, right, gold = [], [], []
    for where, cells, label in _rows(path, table, table.label):
        if label not in table.positive + table.negative:
            raise DataError(
                f"{where}: {table.label} {label!r}, expected "
                f"{' or '.join(table.negative + table.positive)}"
            )
        sides = [_headline(cell, where) for cell in cells] if table.addresses else cells
        if not all(sides):
            continue
        same = label in table.positive and table.untranslated not in sides
        left.append(sides[0])
        right.append(sides[1])
        gold.append(HIGHEST if same else LOWEST)
    return Pairs(name, tuple(left), tuple(right), np.array(gold))


def read_translated(name: str, path: Path, table: LabelledTable) -> Pairs:
    """The pairs of a translation of a labelled file, which has its columns but for the label.

    Raises:
        DataError: as :func:`read_labelled`.
    """
    sides = [pair for _, pair, _ in _rows(path, table)]
    gold = np.full(len(sides), np.nan)
    return Pairs(name, tuple(a for a, _ in sides), tuple(b for _, b in sides), gold)


def _rows(
    path: Path, table: LabelledTable, *others: str
) -> Iterator[tuple[str, list[str], str]]:  # fmt: skip
    """Yield the place of each line, its two sentences, and the last of the other columns."""
    header, *lines = read_lines(path) or [""]
    names = header.split("\t")
    wanted = (table.left, table.right, *others)
    for column in wanted:
        if column not in names:
            raise DataError(
                f"{path}:1: no column {column!r}; expected {', '.join(wanted[:-1])} and "
                f"{wanted[-1]}, separated by tabs: {header[:80]!r}"
            )
    for number, line in enumerate(lines, start=2):
        cells = line.split("\t")
        if len(cells) != len(names):
            raise DataError(
                f"{path}:{number}: {len(cells)} column{'s' * (len(cells) != 1)}, expected "
                f"{len(names)} separated by tabs: {line[:80]!r}"
            )
        row = dict(zip(names, cells, strict=True))
        sides = [_unquoted(row[side]) if table.quoted else row[side]
                 for side in (table.left, table.right)]  # fmt: skip
        if not all(map(str.strip, sides)):
            raise DataError(f"{path}:{number}: a sentence is empty; a pair needs two sentences")
        yield f"{path}:{number}", sides, row[wanted[-1]]


def _unquoted(cell: str) -> str:
    """A cell without the quotes of CSV: at both ends one, and all inside doubled."""
    inside = cell[1:-1]
    whole = len(cell) > 1 and cell[0] == cell[-1] == _QUOTE
    if whole and _QUOTE not in inside.replace(_QUOTE * 2, ""):
        return inside.replace(_QUOTE * 2, _QUOTE)
    return cell


def _headline(cell: str, where: str) -> str:
    """The headline of an address; empty if it holds none."""
    if not is_address(cell):
        raise DataError(f"{where}: {cell[:80]!r} is no address; expected https://...")
    return headline_of(cell) or ""
