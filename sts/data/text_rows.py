"""Texts and ids of a file: lines of text, or a column of a table; read as often as needed."""

from __future__ import annotations

import io
import sys
from collections.abc import Collection, Iterator, Sequence
from itertools import compress, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from semaniacs.sts.data.notation import plain
from semaniacs.sts.data.pair_table import spelled
from semaniacs.sts.data.pairs import has_no_text, is_blank
from semaniacs.sts.data.table_blocks import BLOCK, Block, raw_rows, read_blocks
from semaniacs.sts.data.table_kinds import RAW, READ_ONLY, TABLES, is_table, kind_of, listed
from semaniacs.sts.data.table_writers import writer
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.files import BINARY, format_of, whole_packed

_NAMES = ("text", "sentence", "question", "title")  # usual names of a column of texts


class Reading(NamedTuple):
    """How to read a file.

    Attributes:
        text: name of the column of texts; None for lines of text, or where it is plain which.
        id: name of the column of ids; None counts the rows.
        header, read_as, delimiter: as for :class:`.pair_table.PairColumns`.
        missing: as there; a text that is skipped is "".
    """

    text: str | None = None
    id: str | None = None
    header: bool | None = None
    read_as: str | None = None
    delimiter: str | None = None
    missing: str = "error"

    def is_plain(self, source: str) -> bool:
        """Return whether a file holds lines of text: no column is named, nor a table by its name."""
        return not any((self.text, self.id, self.read_as)) and not is_table(source)

    def kind(self, source: str) -> str:
        """Return the format of a file."""
        return "tsv" if self.is_plain(source) else self.read_as or kind_of(source)

    def blocks(self, source: str, size: int = BLOCK) -> Iterator[Block]:
        """Yield the rows of a file, ``size`` at a time."""
        return read_blocks(
            source,
            self.kind(source),
            header=False if self.is_plain(source) else self.header,
            size=size,
            delimiter=self.delimiter,
            named=[name for name in (self.text, self.id) if name] or _NAMES,
        )


def read_texts(source: str, how: Reading, option: str = "--text") -> Iterator[str]:
    """Yield the texts of a file, or of stdin if ``source`` is ``-``; "" where there is none."""
    column = None
    for block in how.blocks(source):
        column = column or _text_column(source, block.columns, how, option)
        yield from _strings(source, block, column, how)
    if column is None:
        raise _no_row(source)


def _no_row(source: str) -> DataError:
    return DataError(f"{source}: names of columns and no row; expected a sentence")


