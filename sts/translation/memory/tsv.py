"""Translations as tab-separated values: a header, and one line per entry.

Each untranslated word has a column of its own at the end. Tabs, newlines and backslashes are
escaped by a backslash; a lone surrogate, which UTF-8 cannot encode, is written as ``\\ud800``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from sts.errors import DataError
from sts.files import read_lines
from sts.translation.memory.store import Entry
from sts.translation.translator import Translation

_NEEDED = ("source", "target", "text", "translation")
_COLUMNS = ("provider", "version", *_NEEDED, "untranslated")

_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_UNSAFE = re.compile(r"[\\\t\n\r\ud800-\udfff]")
_ESCAPED = re.compile(r"\\(?:([\\tnr])|u([dD][89a-fA-F][0-9a-fA-F]{2})|(.?))", re.DOTALL)
_PLAIN = {"\\": "\\", "t": "\t", "n": "\n", "r": "\r"}


def lines(entries: Iterable[Entry]) -> Iterator[str]:
    """The lines of the file, each with its newline."""
    yield "\t".join(_COLUMNS) + "\n"
    for *cells, translation in entries:
        row = [*cells, translation.text, *translation.untranslated]
        yield "\t".join(_UNSAFE.sub(_escape, str(cell)) for cell in row) + "\n"


def _escape(found: re.Match[str]) -> str:
    return _ESCAPES.get(found[0]) or f"\\u{ord(found[0]):04x}"


def read(path: Path, version: str) -> Iterator[tuple[str, Entry]]:
    """File and line of each entry, and the entry; its provider may be empty.

    Its version is ``version`` where the file names none.

    Raises:
        DataError: a header or line that is not as it must be (with the line).
    """
    header, *rows = read_lines(path) or [""]
    names = header.split("\t")
    missing = [name for name in _NEEDED if name not in names]
    if missing or "untranslated" in names[:-1] or not set(names) <= set(_COLUMNS):
        raise DataError(
            f"{path}:1: the header is {header[:80]!r}; expected the columns {', '.join(_COLUMNS)}, "
            "separated by tabs; provider, version and untranslated may be absent"
        )
    single = [name for name in names if name != "untranslated"]
    for number, line in enumerate(rows, start=2):
        where = f"{path}:{number}"
        cells = [_plain(cell, where) for cell in line.split("\t")]
        if len(cells) < len(single) or (len(cells) > len(single) and single == names):
            raise DataError(f"{where}: {len(cells)} columns; expected {len(single)}: {header}")
        row = dict(zip(single, cells, strict=False))
        yield (
            where,
            Entry(
                row.get("provider", ""),
                row.get("version", version),
                row["source"],
                row["target"],
                row["text"],
                Translation(row["translation"], tuple(cells[len(single) :])),
            ),
        )


def _plain(cell: str, where: str) -> str:
    def plain(found: re.Match[str]) -> str:
        if found[1]:
            return _PLAIN[found[1]]
        if found[2]:
            return chr(int(found[2], 16))
        raise DataError(
            f"{where}: a backslash before {found[3]!r}; expected \\\\, \\t, \\n, \\r or \\ud800 "
            "to \\udfff"
        )

    return _ESCAPED.sub(plain, cell)
