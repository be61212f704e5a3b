"""Tables written in blocks: CSV, TSV, lines of JSON, Parquet, or columns aligned for people; gzip too."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

from sts.data.texts import is_missing
from sts.errors import StsError
from sts.files import whole


@contextmanager
def writer(path: str | None, kind: str, stdout: TextIO) -> Iterator[Writer]:
    """Target for rows: a file that appears when all rows are written, or stdout.

    Raises:
        StsError: the file cannot be written, or Parquet is to be written to stdout.
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
    """:func:`sts.files.whole`; gzip, without a time, if the name ends in ``.gz``."""
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
        """Write rows; the first call writes the names of the columns, if there are any, too."""
        if self.kind == "jsonl":
            for row in rows:
                cells = (None if is_missing(cell) else cell for cell in row)  # JSON has no NaN
                record = dict(zip(columns, cells, strict=True))
                self.file.write(json.dumps(record, ensure_ascii=False) + "\n")
        elif self.kind == "csv":
            out = csv.writer(self.file, lineterminator="\n")
            out.writerows([] if self.begun else [columns])
            out.writerows(rows)
        else:
            named = [columns] if columns and not self.begun else []
            lines = [[*map(_in_line, row)] for row in [*named, *rows]]
            if self.kind == "table":
                lines = self._aligned(lines)
            self.file.writelines("\t".join(line) + "\n" for line in lines)
        self.begun = True

    def _aligned(self, lines: list[list[str]]) -> list[list[str]]:
        """A cell a line; the columns are as wide as the first rows that are written want."""
        self.widths = self.widths or [max(map(len, column)) for column in zip(*lines, strict=True)]
        padded = (map(str.ljust, line, self.widths) for line in lines)
        return [["  ".join(line).rstrip()] for line in padded]


def on_a_line(text: str) -> str:
    """A text as a cell of TSV: a tab or a line end, which cells of other tables hold, is a space."""
    return re.sub(r"\r\n?|\n|\t", " ", text)


def _in_line(cell: object) -> str:
    return "" if cell is None else on_a_line(str(cell))


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
        """Write what Parquet ends with."""
        if self.out is not None:
            self.out.close()


Writer = TextWriter | ParquetWriter
