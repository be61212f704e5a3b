"""Translations as TMX 1.4b, which most translation tools read and write.

TMX 1.4b: the Translation Memory eXchange format (LISA, 2005).
https://www.gala-global.org/tmx-14b

An entry is a ``<tu>``. Fields that TMX does not have are ``<prop>`` elements, which other
programs keep or ignore.

XML cannot hold control characters (except tab and newlines), lone surrogates, U+FFFE and U+FFFF.
A unit with one of them has the ``<prop>`` x-escaped, and in all of its strings a backslash is
doubled and such a character is written as ``\\u0000`` with its number. So the file is always
well-formed, and is read back exactly.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NoReturn
from xml.etree import ElementTree
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from sts.errors import DataError
from sts.files import read_bytes
from sts.translation.memory.store import Entry
from sts.translation.translator import Translation

_XML_UNSAFE = re.compile("[\\\\\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_XML_ESCAPED = re.compile(r"\\(?:(\\)|u([0-9a-f]{4})|)")

_ESCAPED = "x-escaped"

_HEADER = """\
<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4">
<header creationtool="sts" creationtoolversion="1" segtype="sentence" o-tmf="jsonl" \
adminlang="en" srclang="*all*" datatype="plaintext"/>
<body>
"""


def lines(entries: Iterable[Entry]) -> Iterator[str]:
    """The lines of the file, each with its newline."""
    yield _HEADER
    yield from map(_unit, entries)
    yield "</body>\n</tmx>\n"


def _unit(entry: Entry) -> str:
    words = entry.translation.untranslated
    strings = (*entry[:5], entry.translation.text, *words)
    if any(character != "\\" for string in strings for character in _XML_UNSAFE.findall(string)):
        strings = tuple(_XML_UNSAFE.sub(_xml_escape, string) for string in strings)
        mark = _prop(_ESCAPED, "yes")
    else:
        mark = ""
    provider, version, source, target, text, translated, *words_left = strings
    return (
        f"<tu srclang={quoteattr(source)}>"
        f"{_prop('x-provider', provider)}{_prop('x-version', version)}{mark}"
        f"{''.join(_prop('x-untranslated', word) for word in words_left)}"
        f"{_variant(source, text)}{_variant(target, translated)}</tu>\n"
    )


def _xml_escape(found: re.Match[str]) -> str:
    return "\\\\" if found[0] == "\\" else f"\\u{ord(found[0]):04x}"


def _content(text: str) -> str:
    """Escaped text, with carriage returns as references, which XML readers would replace."""
    return escape(text, {"\r": "&#13;"})


def _prop(kind: str, text: str) -> str:
    return f'<prop type="{kind}">{_content(text)}</prop>'


def _variant(language: str, text: str) -> str:
    return f"<tuv xml:lang={quoteattr(language)}><seg>{_content(text)}</seg></tuv>"


DEEPEST = 100
"""Elements inside each other; tools that write TMX stay below ten."""

_LANGUAGE = "xml:lang"
_CODES = frozenset("bpt ept it ph ut".split())
"""Elements inside a segment that hold formatting codes of another program, not text."""


def read(path: Path, version: str) -> Iterator[tuple[str, Entry]]:
    """File and line of each entry, and the entry; its provider may be empty.

    Its version is ``version`` where the file names none. A unit in one language only is left out,
    with a warning.

    Raises:
        DataError: not TMX, or with entities of its own (with the line).
    """
    alone = 0
    for line, unit, source in _units(path):
        where = f"{path}:{line}"
        found = list(_entries_of(unit, source, version, where))
        alone += not found
        yield from ((where, entry) for entry in found)
    if alone:
        warnings.warn(f"{path}: {alone} units have no translation and are left out", stacklevel=2)


def _units(path: Path) -> Iterator[tuple[int, ElementTree.Element, str]]:
    """The line, the element and the source language of every ``<tu>``.

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
    unit: ElementTree.Element, source: str, version: str, where: str
) -> Iterator[Entry]:
    """One entry per target language; the source is the first language if none is named."""
    props = [(prop.get("type"), _text_of(prop)) for prop in unit.iter("prop")]
    plain: Callable[[str], str] = _xml_plain if (_ESCAPED, "yes") in props else str
    fields = {kind: plain(text) for kind, text in props}
    # EN-US of another program becomes en; an entry with x-provider was written here, exactly.
    code: Callable[[str], str] = str if "x-provider" in fields else _short
    variants = [
        (code(plain(language)), plain(text))
        for language, text in (_read_variant(variant, where) for variant in unit.iter("tuv"))
    ]
    wanted = code(plain(source))
    variants.sort(key=lambda variant: variant[0] != wanted)  # stable: others keep their order
    (first, text), *others = variants or [("", "")]
    words = tuple(plain(word) for kind, word in props if kind == "x-untranslated")
    for language, translated in others:
        yield Entry(
            fields.get("x-provider", ""),
            fields.get("x-version", version),
            first,
            language,
            text,
            Translation(translated, words),
        )


def _read_variant(variant: ElementTree.Element, where: str) -> tuple[str, str]:
    language = variant.get(_LANGUAGE) or variant.get("lang")
    segment = variant.find("seg")
    if not language or segment is None:
        raise DataError(f"{where}: a <tuv> without xml:lang or without <seg>; expected both")
    return language, _text_of(segment)


def _short(language: str) -> str:
    """The code without its region: ``en`` for ``EN-US``."""
    return re.split("[-_]", language.lower())[0]


def _text_of(element: ElementTree.Element) -> str:
    """The text of an element, without formatting codes."""
    parts = [element.text or ""]
    for child in element:
        parts += ["" if child.tag in _CODES else _text_of(child), child.tail or ""]
    return "".join(parts)


def _xml_plain(text: str) -> str:
    return _XML_ESCAPED.sub(
        lambda found: found[1] or (chr(int(found[2], 16)) if found[2] else "\\"), text
    )
