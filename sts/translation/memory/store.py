"""Translations in a JSON-lines file, which is only appended to."""

from __future__ import annotations

import fcntl
import json
import os
import warnings
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from sts.errors import DataError, StsError
from sts.translation.translator import Translation

FORMAT = 1
"""The number in each line's ``v``: what this version writes, and the newest that it reads."""

_FIELDS = ("provider", "version", "source", "target", "text", "translation")


class Key(NamedTuple):
    """A text, its languages and the provider; each version of that has its own translation."""

    provider: str
    source: str
    target: str
    text: str


class Entry(NamedTuple):
    """One line of the file; all fields but ``translation`` are its key."""

    provider: str
    version: str
    source: str
    target: str
    text: str
    translation: Translation


class Stored(NamedTuple):
    """A translation and the version of the provider that gave it."""

    version: str
    translation: Translation


class TranslationMemory:
    """The translations in one file; a file that does not exist holds none.

    A line is an object with ``v`` (the format, 1), ``provider``, ``version``, ``source``,
    ``target``, ``text``, ``translation`` and, where there are any, ``untranslated`` words.
    It counts once its newline is written. Of two lines that differ in the translation only, the
    first is used, so that a result does not change when another process adds a second one.

    The translations of several versions of a provider stand side by side. Without a version,
    :meth:`get` returns the one that was stored first, so that a new version of a provider changes
    no result and translates nothing again; what it does translate is stored under its own
    version. A result names the versions of its translations.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._first: dict[Key, Stored] = {}
        self._by_version: dict[tuple[Key, str], Stored] = {}  # those that came after the first
        self._bytes_read = 0
        self._lines_read = 0

    def __len__(self) -> int:
        return len(self._first) + len(self._by_version)

    def get(
        self, provider: str, source: str, target: str, text: str, version: str | None = None
    ) -> Stored | None:
        """The stored translation of ``text`` as of the last refresh, or None.

        Args:
            version: of the provider; None takes the translation that was stored first.
        """
        key = Key(provider, source, target, _as_read_back(text))
        first = self._first.get(key)
        if first is None or version is None or first.version == version:
            return first
        return self._by_version.get((key, version))

    def entries(self) -> Iterator[Entry]:
        """Every translation; of one text, the one that was stored first comes first."""
        firsts = ((key, stored) for key, stored in self._first.items())
        others = ((key, stored) for (key, _), stored in self._by_version.items())
        for key, (version, translation) in chain(firsts, others):
            yield Entry(key.provider, version, key.source, key.target, key.text, translation)

    def refresh(self) -> None:
        """Read the lines added since the last call, by this process or by another.

        A last line without a newline is left for later: it is still being
        written, or its writer was killed.

        Raises:
            DataError: a line has a newer format than this version can read.
            StsError: the file cannot be read.
        """
        lines = self._new_bytes().split(b"\n")
        bad = []
        for line in lines[:-1]:
            self._lines_read += 1
            self._bytes_read += len(line) + 1
            try:
                key, stored = _parse(line, f"{self.path}:{self._lines_read}")
            except ValueError as error:
                bad.append(f"{self.path}:{self._lines_read}: not a stored translation ({error})")
            else:
                self._hold(key, stored)
        if bad:
            more = f", and so are {len(bad) - 1} more lines" if len(bad) > 1 else ""
            warnings.warn(f"{bad[0]}; the line is skipped{more}", stacklevel=2)

    def add_entries(self, entries: Iterable[Entry]) -> None:
        """Append entries; they are on disk when this returns.

        Raises:
            StsError: the file cannot be written.
        """
        lines = "".join(map(_line, entries))
        if lines:
            try:
                self._append(lines.encode("ascii"))
            except OSError as error:
                raise self.cannot_be_written(error) from None
            self.refresh()

    def cannot_be_written(self, error: OSError) -> StsError:
        """The error for a file that cannot be written."""
        return StsError(
            f"{self.path}: the translation memory cannot be written ({error.strerror}); "
            "free some space or choose another folder for it"
        )

    def _hold(self, key: Key, stored: Stored) -> None:
        """Add ``stored`` unless there is a translation of the same version."""
        first = self._first.setdefault(key, stored)
        if first.version != stored.version:
            self._by_version.setdefault((key, stored.version), stored)

    def _new_bytes(self) -> bytes:
        try:
            with self.path.open("rb") as file:
                file.seek(self._bytes_read)
                return file.read()
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise StsError(
                f"{self.path}: the translation memory cannot be read ({error.strerror}); "
                "give yourself the right to read it or choose another folder for it"
            ) from None

    def _append(self, data: bytes) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a+b", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # closing the file lets go of the lock
            torn = self._set_torn_line_aside(file.fileno())
            if file.write(data) != len(data):
                raise OSError(0, "the disk is full")
            os.fsync(file.fileno())
        if torn:
            warnings.warn(
                f"{self.path}: its last line, {torn} bytes, was cut off; it was moved to "
                f"{self._torn}, and its text counts as not translated",
                stacklevel=2,
            )

    @property
    def _torn(self) -> Path:
        return self.path.with_name(f"{self.path.name}.torn")

    def _set_torn_line_aside(self, descriptor: int) -> int:
        """Move an incomplete last line of a killed process to ``<name>.torn``; returns its bytes.

        The caller holds the lock, so that no process is still writing that line.
        """
        size = os.fstat(descriptor).st_size
        if size == 0 or os.pread(descriptor, 1, size - 1) == b"\n":
            return 0
        whole = self.path.read_bytes().rfind(b"\n") + 1
        with self._torn.open("ab") as aside:
            aside.write(os.pread(descriptor, size - whole, whole) + b"\n")
            aside.flush()
            os.fsync(aside.fileno())
        os.ftruncate(descriptor, whole)
        return size - whole


def _line(stored: Entry) -> str:
    """The line of an entry, in ASCII: escapes preserve NUL, U+2028 and lone surrogates."""
    entry: dict[str, object] = {
        "v": FORMAT,
        "provider": stored.provider,
        "version": stored.version,
        "source": stored.source,
        "target": stored.target,
        "text": stored.text,
        "translation": stored.translation.text,
    }
    if stored.translation.untranslated:
        entry["untranslated"] = stored.translation.untranslated
    return json.dumps(entry) + "\n"


def _parse(line: bytes, where: str) -> tuple[Key, Stored]:
    entry = json.loads(line.decode("utf-8"))
    if not isinstance(entry, dict):
        raise ValueError("expected a JSON object")
    written = entry.get("v")
    if isinstance(written, int) and written > FORMAT:
        raise DataError(
            f"{where}: a translation in format {written}, this version reads formats up to "
            f"{FORMAT}; install a newer version or choose another folder for the memory"
        )
    if written != FORMAT:
        raise ValueError(f"'v' is {written!r}, expected {FORMAT}")
    values = [_string(entry.get(field), field) for field in _FIELDS]
    provider, version, source, target, text, translation = values
    untranslated = tuple(_string(word, "untranslated") for word in entry.get("untranslated", ()))
    return Key(provider, source, target, text), Stored(
        version, Translation(translation, untranslated)
    )


def _string(value: object, field: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{field!r} is {value!r:.40}, expected a string")
    return value


def _as_read_back(text: str) -> str:
    """``text`` after a round trip through JSON, where a pair of surrogates is one character."""
    if text.isascii() or text.isprintable():  # surrogates are not printable
        return text
    return str(json.loads(json.dumps(text)))
