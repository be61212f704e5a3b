"""Files in a zip or tar archive; their names never decide where something is written."""

from __future__ import annotations

import bz2
import gzip
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, cast

from semaniacs.sts.errors import DataError

LARGEST_MEMBER = 64 * 2**20
"""Bytes; larger files are skipped. The largest official file has less than 1 MiB."""

LARGEST_TOTAL = 4 * LARGEST_MEMBER
"""Bytes that are unpacked of one archive; a small one may claim to hold any number of them."""

_COMPRESSED: dict[bytes, Callable[[IO[bytes]], IO[bytes]]] = {
    b"\x1f\x8b": lambda file: cast(IO[bytes], gzip.GzipFile(fileobj=file)),
    b"BZh": lambda file: cast(IO[bytes], bz2.BZ2File(file)),
    b"\xfd7zXZ": lambda file: cast(IO[bytes], lzma.LZMAFile(file)),  # noqa: SIM115
}
"""How to unpack a tar, by its first bytes."""

_DAMAGED = (
    zipfile.BadZipFile,
    tarfile.TarError,
    lzma.LZMAError,
    zlib.error,
    EOFError,
    ValueError,  # a member that begins before the archive
    OverflowError,
    struct.error,
    LookupError,  # a name or an extra field that ends too soon
    OSError,  # gzip and bz2 raise it for bad bytes
    RuntimeError,  # zipfile raises it for an encrypted member or an unknown compression
)


def members(archive: IO[bytes], url: str, *, hint: str) -> Iterator[bytes]:
    """Yield the contents of the regular files in a zip or tar, up to LARGEST_MEMBER bytes each.

    If it is not a whole archive, a DataError names ``url`` and ends in ``hint``.
    """
    archive.seek(0)
    start = archive.read(16)
    archive.seek(0)
    try:
        if start.startswith(b"PK"):
            yield from (content for _, content in _zip_members(archive))
        else:
            yield from _tar_members(archive, start)
    except _DAMAGED as error:
        reason = str(error).partition("\n")[0].rstrip(":")  # tarfile: a line for each compression
        raise DataError(
            f"{url}: not a whole zip or tar archive ({reason}); it starts with {start!r}: {hint}"
        ) from None


def named_members(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the names and the contents of the files in a zip, up to LARGEST_MEMBER bytes each.

    A DataError is raised if it cannot be read, or is damaged or encrypted.
    """
    try:
        yield from _zip_members(path)
    except _DAMAGED as error:
        raise DataError(f"{path}: not a whole zip archive ({error}); pack it again") from None


def _zip_members(archive: IO[bytes] | Path) -> Iterator[tuple[str, bytes]]:
    left = LARGEST_TOTAL
    with zipfile.ZipFile(archive) as opened:
        for info in opened.infolist():
            # A link in a zip is a small file that holds its target, which matches no checksum.
            if info.is_dir() or info.file_size > LARGEST_MEMBER:
                continue
            with opened.open(info) as member:
                content = member.read(LARGEST_MEMBER + 1)  # whatever size the archive claims
            left -= len(content)
            if left < 0:  # members may overlap
                raise OSError(f"more than {LARGEST_TOTAL:,} bytes in it")
            yield info.filename, content


def _tar_members(archive: IO[bytes], start: bytes) -> Iterator[bytes]:
    for magic, unpack in _COMPRESSED.items():
        if start.startswith(magic):
            archive = unpack(archive)
    # As a stream, so that headers and members together are bounded.
    with tarfile.open(fileobj=cast(IO[bytes], _Bounded(archive)), mode="r|") as opened:
        for info in opened:
            member = opened.extractfile(info) if info.isreg() else None
            if member and info.size <= LARGEST_MEMBER:
                yield member.read()


class _Bounded:
    """A file that raises an error beyond LARGEST_TOTAL bytes."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._left = LARGEST_TOTAL

    def read(self, size: int) -> bytes:
        """Return the next bytes."""
        found = self._file.read(min(size, 2**20))
        self._left -= len(found)
        if self._left < 0:
            raise OSError(f"more than {LARGEST_TOTAL:,} bytes in it")
        return found
