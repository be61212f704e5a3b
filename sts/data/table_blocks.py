"""Tables read in blocks of some thousand rows, so that one may be larger than memory.

CSV, TSV, JSON, Parquet, XLSX, TMX and XLIFF; text may be gzipped.
"""

from __future__ import annotations

import csv
import json
import re
import warnings
import zipfile
from codecs import BOM_UTF8
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import chain, compress, islice, zip_longest
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import click

from semaniacs.sts.data.notation import NOTATION, SEPARATOR, Notation, is_header, notation_of
from semaniacs.sts.data.pairs import ABSENT, is_blank
from semaniacs.sts.data.segments import segment_rows
from semaniacs.sts.data.table_kinds import RAW, listed
from semaniacs.sts.encodings import LONGEST_LINE, bounded_lines, decode, open_text
from semaniacs.sts.errors import DataError, StsError, require, warn_once
from semaniacs.sts.files import BINARY, ending_of, parse_json
from semaniacs.sts.progress import counted, note

csv.field_size_limit(LONGEST_LINE)

BLOCK = 16_384  # rows of a block

Row = tuple[int, Any]
"""Number of the line that a row begins in, and its cells: a list, or an object of JSON."""


class Block(NamedTuple):
    """Some rows of a table.

    Attributes:
        lines: (n,) place of each row, from 1; in text the number of the line it begins in.
        columns: names, or ("1", "2", …) of a table without a header.
        rows: (n, columns) cells: strings, or whatever JSON, Parquet or XLSX holds.
        notation: delimiter, decimal mark and encoding of CSV; name of the sheet of XLSX.
    """

    lines: Sequence[int]
    columns: tuple[str, ...]
    rows: list[list[Any]]
    notation: Notation = NOTATION

    @property
    def has_no_names(self) -> bool:
        """Whether the columns are counted."""
        return self.columns[0] == "1"

    def select(self, kept: Sequence[bool]) -> Block:
        """Return some of the rows, in order."""
        lines, rows = [*compress(self.lines, kept)], [*compress(self.rows, kept)]
        return self._replace(lines=lines, rows=rows)

    def column(self, name: str) -> list[Any]:
        """Return the n cells of a column."""
        place = self.columns.index(name)
        return [row[place] for row in self.rows]

    def split_lists(self, name: str) -> list[Block]:
        """Return a block for each place in the lists of a column: their first items, then the second.

        Blank items are left out, and a list without another item has None. Other cells are first.
        """
        cells = self.column(name)
        if not any(isinstance(cell, list) for cell in cells):
            return [self]
        at = self.columns.index(name)
        lists = (cell if isinstance(cell, list) else [cell] for cell in cells)
        filled = ([one for one in items if not is_blank(one)] or [None] for items in lists)
        return [
            self._replace(
                rows=[
                    [*row[:at], item, *row[at + 1 :]]
                    for row, item in zip(self.rows, place, strict=True)
                ]
            )
            for place in zip_longest(*filled)
        ]


def read_blocks(
    path: str,
    kind: str,
    *,
    header: bool | None = None,
    size: int = BLOCK,
    delimiter: str | None = None,
    decimal: str | None = None,
    named: Collection[str] = (),
) -> Iterator[Block]:
    """Yield the rows of a table, ``size`` at a time.

    Args:
        path: a file, or ``-`` for stdin; gzip is recognised by its content.
        kind: one of :data:`.table_kinds.KINDS`. Cells of CSV may be quoted; in TSV quotes are
            characters.
        header: whether CSV, TSV or XLSX begins with the names of the columns. None: CSV and XLSX
            do, and TSV does by :func:`.notation.is_header`.
        delimiter, decimal: of CSV; None finds them, see :func:`.notation.notation_of`.
        named: columns that the caller asks for.

    Raises:
        DataError: the file is missing or damaged, not UTF-8, or a row has another number of
            cells than the first; the line is named.
    """
    if path == "-" and kind in BINARY:
        raise StsError(f"{kind.capitalize()} cannot be read from stdin; name a file")
    if kind == "parquet":
        yield from _read_parquet(path, size)
        return
    with _opened(path, kind, delimiter, decimal, named) as (found, notation):
        first, rows = next(found, None), found
        if first is None:
            raise DataError(f"{path}: the file is empty; expected one row per line")
        columns = tuple("" if name is None else str(name) for name in first[1])
        has_names = False
        if isinstance(first[1], dict):  # a row may lack a name: those of the first block count
            begin = [first, *islice(rows, size - 1)]
            first, rows = begin[0], chain(begin[1:], rows)
            columns = tuple(dict.fromkeys(chain.from_iterable(row for _, row in begin)))
        else:
            has_names = kind != "tsv" or is_header(columns, named) if header is None else header
            if not has_names:
                columns = tuple(map(str, range(1, len(columns) + 1)))
            elif header is None:
                _note_sentences(path, columns)
            _check_distinct(columns, f"{path}:1")
        if not has_names:
            rows = chain([first], rows)
        while block := list(islice(rows, size)):
            cells = [_in_order(path, line, row, columns) for line, row in block]
            if kind == "tsv" and not delimiter:
                _note_quotes(path, [line for line, _ in block], cells)
            yield Block([line for line, _ in block], columns, cells, notation)


