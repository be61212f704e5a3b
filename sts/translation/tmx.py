"""Import translations from TMX 1.4b, which most translation tools write.

TMX 1.4b: the Translation Memory eXchange format (LISA, 2005).
https://www.gala-global.org/tmx-14b
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from sts.errors import DataError
from sts.files import read_bytes
from sts.progress import note
from sts.translation.memory import Entry, read_memory
from sts.translation.translator import Translation

IMPORTED = "imported"
"""Version of imported translations."""

_CODES = frozenset(("bpt", "ept", "it", "ph", "ut"))
"""Elements inside a segment that contain formatting codes of another program, not text."""


def import_file(own: Path, source: Path, provider: str) -> None:
    """Add the translations of a TMX file that the memory ``own`` does not contain.

    Args:
        own: file of the memory.
        source: TMX file. A unit in one language only is skipped, with a warning.
        provider: name of the translator that the entries are stored under.

    Raises:
        DataError: not TMX, or with entities of its own (with the line).
    """
    memory = read_memory(own)
    entries = list(read(source, provider))
    new: dict[tuple[str, ...], Entry] = {}
    for entry in entries:
        if memory.get(*entry.key) is None:
            new.setdefault(entry.key, entry)
    memory.add_entries(new.values())
    added, present = len(new), len(entries) - len(new)
    note(f"{len(entries):,} translations read: {added:,} added, {present:,} held already")


def read(path: Path, provider: str) -> Iterator[Entry]:
    """Yield an entry per unit and target language; see :func:`import_file`.

    The source is the first language of a unit if none is named.
    """
    reader = _Reader(path)
    reader.parse()
    alone = 0
    for language, variants in reader.units:
        source = _short(language)
        # A stable sort: the other languages keep their order.
        variants.sort(key=lambda variant: _short(variant[0]) != source)
        alone += len(variants) < 2
        for target, translation in variants[1:]:
            first, text = variants[0]
            languages = _short(first), _short(target)
            yield Entry(provider, IMPORTED, *languages, text, Translation(translation))
    if alone:
        warnings.warn(f"{path}: {alone} units have no translation and are left out", stacklevel=2)


class _Reader:
    """Reads the units of a TMX file: the source language, and texts by language.

    Entities other than the five of XML are refused, because a few declarations can expand a
    small file to gigabytes, or read another file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.units: list[tuple[str, list[tuple[str, str]]]] = []
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.text
        self.parser.EntityDeclHandler = self.refuse_entity
        self.parser.ExternalEntityRefHandler = self.refuse_entity
        self.parser.SkippedEntityHandler = self.refuse_entity
        self.begun = False
        self.source_language = self.language = ""
        self.segment: list[str] | None = None  # parts of the text of the open <seg>
        self.found_segment = False
        self.codes = 0  # open elements of formatting codes

    def parse(self) -> None:
        try:
            self.parser.Parse(read_bytes(self.path), True)
        except (expat.ExpatError, LookupError, ValueError) as error:  # the last two: its encoding
            raise self.error(f"not well-formed XML ({error})") from None

    def error(self, message: str) -> DataError:
        return DataError(f"{self.path}:{self.parser.CurrentLineNumber}: {message}")

    def refuse_entity(self, *_: object) -> NoReturn:
        raise self.error(
            "the file declares or uses entities of its own, which are not read; "
            "save it without a DOCTYPE"
        )

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if not self.begun and name != "tmx":
            raise self.error(f"the file begins with <{name}>; expected <tmx>")
        self.begun = True
        if name == "header":
            self.source_language = attributes.get("srclang", "")
        elif name == "tu":
            self.units.append((attributes.get("srclang", self.source_language), []))
        elif name == "tuv":
            self.language = attributes.get("xml:lang") or attributes.get("lang", "")
            self.found_segment = False
        elif name == "seg":
            self.segment = []
        elif name in _CODES:
            self.codes += 1

    def text(self, text: str) -> None:
        if self.segment is not None and not self.codes:
            self.segment.append(text)

    def end(self, name: str) -> None:
        if name in _CODES:
            self.codes -= 1
        elif name == "seg" and self.units and self.language:
            self.units[-1][1].append((self.language, "".join(self.segment or [])))
            self.found_segment, self.segment = True, None
        elif name == "tuv" and not self.found_segment:
            raise self.error("a <tuv> without xml:lang or without <seg>; expected both")


def _short(language: str) -> str:
    """Return the code without its region: ``en`` for ``EN-US``."""
    return re.split("[-_]", language.lower())[0]
