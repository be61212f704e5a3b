"""Apertium's stream format: sentences in, translations and their marks out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sts.translation.translator import Translation, has_letters

_SPACES = str.maketrans(dict.fromkeys("\n\r\0", " "))

_STAND_INS = str.maketrans({"*": "\ufdd0", "#": "\ufdd1", "~": "\ufdd2"})
"""Apertium marks unknown words with * and failed inflections with #, and eats ~.

So that a mark in the output is a mark, the ones of the sentence travel as
noncharacters, which Unicode keeps out of interchanged text.
"""
_RESTORE = {ord(stand_in): mark for mark, stand_in in _STAND_INS.items()}

_SPECIAL = re.compile(r"[\[\]\\/@<>^${}]")
"""The characters with a meaning in Apertium's stream format; a backslash takes it away."""

_ESCAPED_OR_MARK = re.compile(
    r"""\\(.)          # 1: a special character of the sentence
      | [*@](\w+)      # 2: a word in no dictionary (*), or in only one language's (@)
      | [*#@]          # the mark of a failed inflection, or of something that is no word
    """,
    re.DOTALL | re.VERBOSE,
)


def sent(text: str, number: int) -> bytes:
    """``text`` as one record of the stream, the NUL that ends it included.

    A newline or a NUL in the text is taken for a space, and a lone surrogate,
    which has no UTF-8, for a question mark.
    """
    return f"{_write(text)}{end(number)}\0".encode("utf-8", "replace")


def end(number: int) -> str:
    """A full stop and a numbered blank, which comes out as it went in.

    Without the full stop the last words of a headline are translated as if
    more were to follow; the number proves that answers and texts line up.
    """
    return f"[].[{number}]"


def line_up(segments: Sequence[str], n: int) -> list[str] | None:
    """The n answers without their ends, or None; after them each stage adds an empty one."""
    ends = [end(i) for i in range(n)]
    if len(segments) < n or any(segments[n:]):
        return None
    if not all(segment.endswith(last) for segment, last in zip(segments, ends, strict=False)):
        return None
    return [segment.removesuffix(last) for segment, last in zip(segments, ends, strict=False)]


def _write(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text.translate(_SPACES).translate(_STAND_INS))


def read(answer: str, text: str) -> Translation:
    """The translation without marks; a lone ``Se`` comes to nothing and stays as it is."""
    plain = _ESCAPED_OR_MARK.sub(lambda match: match[1] or match[2] or "", answer)
    plain = re.sub(" {2,}", " ", plain).strip(" ")  # a dropped pronoun leaves its space
    untranslated = tuple(match[2] for match in _ESCAPED_OR_MARK.finditer(answer) if match[2])
    if has_letters(text) and not has_letters(plain):
        return Translation(text, tuple(re.findall(r"\w+", text)))
    return Translation(plain.translate(_RESTORE), untranslated)
