"""Signs in words: a network whose vocabulary has no emoji reads their Unicode names."""

from __future__ import annotations

import unicodedata

_FIRST = "\u2100"
"""Signs before it, such as ©, are in every vocabulary."""


def name_signs(text: str) -> str:
    """Return a text with emoji and other symbols replaced by their names: ``face with tears of joy``.

    Signs that colour the one before them are left out.
    """
    if text.isascii():
        return text
    return " ".join("".join(map(_named, text)).split())


def _named(sign: str) -> str:
    if sign < _FIRST:
        return sign
    match unicodedata.category(sign):
        case "So":
            return f" {unicodedata.name(sign, '').lower()} "
        case "Sk":
            return ""
    return sign
