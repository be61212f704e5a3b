"""The kind and the lower-case form of every character, as a table for compiled code.

The table is made from the same Unicode data and the same normalisation as
:mod:`sts.text.tokenizer`, so that both agree. A character whose meaning depends on its
neighbours (it composes under NFC, changes length in lower case, …) is *intricate*: a
sentence that holds one is left to the plain tokenizer.
"""

from __future__ import annotations

import sys
import unicodedata
from functools import cache

import numpy as np
from numpy.typing import NDArray

from sts.text.tokenizer import normalise

LETTER, DIGIT, UNDERSCORE, SPACE, APOSTROPHE, DOT, COMMA, OTHER, INTRICATE = range(9)
"""Kinds of characters; LETTER is any letter, or a digit that is not decimal. Words are made
of the first two kinds; the pattern's \\w is the first three."""

KIND = 24
"""The lowest bit of an entry that belongs to the kind."""

LIMIT = 0x20000
"""From this code point on (rare CJK ideographs, private use) characters count as intricate."""

_KINDS = {"_": UNDERSCORE, "'": APOSTROPHE, ".": DOT, ",": COMMA}


@cache
def characters() -> NDArray[np.uint32]:
    """Kind and lower-case form of every character, made at the first call (a tenth of a second).

    Returns:
        (LIMIT + 1,): the lower-case code point after folding, and the kind above
        bit :data:`KIND`; the last entry stands for all characters from LIMIT on.
    """
    table = np.empty(LIMIT + 1, np.uint32)
    composing = _second_of_a_composition()
    for code in range(LIMIT):
        character = chr(code)
        plain = normalise(character)
        lowered = plain.lower()
        symbol = not plain.isalnum()
        if (
            len(plain) != 1
            or len(lowered) != 1
            or (symbol and lowered != plain)
            or plain in _CONTEXT
            or code in composing
            or unicodedata.combining(character)
        ):
            table[code] = INTRICATE << KIND
        else:
            table[code] = ord(lowered) | _kind(plain) << KIND
    table[LIMIT] = INTRICATE << KIND
    return table


_CONTEXT = "Σſ"
"""Sigma has a form of its own at the end of a word; long s counts as an s in clitics."""


def _kind(character: str) -> int:
    if character.isalnum():
        return DIGIT if character.isdecimal() else LETTER
    if character.isspace():
        return SPACE
    return _KINDS.get(character, OTHER)


def _second_of_a_composition() -> set[int]:
    """Characters that NFC may compose with the one before them, Hangul vowels and finals too."""
    seconds = set(range(0x1161, 0x1176)) | set(range(0x11A8, 0x11C3))
    for code in range(sys.maxunicode + 1):
        parts = unicodedata.decomposition(chr(code)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            seconds.add(int(parts[1], 16))
    return seconds