def raw_rows(path: str, kind: str, delimiter: str | None = None) -> Iterator[bytes]:
    """Yield the bytes of each row of CSV, TSV or JSON lines, header included, as UTF-8."""
    taken: list[bytes] = []

    def taking(file: BinaryIO) -> Iterator[bytes]:
        for line in bounded_lines(file, path):
            taken.append(line)
            yield line

    with open_text(path) as file:
        if kind == "csv":
            delimiter = notation_of(file, path, delimiter).delimiter
        for _ in _rows(taking(file), path, kind, delimiter):
            yield b"".join(taken)
            taken.clear()


def count_rows(path: str, kind: str) -> int | None:
    """Return the number of lines of a text file, for a progress bar; None for other files."""
    if kind not in RAW or path.endswith(".gz") or not Path(path).is_file():
        return None
    with Path(path).open("rb") as file:
        return sum(part.count(b"\n") for part in iter(lambda: file.read(1 << 20), b""))


@contextmanager
def _opened(
    path: str, kind: str, delimiter: str | None, decimal: str | None, named: Collection[str]
) -> Iterator[tuple[Iterator[Row], Notation]]:
    """Open a file that is no Parquet: its rows, and how it is written."""
    if kind == "xlsx":
        name, cells = _read_sheet(path)
        yield cells, Notation(",", decimal or ".", sheet=name)
    elif kind in ("tmx", "xliff"):
        yield segment_rows(path, named), NOTATION
    else:
        with open_text(path) as file:
            found = Notation("\t", decimal or ".")
            kind = "csv" if kind == "tsv" and delimiter else kind
            if kind == "csv":
                found = notation_of(file, path, delimiter, decimal, named)
            if kind in ("csv", "tsv"):
                found = found._replace(encoding=getattr(file, "encoding", "utf-8"))
            yield _rows(bounded_lines(file, path), path, kind, found.delimiter), found


def _rows(file: Iterable[bytes], path: str, kind: str, delimiter: str | None) -> Iterator[Row]:
    lines = (
        (number, decode(raw.removeprefix(BOM_UTF8) if number == 1 else raw, path, number))
        for number, raw in enumerate(file, start=1)
    )
    if kind in ("json", "jsonl"):
        return _json_rows(lines, path)
    if kind == "csv":
        return _csv_rows(lines, path, delimiter or ",")
    return _tsv_rows(lines)


def _tsv_rows(lines: Iterator[tuple[int, str]]) -> Iterator[Row]:
    """Yield the rows; blank lines at the end of a table of several columns are none."""
    blank: list[Row] = []
    wide = False
    for number, text in lines:
        cells = text.removesuffix("\n").removesuffix("\r").split("\t")
        if wide and cells == [""]:
            blank.append((number, cells))
        else:
            wide = len(cells) > 1
            yield from (*blank, (number, cells))
            blank.clear()


def _csv_rows(lines: Iterator[tuple[int, str]], path: str, delimiter: str) -> Iterator[Row]:
    """Yield the rows that are not blank; a quoted cell may hold line ends."""
    first = next(lines, (1, ""))
    skipped = bool(SEPARATOR.fullmatch(first[1]))
    texts = (text for _, text in (lines if skipped else chain([first], lines)))
    reader = csv.reader(texts, delimiter=delimiter, strict=True)
    begin = 1 + skipped
    try:
        for row in reader:
            if row:
                yield begin, row
            begin = reader.line_num + 1 + skipped
    except csv.Error as error:
        raise DataError(
            f"{path}:{begin}: not CSV ({error}); if tabs separate the cells, call it .tsv"
        ) from None


def _json_rows(lines: Iterator[tuple[int, str]], path: str) -> Iterator[Row]:
    """Yield the objects of an array, or an object for each line that is not blank."""
    expected = "expected an object of named cells in each line, or an array of them"
    for number, text in lines:
        if not text.strip():
            continue
        array = text.lstrip().startswith("[")
        content = "".join([text, *(more for _, more in lines)]) if array else text
        try:
            found = parse_json(content.rstrip())
        except ValueError as error:
            line = number + getattr(error, "lineno", 1) - 1
            raise DataError(f"{path}:{line}: not JSON ({error}); {expected}") from None
        for line, record in _elements(content, number, len(found)) if array else [(number, found)]:
            if not isinstance(record, dict):
                raise DataError(f"{path}:{line}: {json.dumps(record)[:80]}; {expected}")
            yield line, record


