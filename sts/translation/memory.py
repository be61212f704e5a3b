"""Every translation ever asked for, kept in a file that only grows."""

from __future__ import annotations

import fcntl
import json
import os
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from sts.errors import DataError, StsError
from sts.translation.translator import Translation

FORMAT = 1
"""The number in each line's ``v``: what this version writes, and the newest that it reads."""

_FIELDS = ("provider", "version", "source", "target", "text", "translation")


class Key(NamedTuple):
    """What a translation is looked up by."""

    provider: str
    source: str
    target: str
    text: str


class Stored(NamedTuple):
    """A translation and the version of the provider that gave it."""

    version: str
    translation: Translation


class TranslationMemory:
    """The translations of one JSON-lines file; a file that is absent holds none.

    A line is an object with ``v`` (the format, 1), ``provider``, ``version``, ``source``,
    ``target``, ``text``, ``translation`` and, where there are any, ``untranslated`` words.
    It counts once its newline is there. Of two lines with one key the first holds, so
    that a result does not change when another process stores a second answer.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._held: dict[Key, Stored] = {}
        self._bytes_read = 0
        self._lines_read = 0

    def __len__(self) -> int:
        return len(self._held)

    def get(self, provider: str, source: str, target: str, text: str) -> Stored | None:
        """The stored translation of ``text``, or None; sees the file as of the last refresh."""
        return self._held.get(Key(provider, source, target, _as_read_back(text)))

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
                self._held.setdefault(key, stored)
        if bad:
            more = f", and so are {len(bad) - 1} more lines" if len(bad) > 1 else ""
            warnings.warn(f"{bad[0]}; the line is skipped{more}", stacklevel=2)

    def add_many(
        self,
        provider: str,
        version: str,
        source: str,
        target: str,
        translated: Iterable[tuple[str, Translation]],
    ) -> None:
        """Append (text, translation) pairs; when this returns they are on the disk.

        Raises:
            StsError: the file cannot be written.
        """
        lines = "".join(
            _line(Key(provider, source, target, text), Stored(version, translation))
            for text, translation in translated
        )
        if lines:
            try:
                self._append(lines.encode("ascii"))
            except OSError as error:
                raise StsError(
                    f"{self.path}: the translation memory cannot be written "
                    f"({error.strerror}); free some space or choose another folder for it"
                ) from None
            self.refresh()

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
            self._set_torn_line_aside(file.fileno())
            if file.write(data) != len(data):
                raise OSError(0, "the disk is full")
            os.fsync(file.fileno())

    def _set_torn_line_aside(self, descriptor: int) -> None:
        """Move what a killed writer left after the last newline to ``<name>.torn``.

        The caller holds the lock, so nobody is still writing that line.
        """
        size = os.fstat(descriptor).st_size
        if size == 0 or os.pread(descriptor, 1, size - 1) == b"\n":
            return
        whole = self.path.read_bytes().rfind(b"\n") + 1
        with self.path.with_name(f"{self.path.name}.torn").open("ab") as aside:
            aside.write(os.pread(descriptor, size - whole, whole) + b"\n")
            aside.flush()
            os.fsync(aside.fileno())
        os.ftruncate(descriptor, whole)


def _line(key: Key, stored: Stored) -> str:
    """ASCII escapes keep NUL, U+2028 and lone surrogates, and a newline ends the line only."""
    entry: dict[str, object] = {
        "v": FORMAT,
        "provider": key.provider,
        "version": stored.version,
        "source": key.source,
        "target": key.target,
        "text": key.text,
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
    """``text`` as JSON gives it back: two surrogates that form a pair become one character."""
    return text if text.isascii() else str(json.loads(json.dumps(text)))
