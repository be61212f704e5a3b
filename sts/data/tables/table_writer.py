"""Tables written in blocks: CSV, TSV, lines of JSON, Parquet, or aligned columns; gzip too."""

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

from semaniacs.sts.data.texts import is_missing
from semaniacs.sts.errors import StsError
from semaniacs.sts.files import whole


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
