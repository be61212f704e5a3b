"""Values that were computed once and are read from disk the next time.

:class:`Cache` holds the entries of one kind, :class:`RowCache` rows of numbers by sentence.
``semaniacs cache`` lists, checks and clears them.

An entry is a file with the value, and beside it a record of where it comes from.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from semaniacs.sts.errors import DataError, StsError, ValuesError
from semaniacs.sts.files import (
    own_folder,
    parse_json,
    read_text,
    sha256_of,
    temporary_folder,
    working_folder,
    write_bytes,
)
from semaniacs.sts.progress import note, track
from semaniacs.sts.tensors import FORMAT, check_finite, digest, read_tensors, to_bytes

T = TypeVar("T")

_RECORD = ".entry"  # suffix of the records


def cache_folder() -> Path:
    """Return the folder of all caches: ``STS_CACHE``, else ``~/.cache/sts``.

    A StsError is raised if other users can write to it, and could change what is read from it.
    """
    folder = own_folder(os.environ.get("STS_CACHE") or "~/.cache/sts", "STS_CACHE")
    _check_alone(folder)
    return folder


def memory_folder() -> Path:
    """Return the folder of stored translations: ``STS_MEMORY``, else one in the cache folder."""
    named = os.environ.get("STS_MEMORY")
    return own_folder(named, "STS_MEMORY") if named else cache_folder() / "translations"


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
    """A value on disk; without a record the last three are "".

    Attributes:
        kind: name of its folder, such as ``tuned``.
        name: of its file, without suffix; it begins with the key.
        made_by: the code that computed it.
        sha256: of the file when it was written.
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
        """Time when the value was written."""
        return datetime.fromtimestamp(self.path.stat().st_mtime, UTC)

    def fault(self) -> str | None:
        """Return what is wrong with the value; None if it is as it was written."""
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
    """Return the entry of the value at ``path``; its record is left empty if it cannot be read."""
    try:
        record = parse_json(read_text(_record_of(path)))
        found = {name: str(record[name]) for name in ("made_by", "about", "sha256")}
    except (StsError, ValueError, KeyError, TypeError):
        found = {}
    return Entry(path.parent.name, path.stem, path, **found)


def entries_in(folder: Path) -> Iterator[Entry]:
    """Yield the entries in a folder, by name; a record without its value is a damaged entry."""
    for path in sorted(folder.glob("[!.]*")):
        value = path.with_suffix(".safetensors") if path.suffix == _RECORD else path
        if value == path or not value.exists():
            yield read_entry(value)


