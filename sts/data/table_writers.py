"""Tables written: CSV, TSV, JSON, Parquet, XLSX, or columns aligned for people."""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
import sys
import warnings
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from semaniacs.sts.data.notation import NOTATION, Cells, Notation
from semaniacs.sts.data.pairs import ABSENT, is_missing
from semaniacs.sts.data.table_blocks import Block
from semaniacs.sts.data.table_kinds import READ_ONLY
from semaniacs.sts.errors import StsError, require
from semaniacs.sts.files import BINARY, escaped, whole_packed
from semaniacs.sts.progress import note


@contextmanager
def writer(
    path: str | None, kind: str, stdout: TextIO, source: str | None = None
) -> Iterator[Writer]:
    """Open a target for rows: a file that appears when all rows are written, or stdout.

    XLSX with a ``source`` is a copy of that workbook, see :class:`SheetCopy`. A StsError is raised if
    the target cannot be written, or Parquet or XLSX would go to stdout.
    """
    if kind in READ_ONLY:
        raise StsError(f"{kind.upper()} is not written; name another file, such as .csv or .xlsx")
    if path is None or path == "-":
        if kind in BINARY:
            raise StsError(
                f"{kind.capitalize()} is not for a terminal or a pipe; name a file with --output"
            )
        yield (out := TextWriter(stdout, kind))
        out.close()
        return
    with whole_packed(Path(path)) as file:
        if kind in BINARY:
            own = ParquetWriter if kind == "parquet" else SheetWriter
            yield (made := SheetCopy(file, source) if source and kind == "xlsx" else own(file))
            made.close()
            return
        text = io.TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="")
        yield (out := TextWriter(text, kind, recode=True))
        out.close()
        text.detach()


class TextWriter:
    """Writes CSV, TSV, JSON, or columns aligned for people: ``table``.

    With ``recode`` the file gets the encoding of the table that was read.
    """

    def __init__(self, file: Any, kind: str, *, recode: bool = False) -> None:
        self.file, self.kind, self.recode = file, kind, recode
        self.begun = False
        self.widths: list[int] = []

    def write(self, columns: Sequence[str], rows: Cells, notation: Notation = NOTATION) -> None:
        """Write rows; the first call also writes the names of the columns, if there are any."""
        if self.kind in ("json", "jsonl"):
            self._write_json(columns, rows)
            return
        header = [columns] if columns and not self.begun else []
        self.begun = True
        if header and self.recode:
            encoding = _encoding_for("".join(columns), notation.encoding)
            self.file.reconfigure(encoding=encoding, errors=_READABLE)
        shown = [*header, *(map(notation.shown, row) for row in rows)]
        if self.kind == "csv":
            csv.writer(self.file, delimiter=notation.delimiter, lineterminator="\n").writerows(
                shown
            )
        else:
            lines = [[on_a_line(cell) for cell in row] for row in shown]
            if self.kind == "table":
                self._align(lines)
            self.file.writelines("\t".join(line) + "\n" for line in lines)

    def _write_json(self, columns: Sequence[str], rows: Cells) -> None:
        for row in rows:
            cells = zip(columns, row, strict=True)  # JSON has no NaN
            record = {n: None if is_missing(c) else c for n, c in cells if c is not ABSENT}
            if self.kind == "json":
                self.file.write(",\n" if self.begun else "[\n")
            self.begun = True
            self.file.write(json.dumps(record, ensure_ascii=False, default=str))
            self.file.write("\n" * (self.kind == "jsonl"))

    def close(self) -> None:
        """Write the end of an array of JSON."""
        if self.kind == "json":
            self.file.write("\n]\n" if self.begun else "[]\n")
        self.file.flush()

    def _align(self, lines: list[list[str]]) -> None:
        """Pad the cells to the widths of the first rows that are written."""
        self.widths = self.widths or [max(map(len, column)) for column in zip(*lines, strict=True)]
        for line in lines:
            line[:] = ["  ".join(map(str.ljust, line, self.widths)).rstrip()]


_READABLE = "semaniacs.readable"
"""How characters are written that an encoding has not: those of our sentences by others like them."""

_LIKE = {"≠": "!=", "↔": "<->", "→": "->", "“": "'", "”": "'", "…": "..."}


