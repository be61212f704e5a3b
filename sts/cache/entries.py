"""Entries on disk: a file for the value, and beside it a record of what made it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from sts.errors import DataError, StsError
from sts.files import (
    own_folder,
    parse_json,
    read_text,
    sha256_of,
    temporary_folder,
    working_folder,
    write_bytes,
)
from sts.progress import note

T = TypeVar("T")

_RECORD = ".entry"
"""Suffix of the records."""


def cache_folder() -> Path:
    """Where everything is kept: ``STS_CACHE``, else ``~/.cache/sts``.

    Raises:
        StsError: other users can write to it, and could put there what we then believe.
    """
    folder = own_folder(os.environ.get("STS_CACHE") or "~/.cache/sts", "STS_CACHE")
    _check_alone(folder)
    return folder


@lru_cache(maxsize=8)
def _check_alone(folder: Path) -> None:
    if not hasattr(os, "getegid"):  # Windows, whose permissions are of another kind
        return
    try:
        about = folder.stat()
    except OSError:  # it will be made, or the error comes where it is used
        return
    if about.st_mode & 0o002 or (about.st_mode & 0o020 and about.st_gid != os.getegid()):
        raise StsError(
            f"{folder}: other users can write to it; type: chmod go-w {folder}, or set STS_CACHE "
            "to a folder of your own"
        )


@dataclass(frozen=True)
class Entry:
    """A value on disk.

    Attributes:
        kind: what sort of thing it is, such as ``tuned``.
        name: of its file, without suffix; it begins with the key.
        path: of the value.
        made_by: the code that computed it, ``""`` if it has no record.
        about: what it is, in a few words.
        sha256: of the value's file when it was written.
    """

    kind: str
    name: str
    path: Path
    made_by: str = ""
    about: str = ""
    sha256: str = ""

    @property
    def size(self) -> int:
        """Bytes of the value."""
        return self.path.stat().st_size

    @property
    def date(self) -> datetime:
        """When the value was written."""
        return datetime.fromtimestamp(self.path.stat().st_mtime, UTC)

    def fault(self) -> str | None:
        """Return what is wrong with the value, or None if it is as it was written."""
        if not self.sha256:
            return "has no record: an earlier version wrote it, or writing it was stopped"
        if not self.path.is_file():
            return "is not there, but its record is"
        return None if sha256_of(self.path) == self.sha256 else "has changed since it was written"

    def remove(self) -> None:
        """Delete value and record."""
        _record_of(self.path).unlink(missing_ok=True)
        self.path.unlink(missing_ok=True)


def _record_of(path: Path) -> Path:
    return path.with_name(f"{path.stem}{_RECORD}")


def read_entry(path: Path) -> Entry:
    """The entry whose value lies at ``path``; without its record if that cannot be read."""
    try:
        record = parse_json(read_text(_record_of(path)))
        said = {name: str(record[name]) for name in ("made_by", "about", "sha256")}
    except (StsError, ValueError, KeyError, TypeError):
        said = {}
    return Entry(path.parent.name, path.stem, path, **said)


def entries_in(folder: Path) -> Iterator[Entry]:
    """The entries whose values lie in a folder, by name."""
    for path in sorted(folder.glob("[!.]*")):
        value = path.with_suffix(".safetensors") if path.suffix == _RECORD else path
        if value == path or not value.exists():  # a record without value is a damaged entry
            yield read_entry(value)


class Cache:
    """The entries of one kind. Several processes may read and write them at once.

    Args:
        kind: name of the folder below :func:`cache_folder`.
        made_by: the code that computes the values, as the records say it.
        folder: another folder.
    """

    def __init__(self, kind: str, made_by: str, folder: Path | None = None) -> None:
        self.made_by = made_by
        self.folder = folder or cache_folder() / kind

    def path(self, name: str) -> Path:
        """Where the value of that name is or would be."""
        return self.folder / f"{name[:32]}.safetensors"

    def add(self, name: str, write: Callable[[Path], object], about: str = "") -> Path:
        """Write a value whole, then its record.

        Raises:
            StsError: the folder cannot be written.
        """
        path = self.path(name)
        try:
            with working_folder(path) as folder:
                value = folder / path.name
                write(value)
                record = {"made_by": self.made_by, "about": about, "sha256": sha256_of(value)}
                value.replace(path)
        except OSError as error:
            raise StsError(
                f"{self.folder}: cannot be written ({error.strerror}); "
                "set STS_CACHE to a folder that can be"
            ) from None
        text = json.dumps(record, indent=2) + "\n"
        write_bytes(_record_of(path), text.encode(), links=False)
        return path

    def find(self, name: str) -> Path | None:
        """The path of a value that is here and whole; a damaged one is named on stderr."""
        path = self.path(name)
        try:
            if not path.is_file():
                return None
            fault = read_entry(path).fault()
        except OSError as error:
            fault = f"cannot be read ({error.strerror})"
        if fault is None:
            return path
        note(f"{path} {fault}; computing it again")
        return None

    def get(
        self,
        name: str,
        read: Callable[[Path], T],
        write: Callable[[Path], object],
        about: str = "",
    ) -> T:
        """The value under a key: read from its entry, or computed, written and read now.

        A value is always read back, so that a first and a second run use the same numbers.
        Where the cache folder cannot be written, it is computed and not kept.

        Args:
            name: the key, see :func:`sts.cache.key`.
            read: makes the value of a file.
            write: computes the value and writes it to a file.
            about: what it is, for the record.
        """
        if found := self.find(name):
            try:
                return read(found)
            except DataError as error:
                note(f"{error}; computing it again")
        with temporary_folder("cache") as folder:
            path = made = folder / self.path(name).name
            try:
                write(made)
            except OSError as error:
                raise StsError(
                    f"{made}: cannot be written ({error.strerror}); "
                    "set TMPDIR to a folder that can be"
                ) from None
            try:
                path = self.add(name, lambda target: shutil.copyfile(made, target), about)
            except StsError as error:
                note(f"{error}; it is not kept")
            return read(path)
