"""Lines of text as a stream, one in memory at a time; lines written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from functools import cache, partial
from pathlib import Path
from typing import BinaryIO

import numpy as np

from semaniacs.embeddings.tokenizers.row_numbers import Utf8Sentences
from semaniacs.sts.data.table_kinds import is_table
from semaniacs.sts.encodings import LONGEST_LINE, bounded_lines, check_no_nul, decode, open_text
from semaniacs.sts.errors import DataError
from semaniacs.sts.files import BINARY, ending_of, write_lines
from semaniacs.sts.progress import note

STDIN = "-"

_BLOCK = 1 << 22  # bytes that are read at once

_NEWLINE = ord("\n")


def lines(source: str) -> Iterator[str]:
    """Yield the lines of a UTF-8 file, which may be gzipped, or of stdin if ``source`` is ``-``.

    A line ends in ``\\n`` or ``\\r\\n`` and in nothing else, see :func:`semaniacs.sts.files.split_lines`.
    Raises a DataError if it is missing, empty, damaged, or not UTF-8 (with the line).
    """
    number = 0
    with _opened(source) as file:
        for number, raw in enumerate(bounded_lines(file, source), 1):
            yield decode(raw, source, number).removesuffix("\n").removesuffix("\r")
    _check_not_empty(source, number)


def read_utf8(source: str) -> Utf8Sentences:
    """Return all lines as bytes; strings are made of those that are asked for.

    Errors are those of :func:`lines`; that a line is not UTF-8 is found where it is read.
    """
    with _opened(source) as file:
        size = 0 if source == STDIN else Path(source).stat().st_size
        # In one block if it can be: to join blocks is to copy them.
        text = b"".join(_blocks(file, source, max(_BLOCK, min(size + 1, LONGEST_LINE))))
    _check_not_empty(source, len(text))
    return Utf8Sentences.lines(text, partial(_decode_line, source))


def utf8_batches(source: str, batch: int, block: int = _BLOCK) -> Iterator[Utf8Sentences]:
    """Yield lines as :func:`read_utf8` returns them, ``batch`` at a time; only the last are fewer.

    ``block`` bytes are read at once.
    """
    count, held = 0, b""
    with _opened(source) as file:
        for read in _blocks(file, source, block):
            held += read
            if held.count(b"\n") >= batch:
                end = held.rindex(b"\n") + 1
                lines = Utf8Sentences.lines(held[:end], partial(_decode_line, source), count)
                full = len(lines) - len(lines) % batch
                yield from lines[:full].batches(batch)
                count += full
                held = held[lines.begins[full] if full < len(lines) else end :]
    lines = Utf8Sentences.lines(held, partial(_decode_line, source), count)
    yield from lines.batches(batch)
    _check_not_empty(source, count + len(lines))


def _blocks(file: BinaryIO, source: str, size: int) -> Iterator[bytes]:
    """Yield the bytes of a file, some at a time; a line that is far too long is an error."""
    number, length = 1, 0
    while block := file.read(size):
        check_no_nul(block, source, number)
        number += int(np.count_nonzero(np.frombuffer(block, np.uint8) == _NEWLINE))
        end = block.rfind(b"\n")
        length = len(block) - 1 - end + (length if end < 0 else 0)
        if length > LONGEST_LINE:
            raise DataError(
                f"{source}:{number}: a line of more than {LONGEST_LINE:,} bytes; "
                "expected lines of text"
            )
        yield block


def _decode_line(source: str, raw: bytes, line: int) -> str:
    return decode(raw, source, line + 1)


def _check_not_empty(source: str, count: int) -> None:
    if not count:
        raise DataError(f"{source}: empty; expected at least one line")


def columns(source: str, names: str) -> Iterator[list[str]]:
    """Yield the cells of each of the :func:`lines`, separated by tabs.

    ``names`` are those of the columns, separated by spaces. A DataError names a line with more or fewer
    cells.
    """
    expected = names.split()
    for number, line in enumerate(lines(source), 1):
        cells = line.split("\t")
        if len(cells) != len(expected):
            found, wanted = len(cells), len(expected)
            fewer = f"; cut -f1-{wanted} keeps the first" if found > wanted else ""
            raise DataError(
                f"{source}:{number}: {found} column{'s' * (found != 1)}; expected {wanted}, "
                f"separated by tabs: {', '.join(expected)}{fewer}"
            )
        yield cells


def write_out(out: Iterable[str], output: Path | None) -> None:
    """Write lines to a file, whole or not at all, or to stdout as they come."""
    if output:
        write_lines(output, out)
    else:
        for line in out:
            print(line)


def _opened(source: str) -> AbstractContextManager[BinaryIO]:
    """Open a file, gzipped or not, or stdin; errors while it is read name it."""
    if (ending := ending_of(source)) in (*BINARY, "tmx", "xlf", "xliff"):
        raise DataError(f"{source}: {ending} is not read as lines; expected one sentence per line")
    if is_table(source) and ending != "tsv":
        _tell_plain(source)
    return open_text(source)


@cache
def _tell_plain(source: str) -> None:
    note(
        f"{source}: read as plain lines; expected one sentence per line, or two with a tab between them"
    )
