"""Text of files and of stdin in any encoding, packed by gzip or not, read as UTF-8."""

from __future__ import annotations

import codecs
import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO, cast

from semaniacs.sts.errors import DataError, StsError

_GZIP = b"\x1f\x8b"

LONGEST_LINE = 2**26  # most bytes of a line; a few bytes of gzip may expand to any number of them


def bounded_lines(file: BinaryIO, origin: Path | str) -> Iterator[bytes]:
    """Yield the lines of a file with their ends; a DataError if one is too long."""
    for number in count(1):
        line = file.readline(LONGEST_LINE + 1)
        if len(line) > LONGEST_LINE:
            raise DataError(
                f"{origin}:{number}: a line of more than {LONGEST_LINE:,} bytes; "
                "expected lines of text"
            )
        if not line:
            return
        check_no_nul(line, origin, number)
        yield line


def decode(raw: bytes, origin: Path | str, first: int = 1) -> str:
    """Return UTF-8 text that begins at line ``first``; a DataError names the line of a bad byte."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + first
        # cp1252 is latin1 with quotes and dashes at 0x80 to 0x9f, five of which it lacks.
        encoding = "latin1" if {*raw} & {*b"\x81\x8d\x8f\x90\x9d"} else "cp1252"
        raise DataError(
            f"{origin}:{line}: byte 0x{raw[error.start]:02x} is not UTF-8; name the encoding, such "
            f"as --encoding {encoding}, or convert the file: iconv -f {encoding} -t utf-8 FILE > NEW"
        ) from None


ENCODING = "encoding"
"""Key of the encoding that a command was given, in the ``meta`` of its context."""


def named_encoding() -> str | None:
    """Return the encoding that the running command was given with ``--encoding``."""
    import click

    command = click.get_current_context(silent=True)
    return command.meta.get(ENCODING) if command else None


HEAD = 1 << 16  # bytes at the beginning of a file that show how it is written


_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # before that of UTF-16, which begins with the same bytes
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


_BINARY = {
    b"\x93NUMPY": "vectors, not lines of text; type: semaniacs search build --vectors FILE -o INDEX",
    b"PK\3\4": "a ZIP file, as XLSX is, not lines of text; if it is XLSX, call it .xlsx",
    b"PAR1": "Parquet, not lines of text; call it .parquet",
}
"""Errors about files of other formats, by their first bytes."""


def marked_encoding(head: bytes) -> str | None:
    """Return the encoding that the byte order mark of a text names; None without a mark."""
    return next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)


def _as_utf8(file: Any, origin: Path | str, encoding: str | None) -> BinaryIO:
    """Return the text of a file in UTF-8; a byte order mark prevails over ``encoding``.

    UTF-8 is passed on as it is. If all ends of lines at the beginning are ``\\r``, they become ``\\n``.
    The attribute ``encoding`` of the stream is that of the file.
    """
    head = file.peek(HEAD)[:HEAD]
    file.encoding = encoding = marked_encoding(head) or encoding or "utf-8"
    is_utf8 = encoding in ("utf-8", "utf-8-sig")
    if is_utf8:
        check_no_nul(head, origin)
    old_ends = is_utf8 and b"\r" in head and b"\n" not in head
    if is_utf8 and not old_ends:
        return cast(BinaryIO, file)
    raw = file.read()
    try:
        text = raw if old_ends else raw.decode(encoding).encode("utf-8", "replace")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{origin}:{line}: byte 0x{raw[error.start]:02x} is not {encoding}; name another "
            "--encoding"
        ) from None
    check_no_nul(text, origin)
    ended = text if b"\n" in text else text.replace(b"\r", b"\n")
    converted: Any = io.BufferedReader(cast(Any, io.BytesIO(ended)), HEAD)
    converted.encoding = encoding
    return cast(BinaryIO, converted)


def check_no_nul(text: bytes, origin: Path | str, first: int = 1) -> None:
    """Raise a DataError about a NUL byte, and the encoding that may explain it."""
    if b"\0" not in text:
        return
    line = first + text.count(b"\n", 0, text.index(b"\0"))
    if found := next((told for begin, told in _BINARY.items() if text.startswith(begin)), None):
        raise DataError(f"{origin}: {found}")
    even, odd = text[::2].count(0), text[1::2].count(0)
    width = 32 if min(even, odd) > max(even, odd) / 4 else 16
    raise DataError(
        f"{origin}:{line}: a NUL byte; expected a text file. If it is text without a byte order "
        f"mark, name its encoding, such as --encoding utf-{width}-{'le' if odd >= even else 'be'}"
    )


@contextmanager
def unpacked(
    opened: BinaryIO, origin: Path | str, encoding: str | None = None
) -> Iterator[BinaryIO]:
    """Return the text of a file, gzipped or not, as UTF-8."""
    buffered: Any = opened
    if not hasattr(opened, "peek"):
        buffered = io.BufferedReader(cast(Any, opened), HEAD)
    packed = buffered.peek(2)[:2] == _GZIP
    file = cast(BinaryIO, gzip.GzipFile(fileobj=buffered)) if packed else buffered
    try:
        yield _as_utf8(file, origin, encoding)
    except (EOFError, OSError, zlib.error) as error:
        if not packed:
            raise
        raise DataError(f"{origin}: damaged gzip ({error}); replace the file") from None


@contextmanager
def open_text(source: str) -> Iterator[BinaryIO]:
    """Open a text file, or stdin for ``-``, as UTF-8: unpacked, and decoded by ``--encoding``.

    A DataError is raised if the file is missing or damaged, in another encoding, or no text.
    """
    try:
        # Stdin stays open: a second reader gets the error of an empty file.
        file: Any = nullcontext(stdin()) if source == "-" else Path(source).open("rb", HEAD)  # noqa: SIM115
    except FileNotFoundError:
        raise DataError(f"{source}: no such file") from None
    except OSError as error:
        raise DataError(f"{source}: cannot be read ({error.strerror})") from None
    with file as opened, unpacked(opened, source, named_encoding()) as text:
        yield text


def stdin() -> BinaryIO:
    """Return stdin as a stream of bytes; an StsError if it is closed."""
    if sys.stdin is None:
        raise StsError("stdin is closed; name a FILE, or pipe something in")
    return sys.stdin.buffer
