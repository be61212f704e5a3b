"""The files in a zip or tar archive; their names never say where something is written."""

from __future__ import annotations

import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from sts.errors import DataError

LARGEST_MEMBER = 64 * 2**20
"""Bytes; larger files are skipped. The largest official file has less than 1 MiB."""

_DAMAGED = (
    zipfile.BadZipFile,
    tarfile.TarError,
    lzma.LZMAError,
    zlib.error,
    EOFError,
    ValueError,  # a member that begins before the archive
    OverflowError,
    struct.error,
    OSError,  # gzip and bz2 raise it for bad bytes
    RuntimeError,  # zipfile raises it for an encrypted member or an unknown compression
)


def members(archive: IO[bytes], url: str, *, hint: str) -> Iterator[bytes]:
    """The contents of the regular files in a zip or tar, at most LARGEST_MEMBER bytes each.

    Names are not used, so that an archive cannot choose where a file is written.

    Raises:
        DataError: it is not a whole archive; names ``url``, and says ``hint``.
    """
    archive.seek(0)
    start = archive.read(16)
    archive.seek(0)
    read = _zip_members if start.startswith(b"PK") else _tar_members
    try:
        yield from read(archive)
    except _DAMAGED as error:
        reason = str(error).partition("\n")[0].rstrip(":")  # tarfile: a line for each compression
        raise DataError(
            f"{url}: not a whole zip or tar archive ({reason}); it starts with {start!r}: {hint}"
        ) from None


def named_members(path: Path) -> Iterator[tuple[str, bytes]]:
    """The names and the contents of the files in a zip, at most LARGEST_MEMBER bytes each.

    Raises:
        DataError: it cannot be read, or is damaged or encrypted.
    """
    try:
        with zipfile.ZipFile(path) as opened:
            for info in opened.infolist():
                if not info.is_dir() and info.file_size <= LARGEST_MEMBER:
                    with opened.open(info) as member:
                        yield info.filename, member.read(LARGEST_MEMBER + 1)
    except _DAMAGED as error:
        raise DataError(f"{path}: not a whole zip archive ({error}); pack it again") from None


def _zip_members(archive: IO[bytes]) -> Iterator[bytes]:
    with zipfile.ZipFile(archive) as opened:
        for info in opened.infolist():
            # A link in a zip is a small file that holds its target, which matches no checksum.
            if not info.is_dir() and info.file_size <= LARGEST_MEMBER:
                with opened.open(info) as member:
                    # The size above is what the archive claims; this bound holds in any case.
                    yield member.read(LARGEST_MEMBER + 1)


def _tar_members(archive: IO[bytes]) -> Iterator[bytes]:
    with tarfile.open(fileobj=archive, mode="r:*") as opened:
        for info in opened:
            member = opened.extractfile(info) if info.isreg() else None
            if member and info.size <= LARGEST_MEMBER:
                yield member.read()
