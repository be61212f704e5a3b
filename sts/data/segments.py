"""Translated segments in the XML of translation tools: TMX 1.4b, XLIFF 1.2 and 2.

TMX: the Translation Memory eXchange format (LISA, 2005). https://www.gala-global.org/tmx-14b
XLIFF: the XML Localisation Interchange File Format (OASIS, 2008 and 2014).
"""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from semaniacs.sts.encodings import decode, named_encoding
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.files import read_unpacked

_SIDES = ("source", "target")

Texts = list[tuple[str, str]]
"""Languages and texts of a unit; the source comes first."""

_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
_CODES = ("bpt", "ept", "it", "ph", "ut")
"""Elements inside a segment that contain formatting codes of another program, not text."""

_OTHER_ENCODING = re.compile(
    rb"""\xff\xfe|\xfe\xff|\s*<\?xml[^>]*encoding=["'](?!utf-?8)""", re.IGNORECASE
)
"""Beginning of XML that is not in UTF-8."""

_EMPTY = ("x", "bx", "ex", "sc", "ec")  # elements of XLIFF that stand for a code


class Unit(NamedTuple):
    """Texts of a segment, and what the file calls it, or ""."""

    name: str
    texts: Texts


def read_units(path: Path, codes: bool = False) -> Iterator[Unit]:
    """Yield the texts of each unit of TMX or XLIFF, with their languages.

    The source is the first language of a unit of TMX if none is named. With ``codes`` texts hold
    the codes of formatting and of placeholders. Another format, or a text without its language, is
    a DataError.
    """
    root = _parse(path, "tmx", "xliff")
    if _name(root) == "xliff":
        yield from _xliff_units(root, codes)
        return
    header = root.find("header")
    default = "" if header is None else header.get("srclang", "")
    for number, unit in enumerate(root.iter("tu"), start=1):
        source = short_code(unit.get("srclang", default))
        where = f"{path}: <tu> {number}"
        texts = [_read_variant(variant, where, codes) for variant in unit.iter("tuv")]
        texts.sort(key=lambda text: text[0] != source)  # stable: others keep their order
        yield Unit(unit.get("tuid", ""), texts)


def _xliff_units(root: Element, codes: bool) -> Iterator[Unit]:
    """Yield the units of XLIFF; a language that the file does not name is ""."""
    for file in [part for part in root.iter() if _name(part) == "file"] or [root]:
        one = file.get("source-language") or root.get("srcLang") or ""
        two = file.get("target-language") or root.get("trgLang") or ""
        found = [part for part in file.iter() if _name(part) in ("trans-unit", "unit")]
        for unit in found or [file]:
            for part in (part for part in unit.iter() if _name(part) in ("trans-unit", "segment")):
                sides = dict(
                    zip(_SIDES, [(short_code(one), ""), (short_code(two), "")], strict=True)
                )
                for side in (side for side in part if _name(side) in _SIDES):
                    code = short_code(side.get(_LANGUAGE, "")) or sides[_name(side)][0]
                    sides[_name(side)] = code, _text(side, codes)
                yield Unit(unit.get("id", ""), [*sides.values()])


def segment_rows(
    path: str, named: Collection[str] = ()
) -> Iterator[tuple[int, dict[str, str | None]]]:
    """Yield number and texts of each unit: source and target, or those of TMX by language.

    They are by language where a unit has more than two, or ``named`` has one of them: de, de-DE.
    A DataError is raised if the file is missing, malformed, or declares entities.
    """
    if path == "-":
        raise StsError("XML cannot be read from stdin; name a file")
    units = [unit.texts for unit in read_units(Path(path))]
    languages = {language for unit in units for language, _ in unit}
    asked = {code: name for name in named if (code := short_code(name)) in languages}
    if asked:
        units = [[(asked.get(language, language), text) for language, text in u] for u in units]
    elif max(map(len, units), default=0) <= 2:
        units = [
            [(side, text) for side, (_, text) in zip(_SIDES, unit, strict=False)] for unit in units
        ]
    names = dict.fromkeys([language for unit in units for language, _ in unit] or _SIDES)
    for number, unit in enumerate(units, start=1):
        texts = dict(unit)
        if len(texts) < len(unit):
            raise DataError(f"{path}: unit {number} has two texts in one language; expected one")
        yield number, {name: texts.get(name) for name in names}


def _parse(path: Path, *expected: str) -> Element:
    """Return the root of XML; entities, which may grow without end, are refused."""
    encoding = named_encoding()
    raw = read_unpacked(path, encoding)
    before, declared, _ = raw.replace(b"\0", b"").partition(b"<!ENTITY")
    if declared:
        line = before.count(b"\n") + 1
        raise DataError(f"{path}:{line}: it declares entities; expected XML without: delete them")
    try:
        parser = ElementTree.XMLParser(encoding="utf-8" if encoding else None)
        root = ElementTree.parse(io.BytesIO(raw), parser).getroot()
    except (ElementTree.ParseError, LookupError, ValueError) as error:  # the last two: its encoding
        if encoding or not _OTHER_ENCODING.match(raw):
            decode(raw, path)  # its error names the byte
        line = error.position[0] if isinstance(error, ElementTree.ParseError) else 1
        raise DataError(f"{path}:{line}: not well-formed XML ({error})") from None
    if _name(root) not in expected:
        wanted = " or ".join(f"<{name}>" for name in expected)
        raise DataError(f"{path}: the file begins with <{_name(root)}>; expected {wanted}")
    return root


def _read_variant(variant: Element, where: str, codes: bool) -> tuple[str, str]:
    language, segment = variant.get(_LANGUAGE) or variant.get("lang"), variant.find("seg")
    if not language or segment is None:
        raise DataError(f"{where}: a <tuv> without xml:lang or without <seg>; expected both")
    return short_code(language), _text(segment, codes)


def _text(segment: Element, codes: bool = False) -> str:
    """Return the text of a segment with or without codes; those that hold no place are <name id>."""
    for code in [element for element in segment.iter() if _name(element) in (*_CODES, *_EMPTY)]:
        held = "".join(code.itertext()) if _name(code) == "ph" else ""
        number = code.get("id") or code.get("i") or code.get("x") or ""
        code.text, code[:] = (held or f"<{_name(code)} {number}>") if codes else None, []
    return "".join(segment.itertext())


def _name(element: Element) -> str:
    """Return the name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]


def without_regions(_: object, __: object, codes: Any) -> Any:
    """Return one code, several or none, without their regions; a callback of options."""
    return codes and (
        short_code(codes) if isinstance(codes, str) else tuple(map(short_code, codes))
    )


def short_code(language: str) -> str:
    """Return the code without its region: ``en`` for ``EN-US``."""
    return re.split("[-_]", language.lower())[0]