def _elements(text: str, line: int, count: int) -> Iterator[Row]:
    """Yield the elements of a JSON array with the lines they begin in, or their places in the only one."""
    begin, between, rows = 0, re.compile(r"\s*[\[,]\s*"), "\n" not in text.strip()
    for place in range(count):
        at = between.match(text, begin).end()  # type: ignore[union-attr]
        record, end = json.JSONDecoder().raw_decode(text, at)
        yield line + (place if rows else text.count("\n", 0, at)), record
        begin = end


def _read_parquet(path: str, size: int) -> Iterator[Block]:
    import pyarrow
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            columns, first = tuple(file.schema_arrow.names), 1
            _check_distinct(columns, path)
            for batch in file.iter_batches(size):
                lines = range(first, first + len(batch))
                yield Block(lines, columns, [list(row.values()) for row in batch.to_pylist()])
                first += len(batch)
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except (pyarrow.ArrowInvalid, OSError) as error:
        raise DataError(f"{path}: damaged, or not Parquet ({error})") from None


def _read_sheet(path: str) -> tuple[str, Iterator[Row]]:
    """Return the name of the first sheet of XLSX or of ``--sheet``, and its rows that are not blank."""
    require("openpyxl")
    command = click.get_current_context(silent=True)
    name = command.meta.get("sheet") if command else None
    if not Path(path).is_file():
        raise DataError(f"{path}: no such file; XLSX is read from a file")
    import openpyxl

    try:
        with warnings.catch_warnings(action="ignore"):  # about formats that are no cells
            book = openpyxl.load_workbook(path, read_only=True, data_only=True)
            titles = [sheet.title for sheet in book.worksheets]
            if name is not None and name not in titles:
                raise StsError(f"{path}: no sheet {name!r}; it has {listed(titles)}")
            sheet = book.worksheets[titles.index(name) if name else 0]
            rows = [list(row) for row in sheet.iter_rows(values_only=True)]
            book.close()
    except (zipfile.BadZipFile, SyntaxError, LookupError, ValueError, OSError) as error:
        raise DataError(f"{path}: damaged, or not XLSX ({error}); save it again") from None
    if len(titles) > 1 and name is None:
        warn_once(f"{path}", f"{path}: of its sheets {sheet.title!r} is read; for others: --sheet")
    width = 0
    for row in rows:
        while row and row[-1] is None:
            row.pop()
        width = width or len(row)
        row.extend([None] * (width - len(row)) if row else [])
    while rows and not rows[-1]:
        rows.pop()
    return sheet.title, ((number, row) for number, row in enumerate(rows, start=1) if row)


@cache
def _note_sentences(path: str, columns: tuple[str, ...]) -> None:
    """Print once that names of columns look like sentences, if one does."""
    if any(len(name.split()) > 2 or name.rstrip().endswith((".", "?", "!")) for name in columns):
        names = ", ".join(f"{name!r:.40}" for name in columns[:3])
        note(
            f"{path}:1: taken for the names of the columns: {names}; if they are none: --no-header"
        )


def _note_quotes(path: str, lines: Sequence[int], rows: Sequence[Sequence[str]]) -> None:
    """Print the first line of TSV that is quoted as CSV is, which is not TSV."""
    is_quoted = re.compile('"(?s:.*)""(?s:.*)"').fullmatch
    quoted = (n for n, row in zip(lines, rows, strict=True) if any(map(is_quoted, row)))
    if number := next(quoted, None):
        note(f"{path}:{number}: quotes are read as they are; as in CSV with --input-format csv")


def _check_distinct(columns: tuple[str, ...], place: str) -> None:
    if len(set(columns)) < len(columns):
        raise DataError(f"{place}: two columns have one name: {listed(columns)}")


def _in_order(path: str, line: int, row: Any, columns: tuple[str, ...]) -> list[Any]:
    """Return the cells of a row in the order of the columns."""
    if isinstance(row, dict):
        unknown = [name for name in row if name not in columns]
        if unknown:
            raise DataError(f"{path}:{line}: {unknown[0]!r:.80} is in none of the first rows")
        return [row.get(name, ABSENT) for name in columns]
    if len(row) != len(columns):
        one = 1 in (len(row), len(columns))
        advice = "; if another character separates the cells: --delimiter" if one else ""
        if ending_of(path) in BINARY:
            advice = "; the first row names the columns: delete a title above it"
        elif any(str(cell).startswith('"') for cell in row):
            advice = "; if the cells are quoted as in CSV: --input-format csv"
        raise DataError(
            f"{path}:{line}: {counted(len(row), 'cell')}, expected {len(columns)}: "
            f"{str(row)[:80]}{advice}"
        )
    return list(row)
