"""Text files that are read as UTF-8 or refused, and files that are written whole or not at all."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import json
import os
import secrets
import stat
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from sts.errors import DataError, StsError

_GZIP = b"\x1f\x8b"


def read_bytes(path: Path) -> bytes:
    """The content of ``path``.

    Raises:
        DataError: the file is missing or cannot be read.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from None


def read_text(path: Path) -> str:
    """The UTF-8 text of ``path``; the errors of :func:`read_bytes` and :func:`decode`."""
    return decode(read_bytes(path), path)


def how_to_convert(raw: bytes) -> str:
    """What to type to make UTF-8 of a file that begins with some bytes."""
    utf16 = raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    encoding = "utf-16" if utf16 else "latin1"
    return f"convert the file first, e.g. iconv -f {encoding} -t utf-8"


def decode(raw: bytes, origin: Path | str, first: int = 1) -> str:
    """``raw``, whose first line is line ``first`` of ``origin``, as UTF-8.

    Raises:
        DataError: with the line of the first bad byte.
    """
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + first
        raise DataError(
            f"{origin}:{line}: byte 0x{raw[error.start]:02x} is not UTF-8; "
            f"{how_to_convert(raw if first == 1 else b'')}"
        ) from None


def parse_json(text: str | bytes) -> Any:
    """What JSON says; a ValueError also where it is nested too deep, or not UTF-8."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deep") from None


def own_folder(name: str, variable: str) -> Path:
    """A folder that a person names, with ~ for a home folder.

    Raises:
        StsError: it is below a home folder that nobody knows.
    """
    try:
        return Path(name).expanduser()
    except RuntimeError:
        raise StsError(
            f"{name}: nobody knows that home folder; set {variable} to a folder"
        ) from None


def check_link(path: Path) -> None:
    """Follow no link that another user made, in a folder that several can write to.

    Raises:
        StsError: ``path`` is one.
    """
    if path.is_symlink() and path.lstat().st_uid not in (0, os.geteuid()):
        raise StsError(f"{path}: a link that another user made; delete it, or use another folder")


def split_lines(text: str) -> list[str]:
    """Lines end in ``\\n`` or ``\\r\\n`` and in nothing else.

    ``str.splitlines`` would also break a sentence at U+2028, form feeds and
    other separators that real sentences hold. The last newline may be absent.
    """
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def read_lines(path: Path) -> list[str]:
    """The lines of a UTF-8 file, which may be gzipped, see :func:`split_lines`.

    Raises:
        DataError: as :func:`read_text`, or the gzip is damaged.
    """
    raw = read_bytes(path)
    if raw.startswith(_GZIP):
        try:
            raw = gzip.decompress(raw)
        except (OSError, EOFError, zlib.error) as error:
            raise DataError(f"{path}: damaged gzip ({error}); replace the file") from None
    return split_lines(decode(raw, path))


def sha256_of(path: Path) -> str:
    """Hexadecimal sha256 of a file's bytes, read in blocks."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256_of_bytes(data: bytes) -> str:
    """Hexadecimal sha256 of ``data``."""
    return hashlib.sha256(data).hexdigest()


@contextmanager
def whole(path: Path, *, links: bool = True) -> Iterator[BinaryIO]:
    """A file to write to, which appears at ``path`` when the context ends without an error.

    A file that is replaced keeps its permissions; a new one has those that the umask leaves.
    A symbolic link is followed: the file that it names is replaced, not the link; without
    ``links`` it is the link that is replaced.

    Raises:
        StsError: the folder cannot be made or written, or ``path`` is a device or a folder.
    """
    temporary: Path | None = None
    try:
        check_link(path)
        path = path.resolve() if links and path.is_symlink() else path
        if path.exists() and not path.is_file():
            raise StsError(f"{path}: cannot be written (not a regular file); give --output another")
        path.parent.mkdir(parents=True, exist_ok=True)
        # Not tempfile.mkstemp, which ignores the umask: its files are for their owner alone.
        temporary = path.with_name(f".{path.name[:200]}.{secrets.token_hex(8)}")
        with temporary.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if path.exists() and not path.is_symlink():
            temporary.chmod(stat.S_IMODE(path.stat().st_mode))
        temporary.replace(path)
    except OSError as error:
        raise StsError(
            f"{path}: cannot be written ({error.strerror}); choose another folder with --output"
        ) from None
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def write_bytes(path: Path, data: bytes, *, links: bool = True) -> None:
    """Write ``data`` to ``path``, so that a reader sees all of it or none, see :func:`whole`."""
    with whole(path, links=links) as file:
        file.write(data)


def check_writable(folder: Path) -> None:
    """Check before the work that ``folder`` can be made and written; creates nothing.

    Raises:
        StsError: it cannot.
    """
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    try:
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as error:
        raise StsError(
            f"{there}: cannot be written ({error.strerror}); choose another folder with --output"
        ) from None


def write_text(path: Path, text: str) -> None:
    """:func:`write_bytes` of UTF-8 text, a lone surrogate as ``\\ud800``; newlines as they are."""
    write_bytes(path, text.encode("utf-8", "backslashreplace"))


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """One line each, with ``\\n`` after every line."""
    write_text(path, "".join(f"{line}\n" for line in lines))
