"""Tables that a person opens on the page, read and given back as on the command line."""

from __future__ import annotations

import io
import re
import sys
from base64 import b64encode
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from semaniacs.runs.service.bodies import Table
from semaniacs.sts.data.pair_table import PairColumns, find_columns
from semaniacs.sts.data.pairs import is_missing
from semaniacs.sts.data.table_blocks import Block, raw_rows
from semaniacs.sts.data.table_kinds import RAW, READ_ONLY, kind_of
from semaniacs.sts.data.table_writers import SheetCopy, TextWriter, writer
from semaniacs.sts.encodings import marked_encoding
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.files import escaped, temporary_folder, whole_packed

_ID = re.compile(r"(\w+[ _-])?(q|pair)?(id|key|nr|no|number|index|#)", re.I)
"""Names of columns of ids."""


def read_table(table: Table) -> dict[str, Any]:
    """Return columns and rows, the places of answers, references and ids, and how it was read.

    Text that is not UTF-8 is read as cp1252 or Latin-1, unless an encoding is given. With columns
    to add, return the name and the content, in base64, of the same file with them.
    """
    name, raw, encoding = Path(table.name).name or "table", table.content, "utf-8"
    kind = "csv" if table.delimiter and kind_of(name) == "tsv" else kind_of(name)
    if kind in (*RAW, "json") and not raw.startswith(b"\x1f\x8b"):
        raw, encoding = as_utf8(name, raw, table.encoding)
    with temporary_folder("page") as folder:
        path = str(folder / name)
        Path(path).write_bytes(raw)
        try:
            where = PairColumns(header=table.header, delimiter=table.delimiter)
            if not (blocks := [*where.blocks(path)]):
                raise DataError(f"{name}: names of columns and no pair")
            if table.added:
                target = _write_longer(table, Path(path), kind, encoding, blocks)
                return {"name": target.name, "content": b64encode(target.read_bytes()).decode()}
            columns = blocks[0].columns
            left, right = guess_columns(path, columns)
        except StsError as error:
            raise StsError(str(error).replace(path, name)) from None
    rows = [
        ["" if is_missing(c) else escaped(str(c)) for c in row] for b in blocks for row in b.rows
    ]
    others = [name for at, name in enumerate(columns) if at not in (left, right)]
    ids = [columns.index(name) for name in others if _ID.fullmatch(name.strip())]
    found = {"columns": columns, "rows": rows, "left": left, "right": right}
    how = {"kind": kind, "encoding": encoding, "header": not blocks[0].has_no_names}
    questions = [columns.index(name) for name in others if name.strip().lower() == "question"]
    guessed = {"id": next(iter(ids), None), "question": next(iter(questions), None)}
    return found | blocks[0].notation._asdict() | how | guessed


def _write_longer(table: Table, path: Path, kind: str, encoding: str, blocks: list[Block]) -> Path:
    """Return a copy of a file with columns behind its own; lines of CSV and TSV are kept."""
    columns, notation = blocks[0].columns, blocks[0].notation
    names = [f"new_{name}" if name in columns else name for name in table.added]
    rows = [row for block in blocks for row in block.rows]
    cells = [*zip(*table.added.values(), strict=False)]
    if len(cells) != len(rows):
        raise StsError(f"{table.name}: {len(cells)} cells to add, expected {len(rows)}")
    header = [] if blocks[0].has_no_names else [*columns, *names]
    scored = re.sub(r"(\.\w+(\.gz)?)?$", r".scored\1", path.name, count=1)
    target = path.with_name(scored + ".csv" * (kind in READ_ONLY))
    if kind in ("csv", "tsv"):
        raw, made = (row.decode() for row in raw_rows(str(path), kind, table.delimiter)), ""
        for row, more in zip(raw, [names, *cells] if header else cells, strict=True):
            TextWriter(own := io.StringIO(), kind).write((), [["", *more]], notation)
            body = row.rstrip("\r\n")
            made += body + own.getvalue()[:-1] + row[len(body) :]
        code = notation.encoding if encoding == "utf-8" else encoding
        has_signs = made.encode(code, "ignore").decode(code) != made
        with whole_packed(target) as file:
            file.write(made.encode("utf-8-sig" if has_signs else code))
        return target
    longer = [[*row, *more] for row, more in zip(rows, cells, strict=True)]
    written = "csv" if kind in READ_ONLY else kind
    with writer(str(target), written, sys.stdout, str(path)) as out:
        if isinstance(out, SheetCopy):
            whole = blocks[0]._replace(lines=[line for block in blocks for line in block.lines])
            out.add(whole, dict(zip(names, zip(*cells, strict=True), strict=True)))
            return target
        out.write(header, longer, notation._replace(encoding="utf-8-sig"))  # Excel reads its mark
    return target


def as_utf8(name: str, raw: bytes, encoding: str | None) -> tuple[bytes, str]:
    """Return text as UTF-8, and its encoding; a :class:`DataError` if it is in none."""
    given = encoding or marked_encoding(raw)
    for one in [given] if given else ["utf-8", "cp1252", "latin-1"]:
        with suppress(LookupError, UnicodeError):
            return raw.decode(one).encode("utf-8"), one
    raise DataError(f"{name}: not text in {given}; choose another encoding")


def guess_columns(path: str, columns: Sequence[str]) -> tuple[int | None, int | None]:
    """Return the places of :func:`.find_columns`; None where it is unclear, and for a side without a column."""
    if len(columns) == 1:
        return 0, None
    texts = [column for column in columns if not _ID.fullmatch(column.strip())]
    for names in (columns, texts if len(texts) > 1 else columns):
        with suppress(StsError):
            left, right = find_columns(path, names, None, None)
            return columns.index(left), columns.index(right)
    return None, None
