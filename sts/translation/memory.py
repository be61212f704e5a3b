"""The translation memory: its file, its import, and a translator that looks there first."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from semaniacs.sts.data.segments import read_units
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.files import check_link, parse_json
from semaniacs.sts.progress import Bar, note
from semaniacs.sts.translation.translator import (
    BadAnswerError,
    Provider,
    Translation,
    TranslationError,
    Translator,
)

FORMAT = 1
"""The number in each line's ``v``: what this version writes, and the newest that it reads."""

IMPORTED = "imported"  # version of imported translations

Pair = tuple[str, str]
"""The source and the target language."""


class Entry(NamedTuple):
    """One line of the file."""

    provider: str
    version: str
    source: str
    target: str
    text: str
    translation: Translation

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Key of a translation. The version of the provider is no part of it."""
        return self.provider, self.source, self.target, self.text


class TranslationMemory:
    """The translations in one file, which is only appended to; a missing file contains none.

    A line is an object with ``v`` (the format, 1), ``provider``, ``version``, ``source``,
    ``target``, ``text``, ``translation`` and, if there are any, ``untranslated`` words. The first
    line of a text counts, so that a new version of a provider changes no result and translates
    nothing again.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._entries: dict[tuple[str, ...], Entry] = {}
        self._imported: dict[tuple[str, ...], Entry] = {}
        self._bytes_read = 0
        self._lines_read = 0

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, provider: str, source: str, target: str, text: str) -> Entry | None:
        """Return the translation of ``text`` as of the last refresh.

        An imported one comes first, whatever its provider and direction.
        """
        key = (source, target, text)
        return self._imported.get(key) or self._entries.get((provider, *key))

    def entries(self) -> Iterator[Entry]:
        """Yield every translation."""
        yield from self._entries.values()

    def refresh(self) -> None:
        """Read the lines added since the last call, by this process or by another.

        A last line without a newline is left for later: it is still being written. A warning names
        a damaged line, such as one whose writer was killed. A line of a newer format is a
        DataError, and a file that cannot be read a StsError.
        """
        bad = []
        for line in self._new_bytes().split(b"\n")[:-1]:
            self._lines_read += 1
            self._bytes_read += len(line) + 1
            if not line:
                continue
            try:
                entry = _parse(line, f"{self.path}:{self._lines_read}")
            except ValueError as error:
                bad.append(f"{self.path}:{self._lines_read}: not a stored translation ({error})")
            else:
                self._keep(entry)
        if bad:
            more = f", like {len(bad) - 1} more" if len(bad) > 1 else ""
            warnings.warn(
                f"{bad[0]}; the line is skipped{more}: delete damaged lines", stacklevel=2
            )

    def _keep(self, entry: Entry) -> None:
        """Serve an entry, unless it is empty or its key is known."""
        provider, version, source, target, text, translation = entry
        if not translation.text.strip():
            return
        self._entries.setdefault(entry.key, entry)
        if version == IMPORTED:
            self._imported.setdefault(entry.key[1:], entry)
            back = Entry(provider, version, target, source, translation.text, Translation(text))
            self._imported.setdefault(back.key[1:], back)

    def add_entries(self, entries: Iterable[Entry]) -> None:
        """Append entries; they are on disk when this returns, or a StsError is raised."""
        data = b"".join(map(_line, entries))
        if not data:
            return
        check_link(self.path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a+b", buffering=0) as file:
                if file.seek(0, os.SEEK_END):
                    file.seek(-1, os.SEEK_END)
                    if file.read(1) != b"\n":  # a process writes at this moment, or was killed
                        data = b"\n" + data
                if file.write(data) != len(data):
                    raise OSError(0, "the disk is full")
                os.fsync(file.fileno())
        except OSError as error:
            raise StsError(
                f"{self.path}: the translation memory cannot be written ({error.strerror}); "
                "free some space or choose another folder for it"
            ) from None
        self.refresh()

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
                "check its permissions, or choose another folder for it"
            ) from None


def read_memory(path: Path) -> TranslationMemory:
    """Return the memory in a file, as of now."""
    memory = TranslationMemory(path)
    memory.refresh()
    return memory


def import_file(own: Path, source: Path, provider: str) -> None:
    """Add the translations of TMX or XLIFF that the memory ``own`` does not contain.

    They are stored under the name of a ``provider``.

    Raises:
        DataError: another format, or languages are not named.
    """
    memory = read_memory(own)
    entries = list(entries_in_xml(source, provider))
    new: dict[tuple[str, ...], Entry] = {}
    others = 0
    for entry in entries:
        stored = memory.get(*entry.key) or new.setdefault(entry.key, entry)
        others += stored.translation.text != entry.translation.text
    memory.add_entries(new.values())
    added, present = len(new), len(entries) - len(new) - others
    ignored = f", {others:,} ignored: another translation is stored" if others else ""
    note(
        f"{len(entries):,} translations read: {added:,} added, {present:,} already stored{ignored}"
    )