def _write_readably(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    missing = error.object[error.start : error.end]
    written = (
        _LIKE.get(sign) or sign.encode("ascii", "backslashreplace").decode() for sign in missing
    )
    return "".join(written), error.end


codecs.register_error(_READABLE, _write_readably)


def _encoding_for(names: str, encoding: str) -> str:
    """Return the encoding; UTF-8, with a note, if it lacks a character of the names."""
    try:
        names.encode(encoding)
    except UnicodeEncodeError as error:
        note(f"{encoding} has no {names[error.start]!r}, so the output is written in UTF-8")
        return "utf-8"
    return encoding


def on_a_line(cell: object) -> str:
    """Return a cell as TSV has it: a tab or a line end becomes a space, None is empty."""
    return "" if cell is None else re.sub(r"\r\n?|\n|\t", " ", str(cell))


class ParquetWriter:
    """Writes Parquet, by pyarrow."""

    def __init__(self, file: BinaryIO) -> None:
        require("pyarrow")
        self.file = file
        self.out: Any = None

    def write(self, columns: Sequence[str], rows: Cells, notation: Notation = NOTATION) -> None:
        """Write a group of rows."""
        import pyarrow
        from pyarrow import parquet

        cells = list(zip(*rows, strict=True)) or [()] * len(columns)
        try:
            named = zip(columns, cells, strict=True)
            table = pyarrow.table({name: self._array(column) for name, column in named})
            if self.out is None:
                self.out = parquet.ParquetWriter(self.file, table.schema)
            self.out.write_table(table.cast(self.out.schema))
        except (pyarrow.ArrowException, OverflowError) as error:
            raise StsError(f"a column is of no type of Parquet ({error}); write .jsonl") from None

    def _array(self, cells: Sequence[Any]) -> Any:
        """Return a column; its NaN are null, as they are numbers to a query."""
        import pyarrow
        from pyarrow import compute

        made = pyarrow.array([None if cell is ABSENT else escaped(cell) for cell in cells])
        is_float = pyarrow.types.is_floating(made.type)
        return compute.if_else(compute.is_nan(made), None, made) if is_float else made

    def close(self) -> None:
        """Write the end of the file."""
        if self.out is not None:
            self.out.close()


class SheetWriter:
    """Writes XLSX: the same bytes for the same rows."""

    def __init__(self, file: BinaryIO) -> None:
        require("openpyxl")
        import openpyxl

        self.file = file
        self.book: Any = openpyxl.Workbook(write_only=True)
        self.book.properties.created = datetime(1980, 1, 1)
        self.sheet: Any = None

    def write(self, columns: Sequence[str], rows: Cells, notation: Notation = NOTATION) -> None:
        """Write rows; the first call also writes the names of the columns."""
        header = [columns] if columns and self.sheet is None else []
        self.sheet = self.sheet or self.book.create_sheet(notation.sheet)
        for row in [*header, *rows]:
            self.sheet.append([self._cell(cell) for cell in row])

    def _cell(self, value: Any) -> Any:
        from openpyxl.cell import WriteOnlyCell

        value = _of_sheet(value)
        return _fill(WriteOnlyCell(self.sheet), value) if isinstance(value, str) else value

    def close(self) -> None:
        """Write the file, without its time."""
        made = io.BytesIO()
        self.book.save(made)
        with zipfile.ZipFile(made) as old, zipfile.ZipFile(self.file, "w") as new:
            for name in old.namelist():
                content = old.read(name)
                if name == "docProps/core.xml":
                    time_of = rb"(:modified[^>]*>)[^<]+"
                    content = re.sub(time_of, rb"\g<1>1980-01-01T00:00:00Z", content)
                new.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)


class SheetCopy(SheetWriter):
    """Adds columns to a copy of a workbook; its other cells, sheets and formats stay."""

    def __init__(self, file: BinaryIO, source: str) -> None:
        super().__init__(file)
        self.source = source

    def add(self, block: Block, columns: Mapping[str, Sequence[Any]]) -> None:
        """Write cells at the right of the rows of a block, and the names at the right of its header."""
        sheet = self.sheet = self.sheet or self._loaded(block.notation.sheet)
        filled = (row[0].row for row in sheet.iter_rows() if any(c.value is not None for c in row))
        header = [] if block.has_no_names else [next(filled)]
        merged = (some.max_col for some in sheet.merged_cells.ranges)
        for place, (name, cells) in enumerate(columns.items(), max(len(block.columns), *merged, 0)):
            lines, values = [*header, *block.lines], [*([name] if header else []), *cells]
            for line, value in zip(lines, values, strict=True):
                _fill(sheet.cell(line, place + 1), _of_sheet(value))

    def _loaded(self, name: str) -> Any:
        import openpyxl

        try:
            with warnings.catch_warnings(action="ignore"):  # about formats that are no cells
                self.book = openpyxl.load_workbook(self.source, rich_text=True)
        except (LookupError, TypeError, ValueError, OSError) as error:
            raise StsError(f"{self.source}: cannot be copied ({error}); write .csv") from None
        return self.book[name]


def _of_sheet(value: Any) -> Any:
    """Return a value as a cell of XLSX holds it; None if it is missing."""
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    if is_missing(value):
        return None
    if not isinstance(value, str | int | float | date | time):
        value = json.dumps(value, ensure_ascii=False, default=str)
    elif getattr(value, "tzinfo", None):
        value = str(value)
    if not isinstance(value, str):
        return value
    if len(value) > 32_767:
        raise StsError(f"{value[:40]!r}…: too long for a cell of XLSX; write CSV")
    return ILLEGAL_CHARACTERS_RE.sub("\ufffd", value)


def _fill(cell: Any, value: Any) -> Any:
    """Return a cell with a value of :func:`_of_sheet`."""
    cell.value = value
    if isinstance(value, str):
        cell.data_type = "s"  # also what begins with =, which is no formula
    return cell


Writer = TextWriter | ParquetWriter | SheetWriter | SheetCopy


_AT_ONCE = 4096


def write_table(
    path: Path | None,
    kind: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    digits: int | None = None,
    named: bool = True,
    notation: Notation = NOTATION,
) -> int:
    """Write rows to a file, whole or not at all, or to stdout as they come; return their number.

    Args:
        path: None is stdout.
        kind: format, see :data:`.table_kinds.TABLES`.
        columns: names of the cells.
        rows: of strings, numbers, or for JSON lists too.
        digits: digits after the point of numbers; None leaves them.
        named: whether TSV begins with the names; other formats always have them.
        notation: how text is written: delimiter, decimal mark, encoding.
    """
    as_text = kind in ("tsv", "csv", "table")

    def shown(cell: Any) -> Any:
        if digits is None or not isinstance(cell, float):
            return cell
        if as_text:
            return f"{cell:z.{digits}f}".replace(".", notation.decimal)
        return round(cell, digits) + 0.0

    names = columns if named or kind != "tsv" else ()
    several, count = iter(rows), 0
    with writer(None if path is None else str(path), kind, sys.stdout) as out:
        while some := [[shown(cell) for cell in row] for row in islice(several, _AT_ONCE)]:
            out.write(names, some, notation)
            count += len(some)
        if not count:
            out.write(names, [], notation)
    return count
