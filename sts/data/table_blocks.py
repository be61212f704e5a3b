"""Tables read and written in blocks of some thousand rows, so that one may be larger than memory.

CSV, TSV, lines of JSON and Parquet; gzip too. Columns can be aligned for people.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TextIO, cast

from semaniacs.sts.command_line import stdin
from semaniacs.sts.data.pairs import is_missing, is_number
from semaniacs.sts.data.table_kinds import listed
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.files import LONGEST_LINE, bounded_lines, decode, parse_json, whole
from semaniacs.sts.progress import counted, note

csv.field_size_limit(LONGEST_LINE)

BLOCK = 16_384
"""Rows of a block."""

NAMES = (
    ("left", "right"), ("sentence1", "sentence2"), ("sentence_1", "sentence_2"),
    ("text1", "text2"), ("text_1", "text_2"), ("s1", "s2"), ("a", "b"), ("premise", "hypothesis"),
    ("question1", "question2"), ("source", "target"), ("first", "second"),
    ("sentence_a", "sentence_b"), ("text_a", "text_b"), ("question", "answer"), ("query", "answer"),
    ("anchor", "positive"), ("original", "paraphrase"),
)  # fmt: skip
"""Usual names of the two columns of sentences."""

Row = tuple[int, Any]
"""Number of the line that a row begins in, and its cells: a list, or an object of JSON."""


class Block(NamedTuple):
    """Some rows of a table.

    Attributes:
        lines: (n,) place of each row, from 1; in text the number of the line it begins in.
        columns: names, or ("1", "2", …) of a table without a header.
        rows: (n, columns) cells: strings, or whatever JSON or Parquet holds.
    """

    lines: Sequence[int]
    columns: tuple[str, ...]
    rows: list[list[Any]]

    @property
    def has_no_names(self) -> bool:
        """Whether the columns are counted."""
        return self.columns[0] == "1"

    def column(self, name: str) -> list[Any]:
        """Return the n cells of a column."""
        place = self.columns.index(name)
        return [row[place] for row in self.rows]


def read_blocks(
    path: str,
    kind: str,
    *,
    header: bool | None = None,
    size: int = BLOCK,
    delimiter: str | None = None,
    named: Collection[str] = (),
) -> Iterator[Block]:
    """Yield the rows of a table, ``size`` at a time.

    Args:
        path: a file, or ``-`` for stdin; gzip is recognised by its content.
        kind: one of :data:`.table_kinds.KINDS`. Cells of CSV may be quoted; in TSV quotes are
            characters.
        header: whether CSV or TSV begins with the names of the columns. None: CSV does, and TSV
            does if its first line holds one of ``named``, or two of :data:`NAMES` and no number.
        size: rows of a block.
        delimiter: between the cells of CSV. None: a semicolon if the first line has one, and
            neither comma nor tab; otherwise a comma.
        named: columns that the caller asks for.

    Raises:
        DataError: the file is missing or damaged, not UTF-8, or a row has another number of
            cells than the first; the line is named.
    """
    if kind == "parquet":
        yield from _read_parquet(path, size)
        return
    with _opened(path) as file:
        rows = _rows(bounded_lines(file, path), path, kind, delimiter)
        first = next(rows, None)
        if first is None:
            raise DataError(f"{path}: the file is empty; expected one row per line")
        columns = tuple(first[1])
        has_names = False
        if kind != "jsonl":
            has_names = kind == "csv" or _is_header(columns, named) if header is None else header
            if not has_names:
                columns = tuple(map(str, range(1, len(columns) + 1)))
            elif header is None and any(map(_is_sentence, columns)):
                _note_names(path, columns)
            _check_distinct(columns, f"{path}:1")
        if not has_names:
            rows = chain([first], rows)
        while block := list(islice(rows, size)):
            cells = [_in_order(path, line, row, columns) for line, row in block]
            yield Block([line for line, _ in block], columns, cells)


def raw_rows(path: str, kind: str, delimiter: str | None = None) -> Iterator[bytes]:
    """Yield the bytes of each row of a text format, header included; errors of :func:`read_blocks`."""
    taken: list[bytes] = []

    def taking(file: BinaryIO) -> Iterator[bytes]:
        for line in bounded_lines(file, path):
            taken.append(line)
            yield line

    with _opened(path) as file:
        for _ in _rows(taking(file), path, kind, delimiter):
            yield b"".join(taken)
            taken.clear()


def count_rows(path: str, kind: str) -> int | None:
    """Return the number of lines of a text file, for a progress bar; None for other files."""
    if kind == "parquet" or path.endswith(".gz") or not Path(path).is_file():
        return None
    with Path(path).open("rb") as file:
        return sum(part.count(b"\n") for part in iter(lambda: file.read(1 << 20), b""))


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    """Open a file or stdin, unpacked if it is gzip."""
    try:
        # Stdin stays open: a second reader gets the error of an empty file.
        file: Any = nullcontext(stdin()) if path == "-" else Path(path).open("rb")  # noqa: SIM115
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from None
    with file as opened:
        buffered: Any = opened if hasattr(opened, "peek") else io.BufferedReader(opened)
        packed = buffered.peek(2)[:2] == b"\x1f\x8b"
        try:
            yield cast(BinaryIO, gzip.GzipFile(fileobj=buffered)) if packed else buffered
        except (EOFError, OSError, zlib.error) as error:
            if not packed:
                raise
            raise DataError(f"{path}: damaged gzip ({error}); unpack it again") from None


def _rows(file: Iterable[bytes], path: str, kind: str, delimiter: str | None) -> Iterator[Row]:
    lines = _lines(file, path)
    if kind == "jsonl":
        return _json_rows(lines, path)
    if kind == "csv":
        return _csv_rows(lines, path, delimiter)
    return ((n, text.removesuffix("\n").removesuffix("\r").split("\t")) for n, text in lines)


def _lines(file: Iterable[bytes], path: str) -> Iterator[tuple[int, str]]:
    """Yield number and text of each line with its end, without the byte order mark."""
    for number, raw in enumerate(file, start=1):
        text = decode(raw, path, number)
        yield number, text.removeprefix("\ufeff") if number == 1 else text


def _csv_rows(lines: Iterator[tuple[int, str]], path: str, delimiter: str | None) -> Iterator[Row]:
    """Yield the rows that are not blank; a quoted cell may hold line ends."""
    first = next(lines, None)
    if first is None:
        return
    if delimiter is None:  # spreadsheets write a semicolon where a comma is in numbers
        semicolon = ";" in first[1] and "," not in first[1] and "\t" not in first[1]
        delimiter = ";" if semicolon else ","
    texts = (text for _, text in chain([first], lines))
    reader = csv.reader(texts, delimiter=delimiter, strict=True)
    begin = 1
    try:
        for row in reader:
            if row:
                yield begin, row
            begin = reader.line_num + 1
    except csv.Error as error:
        raise DataError(
            f"{path}:{begin}: not CSV ({error}); if tabs separate the cells, call it .tsv"
        ) from None


def _json_rows(lines: Iterator[tuple[int, str]], path: str) -> Iterator[Row]:
    """Yield an object for each line that is not blank."""
    for number, text in lines:
        if not text.strip():
            continue
        try:
            record = parse_json(text)
        except ValueError as error:
            raise DataError(f"{path}:{number}: not JSON ({error}); expected an object") from None
        if not isinstance(record, dict):
            raise DataError(
                f"{path}:{number}: {text[:80]!r}; expected an object of named cells in each line"
            )
        yield number, record


def _read_parquet(path: str, size: int) -> Iterator[Block]:
    if path == "-":
        raise StsError("Parquet cannot be read from stdin; name a file")
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


def _is_header(cells: Sequence[str], named: Collection[str]) -> bool:
    if any(name.isdigit() for name in named):  # columns are counted
        return False
    if any(name in cells for name in named):
        return True
    lower = {cell.strip().lower() for cell in cells}
    usual = any({one, other} <= lower for one, other in NAMES)
    return usual and not any(map(is_number, cells))


def _is_sentence(cell: str) -> bool:
    return len(cell.split()) > 2 or cell.rstrip().endswith((".", "?", "!"))


@cache
def _note_names(path: str, columns: tuple[str, ...]) -> None:
    """Print once that a line that looks like a row is taken for the names of the columns."""
    names = ", ".join(f"{name!r:.40}" for name in columns[:3])
    note(f"{path}:1: taken for the names of the columns: {names}; if they are none: --no-header")


def _check_distinct(columns: tuple[str, ...], place: str) -> None:
    if len(set(columns)) < len(columns):
        raise DataError(f"{place}: two columns have one name: {listed(columns)}")


def _in_order(path: str, line: int, row: Any, columns: tuple[str, ...]) -> list[Any]:
    """Return the cells of a row in the order of the columns."""
    if isinstance(row, dict):
        unknown = [name for name in row if name not in columns]
        if unknown:
            raise DataError(f"{path}:{line}: {unknown[0]!r:.80} is not in the first line")
        return [row.get(name) for name in columns]
    if len(row) != len(columns):
        one = 1 in (len(row), len(columns))
        advice = "; if another character separates the cells: --delimiter" if one else ""
        raise DataError(
            f"{path}:{line}: {counted(len(row), 'cell')}, expected {len(columns)}: "
            f"{str(row)[:80]}{advice}"
        )
    return list(row)


# Writing


@contextmanager
def writer(path: str | None, kind: str, stdout: TextIO) -> Iterator[Writer]:
    """Open a target for rows: a file that appears when all rows are written, or stdout.

    Raises:
        StsError: the file cannot be written, or Parquet would go to stdout.
    """
    if path is None or path == "-":
        if kind == "parquet":
            raise StsError("Parquet is not for a terminal or a pipe; name a file with --output")
        yield TextWriter(stdout, kind)
        stdout.flush()
        return
    with whole_packed(Path(path)) as file:
        if kind == "parquet":
            made = ParquetWriter(file)
            yield made
            made.close()
            return
        text = io.TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="")
        yield TextWriter(text, kind)
        text.flush()
        text.detach()


@contextmanager
def whole_packed(path: Path) -> Iterator[BinaryIO]:
    """Open :func:`semaniacs.sts.files.whole`; gzip, without a time, if the name ends in ``.gz``."""
    with whole(path) as file:
        if path.suffix != ".gz":
            yield file
            return
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
            yield cast(BinaryIO, packed)


class TextWriter:
    """Writes CSV, TSV, lines of JSON, or columns aligned for people: ``table``."""

    def __init__(self, file: TextIO, kind: str) -> None:
        self.file, self.kind = file, kind
        self.begun = False
        self.widths: list[int] = []

    def write(self, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Write rows; the first call also writes the names of the columns, if there are any."""
        header = [columns] if columns and not self.begun else []
        self.begun = True
        if self.kind == "jsonl":
            for row in rows:
                cells = (None if is_missing(cell) else cell for cell in row)  # JSON has no NaN
                record = dict(zip(columns, cells, strict=True))
                self.file.write(json.dumps(record, ensure_ascii=False) + "\n")
        elif self.kind == "csv":
            csv.writer(self.file, lineterminator="\n").writerows([*header, *rows])
        else:
            lines = [[on_a_line(cell) for cell in row] for row in [*header, *rows]]
            if self.kind == "table":
                self._align(lines)
            self.file.writelines("\t".join(line) + "\n" for line in lines)

    def _align(self, lines: list[list[str]]) -> None:
        """Pad the cells to the widths of the first rows that are written."""
        self.widths = self.widths or [max(map(len, column)) for column in zip(*lines, strict=True)]
        for line in lines:
            line[:] = ["  ".join(map(str.ljust, line, self.widths)).rstrip()]


def on_a_line(cell: object) -> str:
    """Return a cell as TSV has it: a tab or a line end becomes a space, None is empty."""
    return "" if cell is None else re.sub(r"\r\n?|\n|\t", " ", str(cell))


class ParquetWriter:
    """Writes Parquet, by pyarrow."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.out: Any = None

    def write(self, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Write a group of rows."""
        import pyarrow
        from pyarrow import parquet

        cells = list(zip(*rows, strict=True)) or [()] * len(columns)
        table = pyarrow.table({n: list(c) for n, c in zip(columns, cells, strict=True)})
        if self.out is None:
            self.out = parquet.ParquetWriter(self.file, table.schema)
        self.out.write_table(table.cast(self.out.schema))

    def close(self) -> None:
        """Write the end of the file."""
        if self.out is not None:
            self.out.close()


Writer = TextWriter | ParquetWriter
