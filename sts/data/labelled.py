"""The reader of labelled pairs: a table whose sentences and labels stand in one file."""

from __future__ import annotations

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
    header, *lines = read_lines(path) or [""]
    names = header.split("\t")
    for column in (table.left, table.right, table.label):
        if column not in names:
            raise DataError(
                f"{path}:1: no column {column!r}; expected {table.left}, {table.right} and "
                f"{table.label}, separated by tabs: {header[:80]!r}"
            )
    left, right, gold = [], [], []
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
        label = row[table.label]
        if label not in table.positive + table.negative:
            raise DataError(
                f"{path}:{number}: {table.label} {label!r}, expected "
                f"{' or '.join(table.negative + table.positive)}"
            )
        if table.addresses:
            sides = [_headline(side, f"{path}:{number}") for side in sides]
            if not all(sides):
                continue
        same = label in table.positive and table.untranslated not in sides
        left.append(sides[0])
        right.append(sides[1])
        gold.append(HIGHEST if same else LOWEST)
    return Pairs(name, tuple(left), tuple(right), np.array(gold))


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
