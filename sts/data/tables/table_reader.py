"""Tables read in blocks: CSV, TSV, lines of JSON, Parquet; gzip too.

A block holds some thousand rows, so that a table may be larger than memory.
"""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from sts.command_line import stdin
from sts.data.tables.table_kinds import listed
from sts.data.texts import is_number
from sts.errors import DataError, StsError
from sts.files import LONGEST_LINE, bounded_lines, how_to_convert, parse_json
from sts.progress import note

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
"""Names of the two columns that are understood without being told."""


class Block(NamedTuple):
    """Some rows of a table.

    Attributes:
        lines: (n,) the place of each row, from 1; in text the number of the line it begins in.
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
        """The n cells of a column."""
        place = self.columns.index(name)
        return [row[place] for row in self.rows]


def read_blocks(
    path: str,
    kind: str,
    *,
    header: bool | None = None,
    size: int = BLOCK,
    delimiter: str | None = None,
    expected: str = "a pair of sentences",
    named: Collection[str] = (),
) -> Iterator[Block]:
    """The rows of a table, ``size`` at a time, in order.

    Args:
        path: a file, or ``-`` for stdin; gzip is recognised by its content.
        kind: one of :data:`.table_kinds.KINDS`. In CSV cells may be quoted; in TSV quotes are characters.
        header: whether CSV or TSV begins with the names of the columns. None: CSV does, and TSV
            does if its first line holds one of ``named``, or two of :data:`NAMES` and no number.
        size: of a block.
        delimiter: between the cells of CSV. None: a semicolon if the first line has one, and
            neither comma nor tab; otherwise a comma.
        expected: what stands in a line, for the error about an empty file.
        named: columns that are asked for.

    Raises:
        DataError: the file is missing or damaged, not UTF-8, or a row has another number of
            cells than the first; the line is named.
    """
    if kind == "parquet":
        yield from _read_parquet(path, size)
        return
    with _opened(path) as file:
        lines = _lines(bounded_lines(file, path), path)
        rows = _json_rows(lines, path) if kind == "jsonl" else _cells(lines, path, kind, delimiter)
        first = next(rows, None)
        if first is None:
            raise DataError(f"{path}: the file is empty; expected {expected} a line")
        cells: Any = first[1]
        if kind == "jsonl":
            columns = tuple(cells)
        else:
            has_names = header if header is not None else kind == "csv" or _is_header(cells, named)
            columns = tuple(cells) if has_names else tuple(map(str, range(1, len(cells) + 1)))
            if header is None and any(map(_is_sentence, columns)):
                _tell_names(path, columns)
            if len(set(columns)) < len(columns):
                raise DataError(f"{path}:1: two columns have one name: {listed(columns)}")
        if kind == "jsonl" or not has_names:
            rows = _again(first, rows)
        for block in iter(lambda: list(islice(rows, size)), []):
            cells = [_fit(path, n, row, columns) for n, row in block]
            yield Block([n for n, _ in block], columns, cells)


def raw_rows(path: str, kind: str, delimiter: str | None = None) -> Iterator[bytes]:
    """The bytes of each row of a text format, the names of the columns among them, as they stand.

    Raises:
        DataError: as for :func:`read_blocks`.
    """
    taken: list[bytes] = []

    def taking(file: BinaryIO) -> Iterator[bytes]:
        for line in bounded_lines(file, path):
            taken.append(line)
            yield line

    with _opened(path) as file:
        lines = _lines(taking(file), path)
        for _ in (
            _json_rows(lines, path) if kind == "jsonl" else _cells(lines, path, kind, delimiter)
        ):
            yield b"".join(taken)
            taken.clear()


def count_rows(path: str, kind: str) -> int | None:
    """About how many rows a table has, for a progress bar; None where that takes reading it.

    They are the lines of a text file, so a header and line ends within cells are counted too.
    """
    if kind == "parquet" or path.endswith(".gz") or not Path(path).is_file():
        return None
    with Path(path).open("rb") as file:
        return sum(part.count(b"\n") for part in iter(lambda: file.read(1 << 20), b""))


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    """The lines of a file or of stdin, unpacked if it is gzip."""
    try:
        # Stdin stays open: who reads it again is told that it is empty.
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


def _lines(file: Iterable[bytes], path: str) -> Iterator[tuple[int, str]]:
    """The number and the text of each line with its end, without the mark of byte order."""
    for number, raw in enumerate(file, start=1):
        try:
            text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise DataError(
                f"{path}:{number}: byte 0x{raw[error.start]:02x} is not UTF-8; "
                f"{how_to_convert(raw if number == 1 else b'')}"
            ) from None
        yield number, text


def _without_end(text: str) -> str:
    return text.removesuffix("\n").removesuffix("\r")


def _cells(
    lines: Iterator[tuple[int, str]], path: str, kind: str, delimiter: str | None = None
) -> Iterator[tuple[int, list[Any]]]:
    """Rows of cells; a quoted cell of CSV may hold line ends."""
    if kind == "tsv":
        yield from ((number, _without_end(text).split("\t")) for number, text in lines)
        return
    number = 0
    first = next(lines, None)
    if first is None:
        return

    def counted() -> Iterator[str]:
        nonlocal number
        for number, text in _again(first, lines):  # noqa: B007
            yield text

    reader = csv.reader(counted(), delimiter=delimiter or _delimiter_of(first[1]), strict=True)
    begin = 1
    try:
        for row in reader:
            if row:  # not a blank line
                yield begin, row
            begin = number + 1
    except csv.Error as error:
        raise DataError(
            f"{path}:{begin}: not CSV ({error}); where tabs stand between cells, call it .tsv"
        ) from None


def _delimiter_of(line: str) -> str:
    """The semicolon of spreadsheets in countries with a decimal comma, or the comma."""
    return ";" if ";" in line and "," not in line and "\t" not in line else ","


def _json_rows(lines: Iterator[tuple[int, str]], path: str) -> Iterator[tuple[int, Any]]:
    """An object for each line that is not blank."""
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
    """Row groups of Parquet, by pyarrow."""
    if path == "-":
        raise StsError("Parquet cannot be read from stdin; name a file")
    import pyarrow
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            columns, first = tuple(file.schema_arrow.names), 1
            if len(set(columns)) < len(columns):
                raise DataError(f"{path}: two columns have one name: {listed(columns)}")
            for batch in file.iter_batches(size):
                lines = range(first, first + len(batch))
                yield Block(lines, columns, [list(r.values()) for r in batch.to_pylist()])
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


@cache
def _tell_names(path: str, columns: tuple[str, ...]) -> None:
    """Say once that what looks like a row is taken for the names of the columns."""
    names = ", ".join(f"{name!r:.40}" for name in columns[:3])
    note(f"{path}:1: taken for the names of the columns: {names}; if they are none: --no-header")


def _is_sentence(cell: str) -> bool:
    return len(cell.split()) > 2 or cell.rstrip().endswith((".", "?", "!"))


def _again(first: Any, rest: Iterator[Any]) -> Iterator[Any]:
    yield first
    yield from rest


def _fit(path: str, number: int, row: Any, columns: tuple[str, ...]) -> list[Any]:
    """The cells of a row in the order of the columns."""
    if isinstance(row, dict):
        unknown = [name for name in row if name not in columns]
        if unknown:
            raise DataError(f"{path}:{number}: {unknown[0]!r:.80} is not in the first line")
        return [row.get(name) for name in columns]
    if len(row) != len(columns):
        raise DataError(
            f"{path}:{number}: {len(row)} cell{'s' * (len(row) != 1)}, expected {len(columns)}: {str(row)[:80]}"
            + "; if another character stands between cells: --delimiter"
            * (1 in (len(row), len(columns)))
        )
    return list(row)
