"""Files: read strictly, written whole or not at all."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from sts.errors import DataError, StsError


def read_text(path: Path) -> str:
    """The UTF-8 text of ``path``.

    Raises:
        DataError: the file is missing, cannot be read, or is not UTF-8 (the
            message names the line of the first bad byte).
    """
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from None
    return decode(raw, path)


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
            "convert the file first, e.g. iconv -f latin1 -t utf-8"
        ) from None


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
    """The lines of a UTF-8 file, see :func:`split_lines`."""
    return split_lines(read_text(path))


def sha256_of(path: Path) -> str:
    """Hexadecimal sha256 of a file's bytes, read in blocks."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256_of_bytes(data: bytes) -> str:
    """Hexadecimal sha256 of ``data``."""
    return hashlib.sha256(data).hexdigest()


@contextmanager
def whole(path: Path) -> Iterator[BinaryIO]:
    """A file to write to and to seek in, which appears at ``path`` at the end or not at all.

    A link is followed: the file that it names is replaced, not the link.

    Raises:
        StsError: the folder cannot be made or written, or ``path`` is a device or a folder.
    """
    path = path.resolve() if path.is_symlink() else path
    if path.exists() and not path.is_file():
        raise StsError(f"{path}: cannot be written (not a regular file); give --output another")
    temporary: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        temporary = Path(name)
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o644)
        temporary.replace(path)
    except OSError as error:
        raise StsError(
            f"{path}: cannot be written ({error.strerror}); choose another folder with --output"
        ) from None
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def write_bytes(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path`` so that a reader sees all of it or none of it.

    Raises:
        StsError: see :func:`whole`.
    """
    with whole(path) as file:
        file.write(data)


def check_writable(folder: Path) -> None:
    """Fail now, not after the work, if ``folder`` cannot be made or written; make nothing.

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
    """UTF-8 :func:`write_bytes`; newlines are written as they are."""
    write_bytes(path, text.encode("utf-8"))


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """One line each, ``\\n`` after every one."""
    write_text(path, "".join(f"{line}\n" for line in lines))
