"""Read text files of any encoding as UTF-8, and write files whole or not at all."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from semaniacs.sts.encodings import bounded_lines, decode, unpacked
from semaniacs.sts.errors import DataError, StsError

_FORMATS = frozenset(
    "tsv csv jsonl json parquet xlsx xls ods txt md html pdf png npy npz bin vec safetensors h5 pkl "
    "feather arrow db sqlite zip tar xml tmx xlf xliff sdlxliff mqxliff yaml yml doc docx".split()
)
"""Endings of names that say what a file holds, also where any other ending is allowed."""

_OTHER_ENDINGS = {"ndjson": "jsonl", "pq": "parquet", "htm": "html"}

BINARY = ("parquet", "xlsx")  # formats that are no text, which ``.gz`` packs and ``.txt`` may hold
_LARGEST_DEVICE = 2**30  # most bytes that are read from a pipe or a device, which may have no end


def ending_of(path: str) -> str:
    """Return the ending of a name without ``.gz``, in small letters: ``csv`` for ``pairs.CSV.gz``."""
    return Path(path.removesuffix(".gz")).suffix.removeprefix(".").lower()


def format_of(
    path: Path | str | None, writes: str, asked: str | None = None, *, lenient: bool = False
) -> str:
    """Return the format of an output: as its name says, or as asked, or the usual one.

    Args:
        path: file to write; None and ``-`` are stdout.
        writes: formats that can be written, separated by spaces, the usual one first; "" for a
            folder. With ``txt`` among them the output is text, which ``.gz`` packs, and a name
            in ``.txt`` holds the usual one. A name may have any other ending if the usual one is
            ``txt``, lines of text, or ``safetensors``, which may be a folder.
        asked: format that an option names, if any; any other ending is allowed then.
        lenient: whether any other ending is allowed because the option is not known yet.

    Raises:
        StsError: the name is that of a format that cannot be written, or of another than asked.
    """
    name, formats = "" if path is None else str(path), writes.split()
    ending = ending_of(name)
    lenient = lenient or bool(asked) or formats[:1] in ([], ["txt"], ["safetensors"])
    kind = _OTHER_ENDINGS.get(ending, asked or "" if lenient and ending not in _FORMATS else ending)
    if name.endswith(".gz") and ("txt" not in formats or kind in BINARY):
        kind = f"{kind}.gz".removeprefix(".")
    elif not kind or (kind == "txt" in formats and asked not in BINARY):
        return asked or [*formats, ""][0]
    if kind not in formats:
        names = ", ".join(f".{one}" for one in formats if one != "table")
        wanted = f"expected a name that ends in {names}" if names else "expected a name of a folder"
        raise StsError(f"{path}: {kind} cannot be written here; {wanted}")
    if asked and asked != kind:
        raise StsError(f"{path}: the name says {kind}, and --format says {asked}; leave one out")
    return kind


def read_bytes(path: Path) -> bytes:
    """Return the content of a file; a DataError if it is missing or cannot be read."""
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


def read_text(path: Path) -> str:
    """Return the UTF-8 text of a file; errors of :func:`read_bytes` and :func:`decode`."""
    return decode(read_bytes(path), path)


def parse_json(text: str | bytes) -> Any:
    """Return parsed JSON; raise a ValueError also if it is nested too deep, or not UTF-8."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("nested too deep") from None


def own_folder(name: str, variable: str) -> Path:
    """Return a folder that a user names in an environment variable, with ~ expanded."""
    try:
        return Path(name).expanduser()
    except RuntimeError:
        raise StsError(
            f"{name}: there is no such home folder; set {variable} to a folder"
        ) from None


def check_link(path: Path) -> None:
    """Raise an StsError if ``path`` is a link that another user made."""
    own = os.geteuid() if hasattr(os, "geteuid") else 0  # on Windows every file has owner 0
    if path.is_symlink() and path.lstat().st_uid not in (0, own):
        raise StsError(f"{path}: a link that another user made; delete it, or use another folder")


def split_lines(text: str) -> list[str]:
    """Split at ``\\n`` and ``\\r\\n``; the last newline may be missing.

    ``str.splitlines`` would also split a sentence at U+2028, form feeds and other separators.
    """
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def read_lines(path: Path) -> list[str]:
    """Return the lines of a file; see :func:`lines_in`."""
    return lines_in(read_bytes(path), path)


def lines_in(raw: bytes, origin: Path | str, encoding: str | None = None) -> list[str]:
    """Return the lines of the content of a file, which may be gzipped or have a byte order mark."""
    with unpacked(io.BytesIO(raw), origin, encoding) as file:
        return split_lines(decode(b"".join(bounded_lines(file, origin)), origin))


