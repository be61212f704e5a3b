"""Pairs of sentences in a table of any format, block by block; with gold, as a whole."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from itertools import compress
from typing import NamedTuple

import numpy as np

from semaniacs.sts.data.notation import NO_TEXT, Notation, plain, sides_of, usual_sides
from semaniacs.sts.data.pairs import (
    HIGHEST,
    LOWEST,
    Pairs,
    finite_or_nan,
    has_no_text,
    is_blank,
    is_missing,
    is_number,
    texts_of,
)
from semaniacs.sts.data.table_blocks import BLOCK, Block, read_blocks
from semaniacs.sts.data.table_kinds import kind_of, listed
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.files import BINARY, ending_of
from semaniacs.sts.progress import counted, note

GOLD = ("gold", "score", "similarity", "label", "goldlabel")
"""Usual names of a column of gold, as :func:`.notation.plain` writes them."""

Limits = tuple[float, float] | None

ReadCell = Callable[[object, str, Limits], float]
"""Return the gold in a cell; the string is the file, the line and the name of the cell."""


class NoGoldError(DataError):
    """A table has no column for gold."""


LEAVE_OUT = "Leave its row out with --missing skip"


@dataclass(frozen=True)
class PairColumns:
    """Columns of the pairs of a table, and how to read it.

    Attributes:
        left, right: names of the columns of sentences; None finds them, see :func:`find_columns`.
        header: whether CSV, TSV or XLSX begins with names; None looks at the first line.
        delimiter: between the cells of CSV; None looks at the first lines.
        read_as: format; None goes by the name of the file.
        decimal: mark of numbers in CSV and TSV; None looks at the first lines.
        missing: ``error`` refuses a row without a sentence, ``skip`` leaves it out, ``text`` reads
            cells such as ``NULL`` as texts, and any other word is read in place of the sentence.
    """

    left: str | None = None
    right: str | None = None
    header: bool | None = None
    delimiter: str | None = None
    read_as: str | None = None
    decimal: str | None = None
    missing: str = "error"

    def blocks(self, path: str, size: int = BLOCK, also: str | None = None) -> Iterator[Block]:
        """Yield the rows of a table, ``size`` at a time; ``also`` is another column asked for."""
        kind = self.read_as or kind_of(path)
        named = [name for name in (self.left, self.right, also) if name is not None]
        cells = {"delimiter": self.delimiter, "decimal": self.decimal}
        return read_blocks(path, kind, header=self.header, size=size, named=named, **cells)

    def names(self, path: str, columns: Sequence[str]) -> tuple[str, str]:
        """Return the names of both columns of sentences, see :func:`find_columns`."""
        return find_columns(path, columns, self.left, self.right)

    def notation(self, path: str, block: Block) -> Notation:
        """Return how text is to be written beside this table: CSV as it is, others with commas."""
        is_csv = (self.read_as or kind_of(path)) == "csv" or self.delimiter
        return block.notation if is_csv else block.notation._replace(delimiter=",")

    def say(self, path: str, columns: Sequence[str], block: Block) -> None:
        """Print which columns are compared, if that was guessed, and which one has only numbers."""
        left, right = self.names(path, columns)
        if (
            self.left is None
            and (len(columns) > 2 or any(sides_of(columns)) or any(map(NO_TEXT.search, columns)))
            and (usual_sides((left, right)) is None or plain(right) == "answer")
        ):
            note(f"{path}: comparing the columns {left} and {right}")
        numbers = {name for name in columns if all(map(is_number, block.column(name)))}
        others = [name for name in columns if name not in (left, right, *numbers)]
        for name in sorted({left, right} & numbers if others and block.rows else ()):
            note(f"{path}: column {name} has only numbers; others with texts: {listed(others)}")

    def pairs_in(
        self, path: str, block: Block, columns: Sequence[str], advice: str | None
    ) -> tuple[list[str], list[str], list[bool]]:
        """Return both sentences of each row, and whether both are there; errors of :func:`sentences_in`."""
        names = self.names(path, columns)
        advice = advice if self.missing in ("error", "text") else None
        typed = (self.read_as or kind_of(path)) == "xlsx"
        empty = is_blank if self.missing == "text" else has_no_text
        left, right = sentences_in(path, block, names, advice=advice, typed=typed, empty=empty)
        if self.missing not in ("error", "skip", "text"):
            left, right = ([text or self.missing for text in side] for side in (left, right))
        return left, right, [bool(a and b) for a, b in zip(left, right, strict=True)]


class PairBlock(NamedTuple):
    """Some rows of a table and both sentences of each, "" where one is missing."""

    rows: Block
    left: list[str]
    right: list[str]


def pair_blocks(
    path: str,
    where: PairColumns,
    *,
    advice: str | None = LEAVE_OUT,
    size: int = BLOCK,
    also: str | None = None,
) -> Iterator[PairBlock]:
    """Yield the pairs of a table, or of stdin for ``-``, ``size`` at a time.

    Args:
        advice: what to do about a missing sentence; None where one may be missing, and its row
            stays.
        also: another column that the caller asks for.

    Raises:
        DataError: the file is damaged or has no pair, or a sentence is missing; the line is named.
        StsError: a column is not there, or it is unclear which ones are meant.
    """
    rows = left_out = 0
    for block in where.blocks(path, size, also):
        if not rows:
            where.say(path, block.columns, block)
        rows += len(block.rows)
        left, right, there = where.pairs_in(path, block, block.columns, advice)
        if advice is None or all(there):
            yield PairBlock(block, left, right)
            continue
        left_out += there.count(False)
        if any(there):
            sides = ([*compress(side, there)] for side in (left, right))
            yield PairBlock(block.select(there), *sides)
    if not rows:
        raise _no_pair(path)
    note_left_out(path, left_out, rows, "without a sentence")


def note_left_out(path: str, count: int, rows: int, reason: str) -> None:
    """Print how many rows are left out; raise a DataError if none stays."""
    if count == rows:
        raise DataError(f"{path}: all {rows:,} rows are {reason}; expected some with one")
    if count:
        note(f"{path}: {count:,} of {counted(rows, 'row')} {reason}, left out")


def _no_pair(path: str) -> DataError:
    return DataError(
        f"{path}: names of columns and no pair; if its first line is a pair, say --no-header"
    )


def find_columns(
    path: str, columns: Sequence[str], left: str | None, right: str | None
) -> tuple[str, str]:
    """Return the names of the two columns of sentences.

    They are as given, an answer and a reference by their names, the usual ones, or the only two. A
    StsError is raised if the table lacks a given name, or it is unclear which are meant.
    """
    for option, name in (("--left", left), ("--right", right)):
        if name is not None and name not in columns:
            known = listed([one for one in columns if one != right])
            raise StsError(f"{path}: no column {name!r} for {option}; it has {known}")
    if left is not None and right is not None:
        if left == right:
            raise StsError(f"{path}: --left and --right are both {left}; name two columns")
        return left, right
    if right is not None and len(columns) > 1:
        return _beside(path, right, [name for name in columns if name != right]), right
    if left is None and right is None:
        usual = usual_sides(columns)
        texts = [name for name in columns if plain(name) not in GOLD and not NO_TEXT.search(name)]
        answers, references = sides_of(texts)
        references = references or [name for name in columns if plain(name) == "gold"]
        if usual and (plain(usual[1]) != "answer" or not references):
            return usual
        if len(answers) == len(references) == 1:
            return answers[0], references[0]
        if len(columns) == 2 and {"id", "ids", "key", "nr"}.isdisjoint(map(plain, columns)):
            return columns[0], columns[1]
    if len(columns) == 1:
        advice = (
            "with a tab between them or, in .csv or with --input-format csv, a comma; JSON takes "
            "--input-format jsonl"
        )
        if ending_of(path) in BINARY:
            advice = "whose names are in the first row"
        raise StsError(f"{path}: one column; a pair takes two, {advice}")
    raise StsError(
        f"{path}: which columns are the sentences? It has {listed(columns)}; name two with --left "
        "and --right"
    )


def _beside(path: str, right: str, others: Sequence[str]) -> str:
    """Return the left column: the only other one, the only one of answers, or the only text."""
    texts = [name for name in others if not NO_TEXT.search(name)]
    for some in (others, sides_of(texts)[0], texts):
        if len(some) == 1:
            return some[0]
    known = listed(others)
    raise StsError(f"{path}: which of {known} is compared with {right}? Name it with --left")


def sentences_in(
    path: str,
    block: Block,
    names: Sequence[str],
    *,
    advice: str | None,
    typed: bool = False,
    empty: Callable[[object], bool] = has_no_text,
) -> list[list[str]]:
    """Return the sentences of some columns, "" where one is missing: where a cell is ``empty``.

    Numbers and dates are read as text; TRUE is where cells are ``typed``, as in Excel.

    Raises:
        DataError: a cell is no string; or a sentence is missing and there is ``advice`` about it.
    """
    columns, missing = [], []
    for name in names:
        cells = [spelled(cell, typed=typed) for cell in block.column(name)]
        for line, cell in zip(block.lines, cells, strict=True):
            if not isinstance(cell, str) and not empty(cell):
                several = "; give each its own column, and --reference" * isinstance(cell, list)
                shown = f"column {name} is {cell!r:.80}; expected a string{several}"
                raise DataError(f"{path}:{line}: {shown}")
        texts, here = texts_of([None if empty(cell) else cell for cell in cells], name)
        missing += [(row, name, cells[row]) for row in np.flatnonzero(~here)[:1].tolist()]
        columns.append(texts)
    if advice is not None and missing:
        row, name, cell = min(missing, key=lambda found: found[0])
        shown = "empty or NaN" if is_blank(cell) else f"{cell!a:.40}, no text"
        raise DataError(
            f"{path}:{block.lines[row]}: the cell in column {name} is {shown}; "
            f"a pair needs two sentences. {advice}"
        )
    return columns


def spelled(cell: object, *, typed: bool = True) -> object:
    """Return a number or a date as text, and if cells are ``typed`` also TRUE; others as they are."""
    if isinstance(cell, datetime) and cell.time() == time():
        cell = cell.date()
    if isinstance(cell, bool):
        return str(cell).upper() if typed else cell
    has_value = isinstance(cell, int | float | date | time) and not is_missing(cell)
    return str(cell) if has_value else cell


def finite(cell: object, place: str, limits: Limits = None, words: Sequence[str] = ()) -> float:
    """Return the finite number in a cell; ``place`` is the file, the line and the name of the cell.

    ``words`` are other cells that the caller reads, for the error.

    Raises:
        DataError: there is none, or it is outside of the limits.
    """
    found = math.nan if isinstance(cell, bool) else finite_or_nan(cell)
    low, high = limits or (-math.inf, math.inf)
    if not low <= found <= high:
        scale = f" from {low:g} to {high:g}; bring other scales to it" if limits else ""
        also = f"{', '.join(words)} or " if words else ""
        blank = "; leave out rows without one" if has_no_text(cell) else ""
        if re.fullmatch(r"[-+]?\d*,\d+", str(cell).strip()):
            blank = "; if the comma is the decimal mark: --decimal ,"
        raise DataError(f"{place} {cell!r:.80}; expected {also}a number{scale}{blank}")
    return found


_LABELS = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}


def label(cell: object, place: str, limits: Limits = None) -> float:
    """Return 1 for true or yes, 0 for false or no, and the number in other cells; see :func:`finite`."""
    found = _LABELS.get(str(cell).strip().lower())
    return finite(cell, place, limits, words=[*_LABELS]) if found is None else found


def read_graded(
    path: str,
    where: PairColumns,
    gold: str | None = None,
    *,
    of_task: bool = False,
    read: ReadCell = finite,
) -> Pairs:
    """Read the pairs of a table with their gold; rows without gold are left out.

    Args:
        path: a file, or ``-`` for stdin.
        where: the columns of sentences.
        gold: column of the numbers; None: see :func:`gold_column`.
        of_task: whether they must be from 0 to 5; otherwise any scale will do.
        read: reader of a cell of gold.

    Raises:
        DataError, StsError: as for :func:`pair_blocks`, or gold is no such number.
    """
    rows: list[tuple[str, str, bool, float]] = []
    for block in where.blocks(path, also=gold):
        first, gold = not rows, gold_column(path, block, where) if gold is None else gold
        numbers = gold_in(path, block, gold, of_task=of_task, read=read)
        others = [name for name in block.columns if name != gold]
        if first:
            where.say(path, others, block)
        rows += zip(*where.pairs_in(path, block, others, LEAVE_OUT), numbers, strict=True)
    if not rows:
        raise _no_pair(path)
    left, right, there, values = zip(*rows, strict=True)
    pairs = Pairs(path, left, right, np.array(values))
    note_left_out(path, int((~pairs.scored).sum()), len(pairs), f"without gold in column {gold}")
    note_left_out(path, there.count(False), len(pairs), "without a sentence")
    return pairs.select(pairs.scored & np.array(there))


def gold_column(path: str, block: Block, where: PairColumns) -> str:
    """Return the column of gold where none was given: one of :data:`GOLD`.

    Of three columns without names it is the third; the first if that holds a number and the third
    does not. Fewer than three columns are a NoGoldError, and an unclear case is a StsError.
    """
    columns = block.columns
    if len(columns) < 3:
        found = counted(len(columns), "column")
        raise NoGoldError(f"{path}: {found}; expected 3: left, right, gold")
    known = [name for name in columns if plain(name) in GOLD]
    if len(known) == 1:
        return known[0]
    if block.has_no_names and len(columns) == 3:
        others = [name for name in columns if name not in (where.left, where.right)]
        first, last = block.column(others[0])[0], block.column(others[-1])[0]
        return others[0] if is_number(first) and not is_number(last) else others[-1]
    raise StsError(
        f"{path}: which column is the gold? It has {listed(columns)}; name it with --gold"
    )


def gold_in(
    path: str, block: Block, name: str, *, of_task: bool, read: ReadCell = finite
) -> list[float]:
    """Return the numbers of a column, from 0 to 5 if they are those of the task; NaN where none is.

    A cell with another value is a StsError, and so is a missing column.
    """
    if name not in block.columns:
        raise StsError(f"{path}: no column {name!r} for --gold; it has {listed(block.columns)}")
    called = "gold" if name.isdigit() or name == "gold" else f"gold, column {name},"
    limits = (LOWEST, HIGHEST) if of_task else None
    numbers = []
    for line, cell in zip(block.lines, block.column(name), strict=True):
        place = f"{path}:{line}: {called}"
        given = block.notation.number(cell, place)
        numbers.append(math.nan if has_no_text(cell) else read(given, place, limits))
    return numbers
