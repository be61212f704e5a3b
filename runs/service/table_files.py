"""Tables that a person opens on the page, read as on the command line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from semaniacs.runs.service.bodies import Table
from semaniacs.sts.data.notation import sides_of
from semaniacs.sts.data.pair_table import PairColumns, find_columns
from semaniacs.sts.data.pairs import is_missing
from semaniacs.sts.data.table_blocks import Block, is_sentence, raw_rows
from semaniacs.sts.data.table_kinds import RAW, kind_of
from semaniacs.sts.encodings import marked_encoding
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.files import escaped, temporary_folder

_ID = re.compile(r"(\w+[ _-])?(q|pair)?(id|key|nr|no|number|index|#)", re.I)
"""Names of columns of ids."""


def read_table(table: Table) -> dict[str, Any]:
    """Return columns and rows, the places of answers, references and ids, and how it was read.

    ``lines`` are the rows of CSV, TSV and JSON lines as they are written, a header included. Text
    that is not UTF-8 is read as cp1252 or Latin-1, unless an encoding is given.

    Raises:
        StsError: as for ``semaniacs score``; the file is named.
    """
    name, raw, encoding = Path(table.name).name or "table", table.content, "utf-8"
    if kind_of(name) in (*RAW, "json") and not raw.startswith(b"\x1f\x8b"):
        raw, encoding = as_utf8(name, raw, table.encoding)
    with temporary_folder("page") as folder:
        path = str(folder / name)
        Path(path).write_bytes(raw)
        try:
            where = PairColumns(header=table.header, delimiter=table.delimiter)
            if not (blocks := [*where.blocks(path)]):
                raise DataError(f"{name}: names of columns and no pair")
            if table.header is None and _names_both(blocks[0]):
                blocks = [*replace(where, header=True).blocks(path)] or blocks
            columns, kind, lines = blocks[0].columns, kind_of(path), None
            if kind in RAW:
                lines = [line.decode() for line in raw_rows(path, kind, table.delimiter)]
            left, right = guess_columns(path, columns)
        except StsError as error:
            raise StsError(str(error).replace(path, name)) from None
    rows = [
        ["" if is_missing(c) else escaped(str(c)) for c in row] for b in blocks for row in b.rows
    ]
    ids = [at for at, one in enumerate(columns) if _ID.fullmatch(one.strip())]
    ids = [at for at in ids if at not in (left, right)]
    found = {"columns": columns, "rows": rows, "left": left, "right": right, "lines": lines}
    how = {"kind": kind, "encoding": encoding, "header": not blocks[0].has_no_names}
    return found | blocks[0].notation._asdict() | how | {"id": ids[0] if ids else None}


def as_utf8(name: str, raw: bytes, encoding: str | None) -> tuple[bytes, str]:
    """Return text as UTF-8, and its encoding; a :class:`DataError` if it is in none."""
    given = encoding or marked_encoding(raw)
    for one in [given] if given else ["utf-8", "cp1252", "latin-1"]:
        with suppress(LookupError, UnicodeError):
            return raw.decode(one).encode("utf-8"), one
    raise DataError(f"{name}: not text in {given}; choose another encoding")


def _names_both(block: Block) -> bool:
    """Return whether the first row of a TSV names answers and references: it is a header."""
    first = [str(cell) for cell in block.rows[0]]
    return block.has_no_names and not any(map(is_sentence, first)) and all(sides_of(first))


def guess_columns(path: str, columns: Sequence[str]) -> tuple[int | None, int | None]:
    """Return the places of :func:`.find_columns`; None for both if it is unclear."""
    texts = [column for column in columns if not _ID.fullmatch(column.strip())]
    for names in (columns, texts if len(texts) > 1 else columns):
        try:
            left, right = find_columns(path, names, None, None)
            return columns.index(left), columns.index(right)
        except StsError:
            if len(columns) < 2:
                raise
    return None, None
