"""The kind and the lower-case form of every character, as a table for compiled code.

The table is made from the same Unicode data and the same normalisation as
:mod:`semaniacs.sts.text.tokenizer`, so that both agree. A character whose meaning depends on its
neighbours (it composes under NFC, changes length in lower case, …) is *intricate*: a
sentence that holds one is left to the plain tokenizer.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from semaniacs.sts.text.normalisation import DOUBTFUL
from semaniacs.sts.text.tokenizer import normalise

LETTER, DIGIT = range(2)
"""Kinds of the characters that words are made of; LETTER is any letter, or a digit that is not
decimal."""

UNDERSCORE, APOSTROPHE, DOT, COMMA, OTHER, SPACE, INTRICATE = range(0x80, 0x87)
"""All other kinds, whose highest bit is set: it ends a word. The pattern's \\w goes up to
UNDERSCORE."""

KIND = 24  # the lowest bit of an entry that belongs to the kind

FIRST, SECOND, ALONE = 1 << 21, 1 << 22, 1 << 23  # bits over the code point, see DOUBTFUL

LIMIT = 0x20000
"""From this code point on (rare CJK ideographs, private use) characters count as intricate."""

_KINDS = {"_": UNDERSCORE, "'": APOSTROPHE, ".": DOT, ",": COMMA}


@cache
def characters() -> NDArray[np.uint32]:
    """Kind and lower-case form of every character, made at the first call (a fifth of a second).

    (LIMIT + 1,): the lower-case code point after folding, three bits, and the kind above bit
    :data:`KIND`; the last entry is that of all characters from LIMIT on.
    """
    every = [chr(code) for code in range(LIMIT)]
    plain = _at_once(normalise, every)
    entries = map(_entry, plain, _at_once(str.lower, plain))
    table = np.full(LIMIT + 1, INTRICATE << KIND, np.uint32)
    table[:LIMIT] = np.fromiter(entries, np.uint32, LIMIT)
    table[[code for code in range(LIMIT) if unicodedata.combining(every[code])]] = table[LIMIT]
    table[[*_second_of_a_composition()]] = table[LIMIT]
    for bit, pattern in zip((FIRST, SECOND, ALONE), DOUBTFUL, strict=True):
        table[[found.start() for found in re.finditer(pattern, "".join(every))]] |= bit
    return table


def _at_once(change: Callable[[str], str], texts: Sequence[str]) -> list[str]:
    """Apply ``change`` to each text in one call: the separator keeps them from affecting each other."""
    return change(_APART.join(texts)).split(_APART)


_APART = chr(sys.maxunicode)  # no character, and beyond LIMIT

_CONTEXT = "Σſ"
"""Sigma has a form of its own at the end of a word; long s counts as an s in clitics."""


def _entry(plain: str, lowered: str) -> int:
    if len(plain) != 1 or len(lowered) != 1 or plain in _CONTEXT:
        return INTRICATE << KIND
    if lowered != plain and not plain.isalnum():
        return INTRICATE << KIND
    return ord(lowered) | _kind(plain) << KIND


def _kind(character: str) -> int:
    if character.isalnum():
        return DIGIT if character.isdecimal() else LETTER
    if character.isspace():
        return SPACE
    return _KINDS.get(character, OTHER)


def _second_of_a_composition() -> set[int]:
    """Characters that NFC may compose with the one before them, Hangul vowels and finals too."""
    seconds = set(range(0x1161, 0x1176)) | set(range(0x11A8, 0x11C3))
    for code in range(LIMIT):  # none of those beyond is composed of two
        parts = unicodedata.decomposition(chr(code)).split(" ")
        if len(parts) == 2 and not parts[0].startswith("<"):
            seconds.add(int(parts[1], 16))
    return seconds
