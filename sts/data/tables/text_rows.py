"""The texts and ids of a file: lines of text, or a column of a table; read as often as needed."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, compress, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sts.data.tables.table_kinds import is_table, kind_of, listed
from sts.data.tables.table_reader import BLOCK, Block, raw_rows, read_blocks
from sts.data.tables.table_writer import whole_packed, writer
from sts.data.texts import is_missing
from sts.errors import DataError, StsError

_NAMES = ("text", "sentence", "question", "title")
"""Names of a column of texts that are understood without being told."""


class Reading(NamedTuple):
    """How a file is read.

    Attributes:
        text: name of the column of texts; None for lines of text, or where it is plain which.
        id: name of the column of ids; None counts the rows.
        header: whether CSV or TSV begins with names; None: CSV does, and TSV if it has the names
            asked for.
        read_as: format; None goes by the name of the file.
        delimiter: between the cells of CSV; None looks at the first line.
    """

    text: str | None = None
    id: str | None = None
    header: bool | None = None
    read_as: str | None = None
    delimiter: str | None = None

    def is_plain(self, source: str) -> bool:
        """Whether a file holds lines of text: no column is named, nor is it a table by its name."""
        return not any((self.text, self.id, self.read_as)) and not is_table(source)


def read_texts(source: str, how: Reading, option: str = "--text") -> Iterator[str]:
    """The texts of a file, or of stdin if ``source`` is ``-``; "" where there is none.

    Raises:
        DataError, StsError: as for :class:`TextRows`.
    """
    blocks = _blocks(source, how)
    first = next(blocks, None)
    if first is None:
        raise DataError(f"{source}: names of columns and no row; expected a sentence")
    column = _text_column(source, first.columns, how, option)
    yield from _strings(source, chain((first,), blocks), column)


class TextRows:
    """The rows of a file, each with its text.

    Args:
        source: the file.
        how: which columns it is read from.
        option: that names the column, for errors.

    Raises:
        DataError, StsError: the file cannot be read, has no such column, or is stdin.
    """

    def __init__(self, source: str, how: Reading, option: str = "--text") -> None:
        if source == "-":
            raise StsError("stdin cannot be read twice; put it into a file and name that")
        self.source, self.how = source, how
        self.kind = _kind(source, how)
        first = next(_blocks(source, how, size=1), None)
        if first is None:
            raise DataError(f"{source}: names of columns and no row; expected a sentence")
        self.has_header = self.kind in ("csv", "tsv") and first.lines[0] > 1
        self.text = _text_column(source, first.columns, how, option)

    def _blocks(self) -> Iterator[Block]:
        return _blocks(self.source, self.how)

    def texts(self) -> Iterator[str]:
        """The text of each row, read anew; "" where there is none.

        Raises:
            DataError: a cell is no string; the row is named.
        """
        return _strings(self.source, self._blocks(), self.text)

    def some_texts(self, rows: Collection[int]) -> dict[int, str]:
        """The texts of some rows, counted from 0, on one line each."""
        wanted = frozenset(rows)
        return {i: " ".join(text.split()) for i, text in enumerate(self.texts()) if i in wanted}

    def ids(self, count: int) -> Sequence[Any]:
        """The id of each of ``count`` rows; without a column of ids their numbers from 1.

        Raises:
            DataError: an id is missing, holds a tab or a line end, or stands in two rows.
        """
        if self.how.id is None:
            return range(1, count + 1)
        ids = [cell for block in self._blocks() for cell in block.column(self.how.id)]
        row_of: dict[str, int] = {}
        for row, cell in enumerate(ids, 1):
            name = "" if is_missing(cell) else str(cell)
            if not name.strip() or {"\t", "\n", "\r"} & {*name}:
                raise DataError(
                    f"{self.source}: row {row}: {name!r:.80} is no id, which is not blank and has "
                    "neither tabs nor line ends; see --id"
                )
            first = row_of.setdefault(name, row)
            if first != row:
                raise DataError(
                    f"{self.source}: row {row}: id {name!r} stands in row {first} already; "
                    "name another column with --id, or none: rows are counted then"
                )
        return ids

    def write_kept(self, kept: NDArray[np.bool_], target: Path) -> None:
        """Write the kept rows to a file, byte for byte as they stand here; Parquet row by row.

        Args:
            kept: (rows,) which to write.
            target: gzip if its name ends in ``.gz``.
        """
        if self.kind == "parquet":
            self._write_kept_parquet(kept, target)
            return
        with whole_packed(target) as file:
            rows = raw_rows(self.source, self.kind, self.how.delimiter)
            file.writelines(islice(rows, int(self.has_header)))
            file.writelines(compress(rows, kept.tolist()))

    def _write_kept_parquet(self, kept: NDArray[np.bool_], target: Path) -> None:
        begin = 0
        with writer(str(target), "parquet", sys.stdout) as out:
            for block in self._blocks():
                rows = [*compress(block.rows, kept[begin : begin + len(block.rows)])]
                begin += len(block.rows)
                if rows:
                    out.write(block.columns, rows)


def _kind(source: str, how: Reading) -> str:
    return "tsv" if how.is_plain(source) else how.read_as or kind_of(source)


def _blocks(source: str, how: Reading, size: int = BLOCK) -> Iterator[Block]:
    header = False if how.is_plain(source) else how.header
    return read_blocks(
        source, _kind(source, how), header=header, expected="a sentence", size=size,
        delimiter=how.delimiter, named=[name for name in (how.text, how.id) if name] or _NAMES,
    )  # fmt: skip


def _text_column(source: str, columns: Sequence[str], how: Reading, option: str) -> str:
    """The name of the column of texts: as given, well-known, or the only one but for the ids."""
    if how.is_plain(source) and len(columns) > 1:
        raise DataError(
            f"{source}:1: there is a tab; expected a sentence a line. If it is a table, name "
            f"its columns by their place: {option} 2"
        )
    for named, name in ((option, how.text), ("--id", how.id)):
        if name is not None and name not in columns:
            raise StsError(f"{source}: no column {name!r} for {named}; it has {listed(columns)}")
    others = [name for name in columns if name != how.id]
    known = [name for name in others if name.lower() in _NAMES]
    if how.text is not None:
        return how.text
    if len(known) == 1 or len(others) == 1:
        return known[0] if len(known) == 1 else others[0]
    raise StsError(
        f"{source}: which column is the text? It has {listed(columns)}; name one with {option}"
    )


def _strings(source: str, blocks: Iterable[Block], column: str) -> Iterator[str]:
    """The cells of a column of texts, "" where one is missing."""
    cells = (cell for block in blocks for cell in block.column(column))
    for row, cell in enumerate(cells, 1):
        if not isinstance(cell, str) and not is_missing(cell):
            raise DataError(
                f"{source}: row {row}, column {column}: {cell!r:.80}; expected a string"
            )
        yield "" if is_missing(cell) else cell
