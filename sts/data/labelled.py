"""Reader of labelled pairs: a table whose sentences and labels are in one file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from semaniacs.sts.data.addresses import headline_of, is_address
from semaniacs.sts.data.pairs import HIGHEST, LOWEST, Pairs, wrong_count
from semaniacs.sts.data.schema import LabelledTable
from semaniacs.sts.errors import DataError
from semaniacs.sts.files import read_lines


def read_labelled(name: str, path: Path, table: LabelledTable) -> Pairs:
    """Return the pairs of a file; the gold of a paraphrase is 5, that of any other pair 0.

    Raises:
        DataError: the file is missing, not UTF-8 or malformed, a sentence is empty or no address
            where one is expected, or a label is unknown; the line is named.
    """
    left, right, gold = [], [], []
    for place, cells, label in _rows(path, table, table.label):
        if label not in table.positive + table.negative:
            expected = " or ".join(table.negative + table.positive)
            raise DataError(f"{place}: {table.label} {label!r}, expected {expected}")
        sides = [_headline(cell, place) for cell in cells] if table.addresses else cells
        if not all(sides):
            continue
        same = label in table.positive and table.untranslated not in sides
        left.append(sides[0])
        right.append(sides[1])
        gold.append(HIGHEST if same else LOWEST)
    return Pairs(name, tuple(left), tuple(right), np.array(gold))


def read_translated(name: str, path: Path, table: LabelledTable) -> Pairs:
    """Return the pairs of a translation of a labelled file, which has no labels.

    Raises:
        DataError: as :func:`read_labelled`.
    """
    sides = [pair for _, pair, _ in _rows(path, table)]
    gold = np.full(len(sides), np.nan)
    return Pairs(name, tuple(a for a, _ in sides), tuple(b for _, b in sides), gold)


def _rows(path: Path, table: LabelledTable, *others: str) -> Iterator[tuple[str, list[str], str]]:
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
    left, right, last = (names.index(name) for name in (table.left, table.right, wanted[-1]))
    for number, line in enumerate(lines, start=2):
        cells = line.split("\t")
        if len(cells) != len(names):
            raise wrong_count(f"{path}:{number}", line, len(names))
        sides = [cells[left], cells[right]]
        if table.quoted:
            sides = [_unquoted(side) for side in sides]
        if not all(map(str.strip, sides)):
            raise DataError(f"{path}:{number}: a sentence is empty; a pair needs two sentences")
        yield f"{path}:{number}", sides, cells[last]


def _unquoted(cell: str) -> str:
    """Take off the quotes of CSV: one at each end, and all inside doubled."""
    inside = cell[1:-1]
    whole = len(cell) > 1 and cell[0] == cell[-1] == '"'
    if whole and '"' not in inside.replace('""', ""):
        return inside.replace('""', '"')
    return cell


def _headline(cell: str, place: str) -> str:
    """Return the headline of an address; empty if it holds none."""
    if not is_address(cell):
        raise DataError(f"{place}: {cell[:80]!r} is no address; expected https://...")
    return headline_of(cell) or ""