def entries_in_xml(path: Path, provider: str) -> Iterator[Entry]:
    """Yield an entry per unit and target language; see :func:`import_file`.

    The source is the first language of a unit if none is named. A warning counts units in one
    language only.
    """
    alone = 0
    for unit in read_units(path):
        texts = [text for text in unit.texts if text[1].strip()]
        alone += len(texts) < 2
        if not all(language for language, _ in texts):
            raise DataError(
                f"{path}: it does not name both languages; expected xml:lang or the like"
            )
        for (language, text), (target, translation) in combinations(texts, 2):
            yield Entry(provider, IMPORTED, language, target, text, Translation(translation))
    if alone:
        warnings.warn(f"{path}: {alone} units have no translation and are left out", stacklevel=2)


def _line(entry: Entry) -> bytes:
    text, untranslated = entry.translation
    fields: dict[str, object] = {"v": FORMAT, **entry._asdict(), "translation": text}
    if untranslated:
        fields["untranslated"] = untranslated
    return f"{json.dumps(fields, ensure_ascii=False)}\n".encode("utf-8", "surrogatepass")


def _parse(line: bytes, where: str) -> Entry:
    fields = parse_json(line.decode("utf-8", "surrogatepass"))
    if not isinstance(fields, dict):
        raise ValueError("expected a JSON object")
    written = fields.get("v")
    if isinstance(written, int) and written > FORMAT:
        raise DataError(
            f"{where}: a translation in format {written}, this version reads formats up to "
            f"{FORMAT}; install a newer version or choose another folder for the memory"
        )
    if written != FORMAT:
        raise ValueError(f"'v' is {written!r:.40}, expected {FORMAT}")
    values: dict[str, Any] = {name: fields.get(name) for name in Entry._fields}
    words = fields.get("untranslated", [])
    for name, value in values.items():
        if not isinstance(value, str):
            raise ValueError(f"{name!r} is {value!r:.40}, expected a string")
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ValueError(f"'untranslated' is {words!r:.40}, expected a list of strings")
    values["translation"] = Translation(values["translation"], tuple(words))
    return Entry(**values)


class CachedTranslator(Translator):
    """A translator that sends to ``provider`` only the texts that no memory contains.

    The memories are searched in their order; new translations are added to the last one. If it is
    not ``live``, the provider is never called.
    """

    def __init__(self, provider: Provider, *memories: TranslationMemory, live: bool = True) -> None:
        hint = provider.install_hint
        if not live:
            hint = (
                f"this translator uses its memory only; choose {provider.name!r} to have them "
                f"translated ({hint})"
            )
        super().__init__(provider.name, hint)
        self._provider = provider
        self._memories = memories
        self._live = live
        self._versions: set[str] = set()

    @property
    def version(self) -> str:
        """Versions behind the translations served so far, or ``not called``."""
        return ", ".join(sorted(self._versions)) or "not called"

    def known(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """Return those of ``texts`` that a memory contains."""
        missing = set(self._missing(texts, (source, target)))
        return [text for text in texts if text not in missing]

    def _find(self, texts: Sequence[str], source: str, target: str) -> dict[str, Translation]:
        pair = source, target
        if missing := self._missing(texts, pair):
            if not (self._live and self._provider.available()):
                raise self._no_translation(missing, len(texts), source, target)
            self._translate_missing(missing, pair)
        found = {}
        for text in texts:
            if entry := self._stored(text, pair):
                self._versions.add(entry.version)
                found[text] = entry.translation
        return found

    def _stored(self, text: str, pair: Pair) -> Entry | None:
        found = (memory.get(self.name, *pair, text) for memory in self._memories)
        return next(filter(None, found), None)

    def _missing(self, texts: Sequence[str], pair: Pair) -> list[str]:
        for memory in self._memories:
            memory.refresh()
        return [text for text in texts if not self._stored(text, pair)]

    def _translate_missing(self, texts: Sequence[str], pair: Pair) -> None:
        """Store each chunk before the next, so that a killed process loses one chunk at most."""
        size = self._provider.chunk
        show = len(texts) > size
        with Bar(f"{self.name} {'->'.join(pair)}", "texts", len(texts), show=show) as bar:
            for start in range(0, len(texts), size):
                chunk = texts[start : start + size]
                try:  # another process may have stored some of them meanwhile
                    self._translate_and_store(self._missing(chunk, pair), pair)
                except TranslationError as error:
                    done = len(texts) - len(self._missing(texts, pair))
                    raise type(error)(  # the same class
                        f"{error}; {done} of {len(texts)} texts were translated and are stored "
                        f"in {self._memories[-1].path}, run again to go on from there"
                    ) from None
                bar.update(len(chunk))

    def _translate_and_store(self, texts: Sequence[str], pair: Pair) -> None:
        """Translate texts; if the provider fails, the translations before that are stored."""
        if not texts:
            return
        answers: list[Translation] = []
        try:
            for answer in self._provider.translate(texts, *pair):
                if not answer.text.strip() and len(answers) < len(texts):
                    text = texts[len(answers)]
                    raise BadAnswerError(f"{self.name} gave no translation of {text[:80]!r}")
                answers.append(answer)
            if (given := len(answers)) != len(texts):
                answers.clear()
                raise TranslationError(
                    f"{self.name} gave {given} translations for {len(texts)} texts, "
                    "expected one each; none of them was stored"
                )
        finally:
            version = self._provider.version_of(*pair)
            self._memories[-1].add_entries(
                Entry(self.name, version, *pair, text, answer)
                for text, answer in zip(texts, answers, strict=False)  # fewer after a failure
            )
