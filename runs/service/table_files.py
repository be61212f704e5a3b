"""Tables that a person opens on the page, read and given back as on the command line."""

from __future__ import annotations

import io
import re
import sys
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from semaniacs.runs.service.bodies import Table
from semaniacs.sts.data.notation import Notation, sides_of
from semaniacs.sts.data.pair_table import PairColumns, find_columns
from semaniacs.sts.data.pairs import is_missing
from semaniacs.sts.data.table_blocks import Block, is_sentence, raw_rows
from semaniacs.sts.data.table_kinds import RAW, READ_ONLY, kind_of
from semaniacs.sts.data.table_writers import TextWriter, with_blanks, writer
from semaniacs.sts.encodings import marked_encoding
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.files import escaped, temporary_folder, whole_packed

_ID = re.compile(r"(\w+[ _-])?(q|pair)?(id|key|nr|no|number|index|#)", re.I)
"""Names of columns of ids."""


class Opened(NamedTuple):
    """A file of the page: where it lies in UTF-8, its format, its encoding, and its rows."""

    path: Path
    kind: str
    encoding: str
    blocks: list[Block]


@contextmanager
def opened(table: Table) -> Iterator[Opened]:
    """Read a file as a person says; text that is not UTF-8 is cp1252 or Latin-1, unless given.

    Raises:
        StsError: as for ``semaniacs score``; the file is named.
    """
    name, raw, encoding = Path(table.name).name or "table", table.content, "utf-8"
    kind = "csv" if table.delimiter and kind_of(name) == "tsv" else kind_of(name)
    if kind in (*RAW, "json") and not raw.startswith(b"\x1f\x8b"):
        raw, encoding = as_utf8(name, raw, table.encoding)
    with temporary_folder("page") as folder:
        path = folder / name
        path.write_bytes(raw)
        try:
            where = PairColumns(header=table.header, delimiter=table.delimiter)
            if not (blocks := [*where.blocks(str(path))]):
                raise DataError(f"{name}: names of columns and no pair")
            if table.header is None and _names_both(blocks[0]):
                blocks = [*replace(where, header=True).blocks(str(path))] or blocks
            yield Opened(path, kind, encoding, blocks)
        except StsError as error:
            raise StsError(str(error).replace(str(path), name)) from None


def read_table(table: Table) -> dict[str, Any]:
    """Return columns and rows, the places of answers, references and ids, and how it was read."""
    with opened(table) as (path, kind, encoding, blocks):
        columns = blocks[0].columns
        left, right = guess_columns(str(path), columns)
    rows = [
        ["" if is_missing(c) else escaped(str(c)) for c in row] for b in blocks for row in b.rows
    ]
    ids = [at for at, one in enumerate(columns) if _ID.fullmatch(one.strip())]
    ids = [at for at in ids if at not in (left, right)]
    found = {"columns": columns, "rows": rows, "left": left, "right": right}
    how = {"kind": kind, "encoding": encoding, "header": not blocks[0].has_no_names}
    return found | blocks[0].notation._asdict() | how | {"id": ids[0] if ids else None}


def write_scored(table: Table) -> dict[str, Any]:
    """Return the name of a file and its content, in base64, as it came with columns behind its own.

    CSV, TSV and JSON lines are kept to the byte; formats that are not written become CSV.
    """
    with opened(table) as (path, kind, encoding, blocks):
        own, named = blocks[0].columns, not blocks[0].has_no_names
        names = [f"new_{name}" if name in own else name for name in table.added]
        notation = blocks[0].notation
        cells = [*zip(*table.added.values(), strict=False)]
        rows = [row for block in blocks for row in block.rows]
        if len(cells) != len(rows):
            raise StsError(f"{table.name}: {len(cells)} cells to add, expected {len(rows)}")
        plain, packed = path.name.removesuffix(".gz"), ".gz" * path.name.endswith(".gz")
        ending = ".csv" if kind in READ_ONLY else Path(plain).suffix
        target = path.with_name(f"{Path(plain).stem}.scored{ending}{packed}")
        if kind in RAW:
            more = [names] * named + [*cells] if kind != "jsonl" else cells
            raw = (row.decode() for row in raw_rows(str(path), kind, table.delimiter))
            lines = map(partial(_longer, kind, names, notation), raw, more)
            text, code = "".join(lines), notation.encoding if encoding == "utf-8" else encoding
            try:
                content = text.encode(code)
            except UnicodeEncodeError:  # a sign of what differs; Excel reads UTF-8 by its mark
                content = text.encode("utf-8-sig", "backslashreplace")
            with whole_packed(target) as file:
                file.write(content)
        else:
            rows = [[*row, *more] for row, more in zip(rows, cells, strict=True)]
            if kind == "xlsx":
                rows = with_blanks(rows, [line for b in blocks for line in b.lines], None)
            elif kind in READ_ONLY:
                notation = notation._replace(encoding="utf-8-sig")
            written_as = "csv" if kind in READ_ONLY else kind
            with writer(str(target), written_as, sys.stdout) as out:
                out.write([*own, *names] if named else [], rows, notation)
        return {"name": target.name, "content": b64encode(target.read_bytes()).decode()}


def _longer(
    kind: str, names: Sequence[str], notation: Notation, row: str, cells: Sequence[Any]
) -> str:
    """Return a row of text with further cells before the end of its line."""
    made, body = io.StringIO(), row.rstrip("\r\n")
    if kind == "jsonl":
        TextWriter(made, kind).write(names, [cells])
        return f"{body.rstrip()[:-1]}, {made.getvalue()[1:-1]}{row[len(body) :]}"
    TextWriter(made, kind).write((), [["", *cells]], notation)
    return f"{body}{made.getvalue()[:-1]}{row[len(body) :]}"


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
