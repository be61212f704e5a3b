"""Scripts: Latin, Cyrillic, Han … of letters, and texts that are mostly in another one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from functools import cache

LATIN = frozenset({"LATIN"})

_EXAMPLE = 60
"""Characters of a text that a message shows."""


@cache
def script_of(letter: str) -> str:
    """Return the script of a letter, such as ``LATIN`` or ``CYRILLIC``; Chinese characters are ``CJK``.

    It is the first word of the letter's Unicode name, once full-width and ornamental forms have
    become the plain ones.
    """
    plain = unicodedata.normalize("NFKC", letter)[0]
    return re.split("[ -]", unicodedata.name(plain, ""))[0]


def is_mostly_outside(text: str, scripts: Collection[str] = LATIN) -> bool:
    """Return whether more than half of the letters are in none of the scripts."""
    if text.isascii() and "LATIN" in scripts:
        return False
    letters = [letter for letter in text if letter.isalpha()]
    return 2 * sum(script_of(letter) not in scripts for letter in letters) > len(letters)


def example_of(text: str) -> str:
    """Return the beginning of a text on one line, quoted, for a message."""
    line = " ".join(text.split())
    return repr(line if len(line) <= _EXAMPLE else line[: _EXAMPLE - 1] + "…")
