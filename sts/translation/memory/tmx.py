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
from xml.etree import ElementTree
from xml.parsers import expat

from sts.errors import DataError
from sts.files import read_bytes
from sts.progress import note
from sts.translation.memory.store import Entry, read_memory
from sts.translation.translator import Translation

IMPORTED = "imported"
"""Version of imported translations."""

DEEPEST = 100
"""Elements inside each other; tools that write TMX stay below ten."""

_LANGUAGE = "xml:lang"
_CODES = frozenset("bpt ept it ph ut".split())
"""Elements inside a segment that hold formatting codes of another program, not text."""


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
    new: dict[tuple[object, ...], Entry] = {}
    total = 0
    for entry in read(source, provider):
        total += 1
        if memory.get(*entry.key, entry.version) is None:
            new.setdefault(entry[:5], entry)  # all but the translation: the first is used
    memory.add_entries(new.values())
    note(f"{total:,} translations read: {len(new):,} added, {total - len(new):,} held already")


def read(path: Path, provider: str) -> Iterator[Entry]:
    """Yield the entries of a TMX file.

    Raises:
        DataError: not TMX, or with entities of its own (with the line).
    """
    alone = 0
    for line, unit, source in _units(path):
        found = list(_entries_of(unit, source, provider, f"{path}:{line}"))
        alone += not found
        yield from found
    if alone:
        warnings.warn(f"{path}: {alone} units have no translation and are left out", stacklevel=2)


def _units(path: Path) -> Iterator[tuple[int, ElementTree.Element, str]]:
    """Yield the line, the element and the source language of every ``<tu>``.

    Entities other than the five of XML are refused, because a few declarations can expand a
    small file to gigabytes, or read another file.
    """
    parser, builder = expat.ParserCreate(), ElementTree.TreeBuilder()
    elements: list[tuple[int, ElementTree.Element]] = []
    depth = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        if not elements and name != "tmx":
            raise DataError(
                f"{path}:{parser.CurrentLineNumber}: the file begins with <{name}>; expected <tmx>"
            )
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise DataError(
                f"{path}:{parser.CurrentLineNumber}: more than {DEEPEST} elements inside each other"
            )
        elements.append((parser.CurrentLineNumber, builder.start(name, attributes)))

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(name)

    def refuse(*_: object) -> NoReturn:
        raise DataError(
            f"{path}:{parser.CurrentLineNumber}: the file declares or uses entities of its own, "
            "which are not read; save it without a DOCTYPE"
        )

    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = parser.ExternalEntityRefHandler = refuse
    parser.SkippedEntityHandler = refuse
    try:
        parser.Parse(read_bytes(path), True)
    except (expat.ExpatError, LookupError, ValueError) as error:  # the latter two: its encoding
        raise DataError(
            f"{path}:{parser.CurrentLineNumber}: not well-formed XML ({error})"
        ) from None
    headers = (element for _, element in elements if element.tag == "header")
    source = next((header.get("srclang", "") for header in headers), "")
    for line, element in elements:
        if element.tag == "tu":
            yield line, element, element.get("srclang", source)


def _entries_of(
    unit: ElementTree.Element, source: str, provider: str, where: str
) -> Iterator[Entry]:
    """Yield an entry per target language; the source is the first language if none is named."""
    variants = [
        (_short(language), text)
        for language, text in (_read_variant(variant, where) for variant in unit.iter("tuv"))
    ]
    wanted = _short(source)
    variants.sort(key=lambda variant: variant[0] != wanted)  # stable: others keep their order
    (first, text), *others = variants or [("", "")]
    for language, translated in others:
        yield Entry(provider, IMPORTED, first, language, text, Translation(translated))


def _read_variant(variant: ElementTree.Element, where: str) -> tuple[str, str]:
    language = variant.get(_LANGUAGE) or variant.get("lang")
    segment = variant.find("seg")
    if not language or segment is None:
        raise DataError(f"{where}: a <tuv> without xml:lang or without <seg>; expected both")
    return language, _text_of(segment)


def _short(language: str) -> str:
    """Return the code without its region: ``en`` for ``EN-US``."""
    return re.split("[-_]", language.lower())[0]


def _text_of(element: ElementTree.Element) -> str:
    """Return the text of an element, without formatting codes."""
    parts = [element.text or ""]
    for child in element:
        parts += ["" if child.tag in _CODES else _text_of(child), child.tail or ""]
    return "".join(parts)
