"""Import translations from TMX 1.4b, which most translation tools write.

TMX 1.4b: the Translation Memory eXchange format (LISA, 2005).
https://www.gala-global.org/tmx-14b
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from semaniacs.sts.errors import DataError
from semaniacs.sts.files import read_bytes
from semaniacs.sts.progress import note
from semaniacs.sts.translation.memory import Entry, read_memory
from semaniacs.sts.translation.translator import Translation

IMPORTED = "imported"
"""Version of imported translations."""

_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_CODES = ("bpt", "ept", "it", "ph", "ut")
"""Elements inside a segment that contain formatting codes of another program, not text."""


def import_file(own: Path, source: Path, provider: str) -> None:
    """Add the translations of a TMX file that the memory ``own`` does not contain.

    Args:
        own: file of the memory.
        source: TMX file. A unit in one language only is skipped, with a warning.
        provider: name of the translator that the entries are stored under.

    Raises:
        DataError: not TMX.
    """
    memory = read_memory(own)
    entries = list(read(source, provider))
    new: dict[tuple[str, ...], Entry] = {}
    for entry in entries:
        if memory.get(*entry.key) is None:
            new.setdefault(entry.key, entry)
    memory.add_entries(new.values())
    added, present = len(new), len(entries) - len(new)
    note(f"{len(entries):,} translations read: {added:,} added, {present:,} already stored")


def read(path: Path, provider: str) -> Iterator[Entry]:
    """Yield an entry per unit and target language; see :func:`import_file`.

    The source is the first language of a unit if none is named.
    """
    # Neither entities from other files nor those that grow without end are read by the parser.
    try:
        root = ElementTree.parse(io.BytesIO(read_bytes(path))).getroot()
    except (ElementTree.ParseError, LookupError, ValueError) as error:  # the last two: its encoding
        line = error.position[0] if isinstance(error, ElementTree.ParseError) else 1
        raise DataError(f"{path}:{line}: not well-formed XML ({error})") from None
    if root.tag != "tmx":
        raise DataError(f"{path}: the file begins with <{root.tag}>; expected <tmx>")
    header = root.find("header")
    default = "" if header is None else header.get("srclang", "")
    alone = 0
    for number, unit in enumerate(root.iter("tu"), start=1):
        source = _short(unit.get("srclang", default))
        texts = [_read_variant(variant, f"{path}: <tu> {number}") for variant in unit.iter("tuv")]
        texts.sort(key=lambda text: text[0] != source)  # stable: others keep their order
        alone += len(texts) < 2
        for target, translation in texts[1:]:
            language, text = texts[0]
            yield Entry(provider, IMPORTED, language, target, text, Translation(translation))
    if alone:
        warnings.warn(f"{path}: {alone} units have no translation and are left out", stacklevel=2)


def _read_variant(variant: ElementTree.Element, where: str) -> tuple[str, str]:
    language, segment = variant.get(_LANGUAGE) or variant.get("lang"), variant.find("seg")
    if not language or segment is None:
        raise DataError(f"{where}: a <tuv> without xml:lang or without <seg>; expected both")
    for code in [element for element in segment.iter() if element.tag in _CODES]:
        code.text, code[:] = None, []
    return _short(language), "".join(segment.itertext())


def _short(language: str) -> str:
    """Return the code without its region: ``en`` for ``EN-US``."""
    return re.split("[-_]", language.lower())[0]