def read_unpacked(path: Path, encoding: str | None = None) -> bytes:
    """Return the content of a file, which may be gzipped; in UTF-8 if its encoding is given.

    Errors are those of :func:`read_bytes`.
    """
    found = read_bytes(path)
    if not found.startswith(b"\x1f\x8b") and not encoding:
        return found  # unpacked() would change the encoding that XML names
    with unpacked(io.BytesIO(found), path, encoding) as file:
        return b"".join(bounded_lines(file, path))


def sha256_of(path: Path) -> str:
    """Return the hexadecimal sha256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256_of_bytes(data: bytes) -> str:
    """Return the hexadecimal sha256 of ``data``."""
    return hashlib.sha256(data).hexdigest()


@contextmanager
def whole(path: Path, *, links: bool = True) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces ``path`` when the context ends without an error.

    A file that is replaced keeps its permissions; a new one has those that the umask leaves. A
    symbolic link is followed: the file that it names is replaced. Without ``links`` the link itself
    is replaced. A StsError is raised if the folder cannot be made or written, or ``path`` is a
    device or a folder.
    """
    temporary: Path | None = None
    try:
        check_link(path)
        path = path.resolve() if links and path.is_symlink() else path
        if path.exists() and not path.is_file():
            raise StsError(f"{path}: cannot be written (not a regular file); give --output another")
        path.parent.mkdir(parents=True, exist_ok=True)
        # Not tempfile.mkstemp, which ignores the umask.
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
    """Make a folder beside ``path`` to work in, and remove it in the end; or raise an OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
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
    """Make a folder among the temporary files (``TMPDIR``), and remove it in the end."""
    import tempfile  # not where a first vector would wait for it

    try:
        folder = tempfile.mkdtemp(prefix=f"sts-{purpose}-")
    except OSError as error:
        raise StsError(
            f"no temporary file can be written ({error.strerror}); "
            "set TMPDIR to a folder that can be"
        ) from None
    try:
        yield Path(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def replace_folder(new: Path, path: Path) -> None:
    """Move a folder of :func:`working_folder` to ``path``, in place of an old one.

    If the process is killed in between, the next :func:`working_folder` puts the old folder back.
    After an OSError ``path`` is as it was.
    """
    if not path.exists():
        new.rename(path)
        return
    old = _replaced(path)
    shutil.rmtree(old, ignore_errors=True)  # left by a process that was killed
    path.rename(old)
    try:
        new.rename(path)
    except OSError:
        old.rename(path)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _name_beside(path: Path) -> Path:
    return path.with_name(f".{path.name[:200]}.{os.urandom(8).hex()}.sts-unfinished")


def _replaced(path: Path) -> Path:
    return path.with_name(f".{path.name}.replaced")


def write_bytes(path: Path, data: bytes, *, links: bool = True) -> None:
    """Write ``data`` to ``path``, all of it or nothing, see :func:`whole`."""
    with whole(path, links=links) as file:
        file.write(data)


def check_writable(folder: Path) -> None:
    """Raise an StsError, before the work begins, if ``folder`` cannot be made and written."""
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
    """Raise an StsError if two files of a command are the same; None and ``-`` are no files."""
    seen: set[Path] = set()
    for path in paths:
        if path is None or str(path) == "-":
            continue
        if (place := Path(path).resolve()) in seen:
            raise StsError(
                f"{path}: two of the files to read and write are the same; give each its own name"
            )
        seen.add(place)


def escaped(cell: Any) -> Any:
    """Return a text in which a lone surrogate is ``\\ud800``; other values as they are."""
    return cell.encode("utf-8", "backslashreplace").decode() if isinstance(cell, str) else cell


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text, all of it or nothing; a lone surrogate becomes ``\\ud800``."""
    write_bytes(path, text.encode("utf-8", "backslashreplace"))


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write lines, with ``\\n`` after each, all of them or nothing; gzip if the name says so."""
    with whole_packed(path) as file:
        text = "".join(f"{line}\n" for line in lines)
        file.write(text.encode("utf-8", "backslashreplace"))


@contextmanager
def whole_packed(path: Path) -> Iterator[BinaryIO]:
    """Open :func:`whole`; gzip, without a time, if the name ends in ``.gz``."""
    with whole(path) as file:
        if path.suffix != ".gz":
            yield file
            return
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
            yield cast(BinaryIO, packed)
