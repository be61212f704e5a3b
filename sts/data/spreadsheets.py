"""XLSX read and written, by openpyxl."""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, BinaryIO
from xml.etree.ElementTree import ParseError

from semaniacs.sts.data.notation import NOTATION, Notation
from semaniacs.sts.data.pairs import is_missing
from semaniacs.sts.errors import DataError, StsError, require
from semaniacs.sts.progress import note

_LONGEST = 32_767
"""Most characters of a cell."""


def sheet_rows(path: str) -> Iterator[tuple[int, list[Any]]]:
    """Yield number and cells of each row of the first sheet that is not blank.

    Raises:
        DataError: the file is missing or damaged.
        MissingResourceError: openpyxl is not installed.
    """
    if path == "-":
        raise StsError("XLSX cannot be read from stdin; name a file")
    require("openpyxl")
    import openpyxl
    from openpyxl.utils.exceptions import InvalidFileException

    width = 0
    try:
        with warnings.catch_warnings(action="ignore"):  # of formats that are no cells
            book = openpyxl.load_workbook(path, read_only=True, data_only=True)
            names = book.sheetnames
            rows = [list(row) for row in book.worksheets[0].iter_rows(values_only=True)]
            book.close()
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except (
        InvalidFileException,
        zipfile.BadZipFile,
        ParseError,
        LookupError,
        ValueError,
        OSError,
    ) as error:
        raise DataError(f"{path}: damaged, or not XLSX ({error}); save it again") from None
    if len(names) > 1:
        note(f"{path}: only the first of {len(names)} sheets is read: {names[0]}")
    for number, row in enumerate(rows, start=1):
        while row and row[-1] is None:
            row.pop()
        if row:
            width = width or len(row)
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

    def write(
        self,
        columns: Sequence[str],
        rows: Iterable[Sequence[Any]],
        notation: Notation = NOTATION,
    ) -> None:
        """Write rows; the first call also writes the names of the columns."""
        for row in rows if self.begun or not columns else [columns, *rows]:
            self.sheet.append([self._cell(cell) for cell in row])
        self.begun = True

    def _cell(self, value: Any) -> Any:
        from openpyxl.cell import WriteOnlyCell
        from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

        if not isinstance(value, str):
            return None if is_missing(value) else value
        if len(value) > _LONGEST:
            raise StsError(
                f"{value[:40]!r}…: {len(value):,} characters; a cell of XLSX holds {_LONGEST:,}: "
                "write CSV"
            )
        cell = WriteOnlyCell(self.sheet, ILLEGAL_CHARACTERS_RE.sub("\ufffd", value))
        cell.data_type = "s"  # also what begins with =, which is no formula
        return cell

    def close(self) -> None:
        """Write the file, without its time."""
        made = io.BytesIO()
        self.book.save(made)
        time = re.compile(rb"\d{4}-\d\d-\d\dT[\d:]+Z")
        with zipfile.ZipFile(made) as old, zipfile.ZipFile(self.file, "w") as new:
            for name in old.namelist():
                content = old.read(name)
                if name == "docProps/core.xml":
                    content = time.sub(b"1980-01-01T00:00:00Z", content)
                new.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