class TextRows:
    """The rows of a file, each with its text; ``option`` names the column, for errors.

    Raises:
        DataError, StsError: the file cannot be read, has no such column, or is stdin.
    """

    def __init__(self, source: str, how: Reading, option: str = "--text") -> None:
        if source == "-" or Path(source).is_fifo():
            shown = "stdin" if source == "-" else f"{source}: a pipe"
            raise StsError(f"{shown} cannot be read twice; put it into a file and name that")
        self.source, self.how = source, how
        self.kind = how.kind(source)
        first = next(how.blocks(source, 1), None)
        if first is None:
            raise _no_row(source)
        self.has_header = self.kind in ("csv", "tsv") and not first.has_no_names
        self.notation = first.notation
        self.text = _text_column(source, first.columns, how, option)

    def texts(self) -> Iterator[str]:
        """Yield the text of each row, read anew; "" where there is none."""
        for block in self.how.blocks(self.source):
            yield from _strings(self.source, block, self.text, self.how)

    def some_texts(self, rows: Collection[int]) -> dict[int, str]:
        """Return the texts of some rows, counted from 0, on one line each."""
        wanted = frozenset(rows)
        return {i: " ".join(text.split()) for i, text in enumerate(self.texts()) if i in wanted}

    def ids(self, count: int) -> Sequence[Any]:
        """Return the id of each of ``count`` rows; without a column of ids their numbers from 1.

        A DataError is raised if an id is missing, holds a tab or a line end, or is in two rows.
        """
        if self.how.id is None:
            return range(1, count + 1)
        blocks = self.how.blocks(self.source)
        ids = [cell for block in blocks for cell in block.column(self.how.id)]
        row_of: dict[str, int] = {}
        for row, cell in enumerate(ids, 1):
            name = "" if has_no_text(cell) else str(cell)
            if not name.strip() or {"\t", "\n", "\r"} & {*name}:
                raise DataError(
                    f"{self.source}: row {row}: {name!r:.80} is no id, which is not blank and has "
                    "neither tabs nor line ends; see --id"
                )
            first = row_of.setdefault(name, row)
            if first != row:
                raise DataError(
                    f"{self.source}: row {row}: id {name!r} is in row {first} already; "
                    "name another column with --id, or none: rows are counted then"
                )
        return ids

    def format_of_kept(self, target: Path) -> str:
        """Return the format of a file for :meth:`write_kept`; a StsError for a name of another."""
        if self.kind in READ_ONLY:
            return format_of(target, TABLES)
        text = "txt tsv" if self.how.is_plain(self.source) else f"{self.kind} txt"
        return format_of(target, self.kind if self.kind in BINARY else text)

    def write_kept(self, kept: NDArray[np.bool_], target: Path) -> None:
        """Write the kept rows to a file, gzip if it ends in ``.gz``; lines of text stay as they are."""
        if self.kind in RAW:
            with whole_packed(target) as file:
                rows = map(bytes.decode, raw_rows(self.source, self.kind, self.notation.delimiter))
                # The first row has the mark of UTF-8, but not that of another encoding.
                encoding = self.notation.encoding.removesuffix("-sig")
                text = io.TextIOWrapper(file, encoding, newline="")
                text.writelines(islice(rows, int(self.has_header)))
                text.writelines(compress(rows, kept.tolist()))
                text.detach()
            return
        begin = 0
        with writer(str(target), self.format_of_kept(target), sys.stdout) as out:
            for block in self.how.blocks(self.source):
                chosen = [*compress(block.rows, kept[begin : begin + len(block.rows)])]
                begin += len(block.rows)
                if chosen:
                    out.write(block.columns, chosen, block.notation)


def _text_column(source: str, columns: Sequence[str], how: Reading, option: str) -> str:
    """Return the column of texts: as given, the usual one, or the only one beside the ids."""
    if how.is_plain(source) and len(columns) > 1:
        raise DataError(
            f"{source}:1: there is a tab; expected one sentence per line. If it is a table, name "
            f"its columns by their place: {option} 2"
        )
    for named, name in ((option, how.text), ("--id", how.id)):
        if name is not None and name not in columns:
            raise StsError(f"{source}: no column {name!r} for {named}; it has {listed(columns)}")
    if how.text is not None:
        return how.text
    others = [name for name in columns if name != how.id]
    known = [name for name in others if plain(name) in _NAMES]
    for candidates in (known, others):
        if len(candidates) == 1:
            return candidates[0]
    raise StsError(
        f"{source}: which column is the text? It has {listed(columns)}; name one with {option}"
    )


def _strings(source: str, block: Block, column: str, how: Reading) -> Iterator[str]:
    """Yield the texts of a column; "" for a blank one, and for one that is skipped."""
    plain, typed = how.is_plain(source), how.kind(source) == "xlsx"
    cells = (spelled(cell, typed=typed) for cell in block.column(column))
    for line, cell in zip(block.lines, cells, strict=True):
        missing = not plain and (is_blank if how.missing == "text" else has_no_text)(cell)
        if missing and how.missing not in ("error", "text"):
            yield "" if how.missing == "skip" else how.missing
        elif not isinstance(cell, str) or (missing and cell.strip()):
            advice = "no text; see --missing" if missing else "expected a string"
            raise DataError(f"{source}:{line}: column {column} is {cell!a:.80}; {advice}")
        else:
            yield cell.strip() and cell