class Cache:
    """The entries of one kind. Several processes may read and write them at once.

    Args:
        kind: name of the folder below :func:`cache_folder`.
        made_by: the code that computes the values, for the records.
        folder: another folder.
    """

    def __init__(self, kind: str, made_by: str, folder: Path | None = None) -> None:
        self.made_by = made_by
        self.folder = folder or cache_folder() / kind

    def path(self, name: str) -> Path:
        """Return the path of the value with this name, whether it exists or not."""
        return self.folder / f"{name[:32]}.safetensors"

    def add(self, name: str, write: Callable[[Path], object], about: str = "") -> Path:
        """Write a value and its record; return the path of the value, or raise a StsError."""
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
        write_bytes(_record_of(path), f"{json.dumps(record, indent=2)}\n".encode(), links=False)
        return path

    def find(self, name: str) -> Path | None:
        """Return the path of an undamaged value; None, and a note on stderr if it is damaged."""
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
        self, name: str, read: Callable[[Path], T], write: Callable[[Path], object], about: str = ""
    ) -> T:
        """Return the value with this name: from its entry, or computed now and added.

        A value is always read back, so that a first and a second run use the same numbers. If
        the cache folder cannot be written, a note says so and the value is not cached.

        Args:
            name: the key, see :func:`semaniacs.sts.cache.key`.
            read: reads the value from a file.
            write: computes the value and writes it to a file.
            about: a short description, for the record.
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


# Keys


def key(
    version: int, libraries: tuple[str, ...], *, inputs: object, configuration: object = None
) -> str:
    """Return a cache key: the hexadecimal sha256 of everything that a value depends on.

    Args:
        version: a number written beside the function that computes the value. Raise it when the
            function returns other values.
        libraries: distributions that compute it, such as ``jax``; their versions count.
        inputs, configuration: what it is computed from and how, see :func:`.canonical`.
    """
    versions = {library: _version_of(library) for library in libraries}
    return digest(
        {"inputs": inputs, "configuration": configuration, "code": version, "versions": versions}
    )


def _version_of(library: str) -> str:
    try:
        return installed_version(library)
    except PackageNotFoundError:
        return ""


# Rows of numbers that take long to compute, one per sentence or pair of sentences


_KEY = 16  # bytes of the hash of the texts of a row


class RowCache:
    """Rows by the texts that they are computed from; several processes may add some.

    Args:
        cache: holds the entries, each with the rows of one part.
        key: of the code that computes rows; rows of others are ignored.
        width, kind: numbers per row, and their type.
        compute: returns the rows (n, width) of n groups of texts.
        part: number of rows to compute, and to write, at once.
    """

    def __init__(
        self,
        cache: Cache,
        key: str,
        width: int,
        kind: type[np.generic],
        compute: Callable[[Sequence[tuple[str, ...]]], NDArray[Any]],
        part: int,
    ) -> None:
        self.cache, self.prefix = cache, key[:12]
        self.width, self.kind = width, np.dtype(kind)
        self.compute, self.part = compute, part
        self.rows: dict[bytes, NDArray[Any]] = {}
        for entry in entries_in(cache.folder):
            if entry.name.startswith(self.prefix):
                if fault := entry.fault():
                    note(f"{entry.path} {fault}; its rows are computed again")
                    continue
                try:
                    self._read(entry.name)
                except ValuesError as error:
                    note(f"{error}; its rows are computed again")

    def get(
        self, groups: Sequence[tuple[str, ...]], label: str, by_length: bool = False
    ) -> NDArray[Any]:
        """Return the rows (n, width) of groups of texts, in order; new ones are computed.

        ``label`` is for the progress bar. With ``by_length`` groups of similar length are computed
        together.
        """
        keys = [_hash(group) for group in groups]
        new = {k: g for k, g in zip(keys, groups, strict=True) if k not in self.rows}
        todo = list(new.items())
        if by_length:
            todo.sort(key=lambda item: sum(map(len, item[1])))
        for start in track(range(0, len(todo), self.part), label, "parts"):
            some = todo[start : start + self.part]
            self._add([k for k, _ in some], self.compute([group for _, group in some]))
        rows = [self.rows[key] for key in keys]
        return np.stack(rows) if rows else np.empty((0, self.width), self.kind)

    def _add(self, keys: Sequence[bytes], rows: NDArray[Any]) -> None:
        packed = np.frombuffer(b"".join(keys), np.uint8).reshape(-1, _KEY)
        name = f"{self.prefix}-{sha256(packed.tobytes()).hexdigest()[:12]}"
        with np.errstate(over="ignore"):  # too large a number becomes infinite
            rows = rows.astype(self.kind)
        check_finite(rows, "what was computed")
        content = to_bytes({"keys": packed, "vectors": rows}, {"format": FORMAT})
        self.cache.add(name, lambda path: path.write_bytes(content), f"{len(rows)} rows")
        self._read(name)

    def _read(self, name: str) -> None:
        path = self.cache.path(name)
        tensors, _ = read_tensors(path, ("keys", "vectors"))
        keys, rows = tensors["keys"], tensors["vectors"]
        expected = (len(keys), self.width)
        if rows.shape != expected or rows.dtype != self.kind or keys.dtype != np.uint8:
            raise DataError(
                f"{path}: {rows.shape} {rows.dtype}, expected {expected} {self.kind}; delete it"
            )
        check_finite(rows, str(path))
        self.rows |= {key.tobytes(): row for key, row in zip(keys, rows, strict=True)}


def _hash(texts: tuple[str, ...]) -> bytes:
    parts = [text.encode("utf-8", "surrogatepass") for text in texts]
    lengths = b"".join(len(part).to_bytes(8, "little") for part in parts)
    return sha256(lengths + b"".join(parts)).digest()[:_KEY]
