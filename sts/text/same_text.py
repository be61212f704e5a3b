"""Sentences that are the same text: equal but for width, case, punctuation and spacing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from semaniacs.sts.text.tokenizer import normalise, tokenize

_INVISIBLE = dict.fromkeys(
    [*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), *range(0xFE00, 0xFE10)]
)
"""Joiners, marks of direction, and variation selectors."""

_RAISED = re.compile("(?<=[0-9])(?=[²³¹⁰-⁹₀-₉¼-¾⅐-⅞])")
"""Where 10² would become 102, and 2½ become 21/2."""

_MARK = re.compile(r"(?P<of_number>(?<=\d)[^\w\s](?=\d)|(?<![\w.])[-.](?=\d))|[^\w\s]|_")
"""A mark; that of a number is a point, a comma, a colon or a sign: 1.5, 10:30, -3."""

_SYMBOLS = frozenset("%‰&#@*§")
"""Signs that Unicode counts as punctuation but that are read aloud."""

_ASCII_MARKS = bytes(code for code in range(128) if not chr(code).isalnum())


def same_text_key(text: str) -> str:
    """Return a key that is equal for texts that differ in width, case, punctuation or spacing alone.

    Case is folded as in Unicode: Straße is STRASSE. Unlike :func:`.fold`, it keeps whatever
    changes the meaning: vowel signs, symbols, emoji, and the marks inside numbers. A sentence of
    punctuation alone equals one of the same marks.
    """
    plain = _RAISED.sub(" ", normalise(text).translate(_INVISIBLE))
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", plain).casefold())
    return " ".join(_MARK.sub(_seen, folded).split()) or " ".join(tokenize(text))


def _seen(mark: re.Match[str]) -> str:
    """Return the part of a mark that the key keeps: with its number or letter, or alone."""
    character = mark[0]
    kind = unicodedata.category(character)[0]
    if mark["of_number"] or kind == "M":
        return character
    return " " if kind == "P" and character not in _SYMBOLS else f" {character} "


def same_text(left: str, right: str) -> bool:
    """Return whether two texts have one key, see :func:`same_text_key`; a blank one equals none."""
    if left == right:
        return bool(left.strip())
    plain = left.isascii() and right.isascii()
    if plain and _ascii_letters(left) != _ascii_letters(right):  # this tells most pairs apart
        return False
    return same_text_key(left) == same_text_key(right)


def _ascii_letters(text: str) -> bytes:
    return text.encode("ascii").translate(None, _ASCII_MARKS).lower()


def same_texts(left: Sequence[str], right: Sequence[str]) -> NDArray[np.bool_]:
    """Return (n,) whether the two sides of each pair are the same text."""
    return np.fromiter(map(same_text, left, right), bool, len(left))
