"""Translations in a JSON-lines file, which is only appended to."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Iterator
from io import FileIO
from pathlib import Path
from typing import NamedTuple

from sts.errors import DataError, StsError
from sts.files import check_link, lock, parse_json
from sts.translation.translator import Translation

FORMAT = 1
"""The number in each line's ``v``: what this version writes, and the newest that it reads."""


class Entry(NamedTuple):
    """One line of the file: a translation, and all that it is the translation of."""

    provider: str
    version: str
    source: str
    target: str
    text: str
    translation: Translation

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Key of a translation; each version of the provider has its own translation."""
        return self.provider, self.source, self.target, self.text


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
        self._first: dict[tuple[str, ...], Entry] = {}
        self._by_version: dict[tuple[str, ...], Entry] = {}  # those that came after the first
        self._bytes_read = 0
        self._lines_read = 0

    def __len__(self) -> int:
        return len(self._first) + len(self._by_version)

    def get(
        self, provider: str, source: str, target: str, text: str, version: str | None = None
    ) -> Entry | None:
        """The translation of ``text`` as of the last refresh, without ``version`` the first one."""
        key = provider, source, target, _as_read_back(text)
        first = self._first.get(key)
        if first is None or version is None or first.version == version:
            return first
        return self._by_version.get((*key, version))

    def entries(self) -> Iterator[Entry]:
        """Every translation; of one text, the one that was stored first comes first."""
        yield from self._first.values()
        yield from self._by_version.values()

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
                self._hold(_parse(line, f"{self.path}:{self._lines_read}"))
            except ValueError as error:
                bad.append(f"{self.path}:{self._lines_read}: not a stored translation ({error})")
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
                raise cannot_be_written(self.path, str(error.strerror)) from None
            self.refresh()

    def _hold(self, entry: Entry) -> None:
        """Add ``entry`` unless there is a translation of the same version."""
        first = self._first.setdefault(entry.key, entry)
        if first.version != entry.version:
            self._by_version.setdefault((*entry.key, entry.version), entry)

    def _new_bytes(self) -> bytes:
        check_link(self.path)
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
        check_link(self.path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a+b", buffering=0) as file:
            lock(file.fileno())
            self._set_torn_line_aside(file)
            if file.write(data) != len(data):
                raise OSError(0, "the disk is full")
            os.fsync(file.fileno())

    def _set_torn_line_aside(self, file: FileIO) -> None:
        """Move an incomplete last line of a killed process to ``<name>.torn``.

        The caller holds the lock, so that no process is still writing that line.
        """
        size = os.fstat(file.fileno()).st_size
        file.seek(max(0, size - 1))
        if file.read(1) in (b"", b"\n"):
            return
        content = self.path.read_bytes()
        whole = content.rfind(b"\n") + 1
        torn = self.path.with_name(f"{self.path.name}.torn")
        check_link(torn)
        with torn.open("ab", buffering=0) as aside:
            aside.write(content[whole:] + b"\n")
            os.fsync(aside.fileno())
        os.ftruncate(file.fileno(), whole)
        warnings.warn(
            f"{self.path}: its last line, {size - whole} bytes, was cut off; it was moved to "
            f"{torn}, and its text counts as not translated",
            stacklevel=2,
        )


def read_memory(path: Path) -> TranslationMemory:
    """The memory in a file, as of now."""
    memory = TranslationMemory(path)
    memory.refresh()
    return memory


def cannot_be_written(path: Path, reason: str) -> StsError:
    """The error for a file of a memory that cannot be written."""
    return StsError(
        f"{path}: the translation memory cannot be written ({reason}); "
        "free some space or choose another folder for it"
    )


def _line(entry: Entry) -> str:
    """The line of an entry, in ASCII: escapes preserve NUL, U+2028 and lone surrogates."""
    text, untranslated = entry.translation
    said: dict[str, object] = {"v": FORMAT, **entry._asdict(), "translation": text}
    if untranslated:
        said["untranslated"] = untranslated
    return json.dumps(said) + "\n"


def _parse(line: bytes, where: str) -> Entry:
    entry = parse_json(line.decode("utf-8"))
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
    values = (_string(entry.get(field), field) for field in Entry._fields)
    provider, version, source, target, text, translation = values
    listed = entry.get("untranslated", [])
    if not isinstance(listed, list):
        raise ValueError(f"'untranslated' is {listed!r:.40}, expected a list")
    words = tuple(_string(word, "untranslated") for word in listed)
    return Entry(provider, version, source, target, text, Translation(translation, words))


def _string(value: object, field: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{field!r} is {value!r:.40}, expected a string")
    return value


def _as_read_back(text: str) -> str:
    """``text`` after a round trip through JSON, where a pair of surrogates is one character."""
    if text.isascii() or text.isprintable():  # surrogates are not printable
        return text
    return str(json.loads(json.dumps(text)))
