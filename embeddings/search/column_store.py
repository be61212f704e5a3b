"""Columns of bytes that only grow, in memory or in a folder.

In a folder, a column is a file, and ``index.json`` says how many bytes of each count, with their
CRC-32. Bytes are appended first and reach the disk; then ``index.json`` is replaced. Whatever
stops a program before that leaves the old ``index.json``, for which the bytes behind do not exist;
the next writer writes over them. A reader is not disturbed: what it has read stays where it is.
"""

from __future__ import annotations

import json
import os
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sts.errors import DataError, StsError
from sts.files import (
    locked_folder,
    parse_json,
    read_text,
    replace_folder,
    working_folder,
    write_text,
)

FORMAT = 1
"""Version of the folder."""

LISTING = "index.json"

Bytes = NDArray[np.uint8]
Settings = dict[str, Any]


class ColumnStore(Protocol):
    """Columns by name, and settings that belong to them."""

    settings: Settings

    def column(self, name: str) -> Bytes:
        """The bytes of a column; none if it was never written."""

    def appending(self) -> Any:
        """A context in which :meth:`append` is allowed; its end makes all of it count."""

    def append(self, name: str, array: NDArray[Any]) -> None:
        """Append the bytes of an array to a column."""


class MemoryStore:
    """Columns in memory."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._kept: dict[str, Bytes] = {}
        self._new: dict[str, list[Bytes]] = defaultdict(list)

    def column(self, name: str) -> Bytes:
        """The bytes of a column."""
        return self._kept.get(name, np.empty(0, np.uint8))

    @contextmanager
    def appending(self) -> Iterator[None]:
        """What is appended inside counts if no error ends it."""
        try:
            yield
            self._kept |= {
                n: np.concatenate([self.column(n), *new]) for n, new in self._new.items()
            }
        finally:
            self._new.clear()

    def append(self, name: str, array: NDArray[Any]) -> None:
        """Append the bytes of an array to a column."""
        self._new[name].append(_bytes_of(array))


class Extent(NamedTuple):
    """How much of a file counts, and the CRC-32 of that."""

    bytes: int = 0
    crc32: int = 0


class FolderStore:
    """Columns in a folder, which must hold a listing.

    Args:
        folder: where they lie.
        target: where they will lie, for errors; by default the same.

    Raises:
        DataError: there is no index, or it is damaged or of another version.
    """

    def __init__(self, folder: Path, target: Path | None = None) -> None:
        self.folder, self.target = folder, target or folder
        self._files: dict[str, BinaryIO] = {}
        self.refresh()
        self.check()

    def refresh(self) -> None:
        """Read the listing again: another process may have appended."""
        self.settings, self._extents = _read_listing(self.folder)

    def check(self) -> None:
        """Compare every column with its checksum.

        Raises:
            DataError: the first that is damaged.
        """
        for name, extent in self._extents.items():
            crc32 = 0
            column = self.column(name)
            for start in range(0, len(column), _AT_ONCE):
                crc32 = zlib.crc32(column[start : start + _AT_ONCE].data, crc32)
            if crc32 != extent.crc32:
                raise self._damaged(name, "its checksum differs")

    def column(self, name: str) -> Bytes:
        """The bytes of a column, mapped from its file."""
        extent = self._extents.get(name, Extent())
        if not extent.bytes:
            return np.empty(0, np.uint8)
        try:
            mapped = np.memmap(self._path(name), np.uint8, "r", shape=(extent.bytes,))
        except FileNotFoundError:
            raise self._damaged(name, "it is not there") from None
        except (OSError, ValueError) as error:
            raise self._damaged(name, str(error)) from None
        found: Bytes = np.asarray(mapped)
        return found

    @contextmanager
    def appending(self) -> Iterator[None]:
        """What is appended inside counts if no error ends it; other writers are kept out.

        Raises:
            StsError: another process appends, or the folder cannot be written.
        """
        with locked_folder(self.folder) as locked:
            if not locked:
                raise StsError(f"{self.folder}: another process adds to it; try again")
            try:
                settings = self.settings
                self.refresh()
                if self.settings != settings:
                    raise StsError(f"{self.folder}: another index stands there now; load it again")
                yield
                with self._naming_errors():
                    self._commit()
            finally:
                self.refresh()
                for name, file in self._files.items():
                    with suppress(OSError):  # a full disk; the next writer writes over the rest
                        file.truncate(self._extents.get(name, Extent()).bytes)
                    with suppress(OSError):
                        file.close()
                self._files.clear()

    def append(self, name: str, array: NDArray[Any]) -> None:
        """Append the bytes of an array to a column."""
        extent = self._extents.get(name, Extent())
        data = _bytes_of(array)
        with self._naming_errors():
            if name not in self._files:
                path = self._path(name)
                self._files[name] = path.open("r+b" if path.exists() else "x+b")
                self._files[name].seek(extent.bytes)
            self._files[name].write(data.data)
        self._extents[name] = Extent(extent.bytes + len(data), zlib.crc32(data.data, extent.crc32))

    def _commit(self) -> None:
        for file in self._files.values():
            file.flush()
            os.fsync(file.fileno())
        _write_listing(self.folder, self.settings, self._extents)

    @contextmanager
    def _naming_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StsError(f"{self.target}: cannot be written ({error.strerror})") from None

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.bin"

    def _damaged(self, name: str, reason: str) -> DataError:
        return DataError(f"{self._path(name)}: damaged ({reason}); build the index again")


_AT_ONCE = 1 << 24
"""Bytes whose checksum is computed at once."""


@contextmanager
def new_folder(
    folder: Path, settings: Settings, *, overwrite: bool = False
) -> Iterator[FolderStore]:
    """An empty store beside ``folder``, which stands there when no error ends the context.

    Raises:
        StsError: something stands there that is no index, or an index and ``overwrite`` is false;
            or the folder cannot be written.
    """
    check_free(folder, overwrite=overwrite)
    try:
        with working_folder(folder.absolute()) as work:
            beside = work / "new"
            beside.mkdir()
            _write_listing(beside, settings, {})
            store = FolderStore(beside, folder)
            yield store
            replace_folder(beside, folder)
            store.folder = folder
    except OSError as error:
        raise StsError(f"{folder}: cannot be written ({error.strerror})") from None


def check_free(folder: Path, *, overwrite: bool) -> None:
    """Refuse to replace anything but an index, and that only where it is wanted.

    Raises:
        StsError: see there.
    """
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not (folder / LISTING).is_file():
        raise StsError(f"{folder}: stands there and is no index; name another folder")
    if not overwrite:
        raise StsError(
            f"{folder}: an index stands there; add to it, or replace it with --overwrite "
            "(overwrite=True in Python)"
        )


def _write_listing(folder: Path, settings: Settings, extents: Mapping[str, Extent]) -> None:
    columns = {name: extent._asdict() for name, extent in sorted(extents.items())}
    listing = {"format": FORMAT, "settings": settings, "columns": columns}
    write_text(folder / LISTING, json.dumps(listing, indent=2, ensure_ascii=False) + "\n")


def _read_listing(folder: Path) -> tuple[Settings, dict[str, Extent]]:
    path = folder / LISTING
    if folder.is_file():
        raise DataError(
            f"{folder}: a file, not an index; search it with: semaniacs search once {folder}"
        )
    if not path.is_file():
        raise DataError(
            f"{folder}: no index; build one: semaniacs search build FILE --output {folder}"
        )
    try:
        listing = parse_json(read_text(path))
        if listing["format"] != FORMAT:
            raise DataError(
                f"{path}: format {listing['format']!r}, expected {FORMAT}; build the index again"
            )
        extents = {name: Extent(**extent) for name, extent in listing["columns"].items()}
        return dict(listing["settings"]), extents
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"{path}: damaged ({error!r}); build the index again") from None


def _bytes_of(array: NDArray[Any]) -> Bytes:
    """The bytes of an array, little end first."""
    little = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    return little.reshape(-1).view(np.uint8)
