"""Text files that are read as UTF-8 or refused, and files that are written whole or not at all."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import io
import json
import os
import shutil
import stat
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO, cast

from sts.errors import DataError, StsError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_GZIP = b"\x1f\x8b"

LONGEST_LINE = 2**26
"""Bytes of a line that is read; a few bytes of gzip may claim to hold any number of them."""

_LARGEST_DEVICE = 2**30
"""Bytes that are read of what is no regular file, such as a pipe; a device may have no end."""


def read_bytes(path: Path) -> bytes:
    """The content of ``path``.

    Raises:
        DataError: the file is missing or cannot be read.
    """
    try:
        with path.open("rb") as file:
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return file.read()
            found = file.read(_LARGEST_DEVICE)
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from None
    if len(found) == _LARGEST_DEVICE:
        raise DataError(f"{path}: no end after {len(found):,} bytes; name a file")
    return found


def bounded_lines(file: BinaryIO, origin: Path | str) -> Iterator[bytes]:
    """The lines of a file, each with its end.

    Raises:
        DataError: one is longer than :data:`LONGEST_LINE`.
    """
    for number in count(1):
        line = file.readline(LONGEST_LINE + 1)
        if len(line) > LONGEST_LINE:
            raise DataError(
                f"{origin}:{number}: a line of more than {LONGEST_LINE:,} bytes; "
                "expected lines of text"
            )
        if not line:
            return
        yield line


def read_text(path: Path) -> str:
    """The UTF-8 text of ``path``; the errors of :func:`read_bytes` and :func:`decode`."""
    return decode(read_bytes(path), path)


def how_to_convert(raw: bytes) -> str:
    """Return the command that converts a file that begins with these bytes to UTF-8."""
    utf16 = raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    encoding = "utf-16" if utf16 else "latin1"
    return f"convert the file first, e.g. iconv -f {encoding} -t utf-8 FILE > NEW"


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
    """Return parsed JSON; raise a ValueError also if it is nested too deep, or not UTF-8."""
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
    own = os.geteuid() if hasattr(os, "geteuid") else 0  # Windows says 0 of every file
    if path.is_symlink() and path.lstat().st_uid not in (0, own):
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
            with gzip.GzipFile(fileobj=io.BytesIO(raw)) as file:
                raw = b"".join(bounded_lines(cast(BinaryIO, file), path))
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


_UNFINISHED = ".sts-unfinished"
"""Ends the names of what is being written; they begin with a dot."""

_ABANDONED = 7 * 24 * 3600
"""Seconds after which a process that was writing is taken for dead."""


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
        _clear(path.parent)
        # Not tempfile.mkstemp, which ignores the umask: its files are for their owner alone.
        temporary = _name_beside(path)
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


@contextmanager
def working_folder(path: Path) -> Iterator[Path]:
    """A folder beside ``path`` to work in, which is removed in the end.

    If the process is killed, one that writes beside ``path`` a week later removes it.

    Raises:
        OSError: it cannot be made.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _clear(path.parent)
    if not path.exists() and (replaced := _replaced(path)).exists():
        replaced.rename(path)
    folder = _name_beside(path)
    folder.mkdir(0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def temporary_folder(purpose: str) -> Iterator[Path]:
    """:func:`working_folder` where the system keeps temporary files (``TMPDIR``).

    Raises:
        StsError: it cannot be made.
    """
    import tempfile  # not where a first vector would wait for it

    with ExitStack() as stack:
        try:
            path = Path(tempfile.gettempdir(), f"sts-{purpose}")
            folder = stack.enter_context(working_folder(path))
        except OSError as error:
            raise StsError(
                f"no temporary file can be written ({error.strerror}); "
                "set TMPDIR to a folder that can be"
            ) from None
        yield folder


def replace_folder(new: Path, path: Path) -> None:
    """Move a folder of :func:`working_folder` to ``path``; the old one is moved away and removed.

    If the process is killed in between, the next :func:`working_folder` puts the old folder back.

    Raises:
        OSError: it cannot be moved; ``path`` is as it was.
    """
    if not path.exists():
        new.rename(path)
        return
    old = _replaced(path)
    shutil.rmtree(old, ignore_errors=True)  # of a process that was killed
    path.rename(old)
    try:
        new.rename(path)
    except OSError:
        old.rename(path)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _name_beside(path: Path) -> Path:
    """A new name for what is to stand at ``path``."""
    return path.with_name(f".{path.name[:200]}.{os.urandom(8).hex()}{_UNFINISHED}")


def _replaced(path: Path) -> Path:
    return path.with_name(f".{path.name}.replaced")


@cache
def _clear(folder: Path) -> None:
    """Remove what killed processes left in a folder long ago; once a process."""
    for path in [*folder.glob(f".*{_UNFINISHED}")]:
        with suppress(OSError):
            about = path.lstat()
            if time.time() - about.st_mtime > _ABANDONED:
                shutil.rmtree(path) if stat.S_ISDIR(about.st_mode) else path.unlink()


def lock(number: int) -> None:
    """Wait for the lock on an open file, given as its descriptor; Windows locks nothing."""
    if fcntl is not None:
        fcntl.flock(number, fcntl.LOCK_EX)


def write_bytes(path: Path, data: bytes, *, links: bool = True) -> None:
    """Write ``data`` to ``path``, so that a reader sees all of it or none, see :func:`whole`."""
    with whole(path, links=links) as file:
        file.write(data)


def check_writable(folder: Path) -> None:
    """Check before the work that ``folder`` can be made and written; creates nothing.

    Raises:
        StsError: it cannot.
    """
    import tempfile

    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    try:
        with tempfile.TemporaryFile(dir=there):
            pass
    except OSError as error:
        raise StsError(
            f"{there}: cannot be written ({error.strerror}); choose another folder with --output"
        ) from None


def check_distinct(*paths: Path | str | None) -> None:
    """Check that no two files of a command are one, of which it would read or write both.

    Args:
        paths: None and ``-`` are no files.

    Raises:
        StsError: two are.
    """
    seen: set[Path] = set()
    for path in paths:
        if path is None or str(path) == "-":
            continue
        if (place := Path(path).resolve()) in seen:
            raise StsError(
                f"{path}: two of the files to read and write are one; give each a name of its own"
            )
        seen.add(place)


def write_text(path: Path, text: str) -> None:
    """:func:`write_bytes` of UTF-8 text, a lone surrogate as ``\\ud800``; newlines as they are."""
    write_bytes(path, text.encode("utf-8", "backslashreplace"))


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """One line each, with ``\\n`` after every line."""
    write_text(path, "".join(f"{line}\n" for line in lines))
