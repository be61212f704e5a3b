"""XLSX read and written, by openpyxl."""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from semaniacs.sts.data.notation import NOTATION, Cells, Notation
from semaniacs.sts.data.pairs import is_missing
from semaniacs.sts.errors import DataError, StsError, require
from semaniacs.sts.progress import note


def sheet_rows(path: str) -> Iterator[tuple[int, list[Any]]]:
    """Yield number and cells of each row of the first sheet that is not blank.

    Raises:
        DataError: the file is missing or damaged.
    """
    if not Path(path).is_file():
        raise DataError(f"{path}: no such file; XLSX is read from a file")
    require("openpyxl")
    import openpyxl

    try:
        with warnings.catch_warnings(action="ignore"):  # about formats that are no cells
            book = openpyxl.load_workbook(path, read_only=True, data_only=True)
            rows = [list(row) for row in book.worksheets[0].iter_rows(values_only=True)]
            book.close()
    except (zipfile.BadZipFile, SyntaxError, LookupError, ValueError, OSError) as error:
        raise DataError(f"{path}: damaged, or not XLSX ({error}); save it again") from None
    if len(book.sheetnames) > 1:
        note(f"{path}: only the first sheet is read, {book.sheetnames[0]!r}")
    width = 0
    for number, row in enumerate(rows, start=1):
        while row and row[-1] is None:
            row.pop()
        width = width or len(row)
        if row:
            yield number, row + [None] * (width - len(row))


class SheetWriter:
    """Writes XLSX: the same bytes for the same rows."""

    def __init__(self, file: BinaryIO) -> None:
        require("openpyxl")
        import openpyxl

        self.file = file
        self.book: Any = openpyxl.Workbook(write_only=True)
        self.sheet: Any = self.book.create_sheet("scores")
        self.begun = False

    def write(self, columns: Sequence[str], rows: Cells, notation: Notation = NOTATION) -> None:
        """Write rows; the first call also writes the names of the columns."""
        for row in rows if self.begun or not columns else [columns, *rows]:
            self.sheet.append([self._cell(cell) for cell in row])
        self.begun = True

    def _cell(self, value: Any) -> Any:
        from openpyxl.cell import WriteOnlyCell
        from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

        if not isinstance(value, str):
            return None if is_missing(value) else value
        if len(value) > 32_767:
            raise StsError(f"{value[:40]!r}…: too long for a cell of XLSX; write CSV")
        cell = WriteOnlyCell(self.sheet, ILLEGAL_CHARACTERS_RE.sub("\ufffd", value))
        cell.data_type = "s"  # also what begins with =, which is no formula
        return cell

    def close(self) -> None:
        """Write the file, without its time."""
        made = io.BytesIO()
        self.book.save(made)
        with zipfile.ZipFile(made) as old, zipfile.ZipFile(self.file, "w") as new:
            for name in old.namelist():
                content = re.sub(
                    rb"\d{4}-\d\d-\d\dT[\d:]+Z", b"1980-01-01T00:00:00Z", old.read(name)
                )
                new.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
