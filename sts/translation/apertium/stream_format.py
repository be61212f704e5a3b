"""Apertium's stream format: sentences in, translations and their marks out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sts.translation.translator import Translation, has_letters

_SPACES = str.maketrans(dict.fromkeys("\n\r\0", " "))

_STAND_INS = str.maketrans({"*": "\ufdd0", "#": "\ufdd1", "~": "\ufdd2"})
"""Apertium marks unknown words with * and failed inflections with #, and drops ~.

A sentence is sent with noncharacters of Unicode in their place: each in the output is a mark.
"""
_RESTORE = {ord(stand_in): mark for mark, stand_in in _STAND_INS.items()}

_SPECIAL = re.compile(r"[\[\]\\/@<>^${}]")
"""The special characters of Apertium's stream format, which a backslash escapes."""

_ESCAPED_OR_MARK = re.compile(
    r"""\\(.)          # 1: a special character of the sentence
      | [*@](\w+)      # 2: a word in no dictionary (*), or in only one language's (@)
      | [*#@]          # the mark of a failed inflection, or of something that is no word
    """,
    re.DOTALL | re.VERBOSE,
)


def sent(text: str, number: int) -> bytes:
    """``text`` as one record of the stream, with the NUL that ends it.

    A newline or a NUL in the text becomes a space, and a lone surrogate, which UTF-8 cannot
    encode, a question mark.
    """
    escaped = _SPECIAL.sub(r"\\\g<0>", text.translate(_SPACES).translate(_STAND_INS))
    return f"{escaped}{end(number)}\0".encode("utf-8", "replace")


def end(number: int) -> str:
    """The end of a record: a full stop and its number, which Apertium leaves as they are.

    Without the full stop, the last words of a headline are translated as if more were to
    follow. The number shows that answers and texts line up.
    """
    return f"[].[{number}]"


def line_up(segments: Sequence[str], n: int) -> list[str] | None:
    """The n answers without their ends, or None if they do not line up.

    Each program of the pipe adds an empty record after them.
    """
    if len(segments) < n or any(segments[n:]):
        return None
    answers = [s.removesuffix(end(i)) for i, s in enumerate(segments[:n]) if s.endswith(end(i))]
    return answers if len(answers) == n else None


def read(answer: str, text: str) -> Translation:
    """The translation without marks; a text whose translation is empty stays as it is."""
    plain = _ESCAPED_OR_MARK.sub(lambda match: match[1] or match[2] or "", answer)
    plain = re.sub(" {2,}", " ", plain).strip(" ")  # a dropped pronoun leaves its space
    untranslated = tuple(match[2] for match in _ESCAPED_OR_MARK.finditer(answer) if match[2])
    if has_letters(text) and not has_letters(plain):
        return Translation(text, tuple(re.findall(r"\w+", text)))
    return Translation(plain.translate(_RESTORE), untranslated)
