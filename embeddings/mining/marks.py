"""Marks of a text that a vector hardly sees: numbers, codes, signs, denials, colours, opposites."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from semaniacs.sts.text import word_lists
from semaniacs.sts.text.analysis import readings
from semaniacs.sts.text.normalisation import plain_text
from semaniacs.sts.text.signs import Sign, signs

_NUMBER = re.compile(
    r"(?:(?P<grouped>\d{1,3}(?:[.,' \u00a0\u202f]\d{3})+)(?!\d)(?:[.,](?P<cents>\d{1,2})(?!\d))?"
    r"|(?P<plain>\d+(?:[.,:–-]\d+|/\d+)*))"
    r"(?:[ ]?(?P<part>[½¼¾⅓⅔⅛])|[ ](?P<over>1/[2-8]|[23]/[348])(?![\d/]))?"
    r"(?P<more>\+(?!\w))?(?P<mark>(?:[^\W\d_]{1,2}|[ ](?-i:[A-HJ-Z]))(?!\w)|[\"″'′](?=\s|$)"
    r"|[ ]?(?:[ap]\.m|[ap]m|[kmgt]b|[mk]?g|[kcm]?m|m?l|k?[vw])(?!\w))?",
    re.IGNORECASE,
)
"""A number with a part, a plus, and a mark behind it: 42½, S21+, 12A, 24"."""

_DENIES = re.compile(
    r"\b(?:non-(?=\w)|anti-(?=\w)|decaf\w*|\w+-free"
    r"|not|no(?!\.)|never|none|nobody|nothing|nor|cannot|without|nichts?|kein\w*|niemand|nie|ohne"
    r"|nunca|nadie|nada|sin|pas|jamais|rien|aucune?|sans|не|нет|ни|никогда|без)\b"
    r"|n['’]t\b|\b(?:ca|wo|do|does|did|is|are|was|were|would|could|should|has|have|had)nt\b",
    re.IGNORECASE,
)


_CODES = frozenset("abcefijnopqruxyz")
"""Letters behind a number that are no unit: 3310i, 5c."""

_WORD = re.compile(r"[^\W\d_]+")
_CAPITALS = re.compile(r"(?<!\.)\b[A-Z]{1,5}\b(?!\.\w)|\b[a-f]{6,}\b|(?<=:)[a-f]{1,4}\b")
"""Letters that are a name: M, GSR, deadbeef, the last of fe80::a."""

_SUFFIXES = word_lists.words("model suffix")
_WITH_CAPITAL = word_lists.words("day or month with a capital")
_NUMBER_KINDS = ("small number", "ordinal")


_MEMBERS = word_lists.exclusive_members()
for _kind in ("month", "weekday", *_NUMBER_KINDS):
    for _word, _value in word_lists.rows(_kind):
        _MEMBERS[_word] = (*_MEMBERS.get(_word, ()), (_kind, _value))
for _ends in word_lists.rows("axis"):
    for _end, _word in ((end, word) for end in _ends for word in end.split()):
        _MEMBERS[_word] = (*_MEMBERS.get(_word, ()), (_ends[0], _end))


@lru_cache(maxsize=1 << 16)
def _members(word: str) -> tuple[tuple[str, str], ...]:
    low = word.lower()
    if low in _WITH_CAPITAL and word == low:
        return ()
    forms = (word, low, *chain.from_iterable(readings(low).values()))
    return next((_MEMBERS[form] for form in forms if form in _MEMBERS), ())


class Marks(NamedTuple):
    """Marks of a text.

    Attributes:
        equal: signs, such as minus or an emoticon, whether it says *not*, and suffixes of models.
        numbers: in digits, each with what is behind it.
        members: groups, and what of each the text has: colour and red, an axis and its end.
    """

    equal: tuple[frozenset[Sign], bool, frozenset[str]]
    numbers: tuple[tuple[str, str], ...]
    members: frozenset[tuple[str, str]]


def marks_of(text: str) -> Marks:
    """Return the marks of a text."""
    text = plain_text(text)
    numbers, words = numbers_in(text), _WORD.findall(text)
    suffixes = frozenset(w for w in words if w.lower() in _SUFFIXES and not w.islower())
    members = set(chain.from_iterable(map(_members, words)))
    if numbers or not text.isupper():
        members.update(("capitals", name) for name in _CAPITALS.findall(text))
    said = frozenset(sign for sign in signs(text) if sign.sign not in "'\"")  # 6" is a number's
    equal = said, bool(_DENIES.search(text)), suffixes
    return Marks(equal, numbers, frozenset(members))


def may_agree(one: Marks, other: Marks) -> bool:
    """Return whether two texts of similar vectors may say the same.

    Not if one lacks a number, a sign or a *not* of the other, or if each has its own member of a group,
    such as a colour, a month, a size or an end of an axis; US and USA may be one.
    """
    sides = [dict(side.numbers) for side in (one, other)]
    words = [{y for x, y in side.members if x in _NUMBER_KINDS} for side in (one, other)]
    lacking = any(sides[i].keys() - sides[1 - i].keys() - words[1 - i] for i in (0, 1))
    if one.equal != other.equal or lacking:
        return False
    if len(one.numbers) == len(other.numbers):
        both = zip(one.numbers, other.numbers, strict=True)
        if not all(x == y and _alike(a, b) for (x, a), (y, b) in both):
            return False
    mine, others = one.members - other.members, other.members - one.members
    return not any(
        a == b and not (a == "capitals" and (x.startswith(y) or y.startswith(x)))
        for a, x in mine
        for b, y in others
    )


def numbers_in(text: str) -> tuple[tuple[str, str], ...]:
    """Return the numbers, dates and codes of a text in digits, without marks of thousands, each with
    the letters or the mark behind it."""
    return tuple(map(_plain_number, _NUMBER.finditer(text)))


def _plain_number(found: re.Match[str]) -> tuple[str, str]:
    plain = re.sub(r"\D", "", found["grouped"] or "") or found["plain"].replace(",", ".")
    plain = plain.replace("–", "-") + (f".{found['cents']}" if found["cents"] else "")
    if part := found["part"] or found["over"]:
        plain += f" {unicodedata.normalize('NFKC', part).replace('⁄', '/')}"
    if found["more"] and found.string[: found.start()][-1:].isalpha():  # S21+, not 5+ years
        plain += "+"
    return plain, re.sub(r"[ .]", "", found["mark"] or "").lower()


def _alike(one: str, other: str) -> bool:
    """Return whether two marks may be one: h and hr, 6in and 6"; the letter of a code is none."""
    if not (one and other):
        return (one or other) not in _CODES
    letters = one.isalpha() and other.isalpha()
    begins = one.startswith(other) or other.startswith(one) or one[-1:] == other[-1:] == "d"
    return one == other or one.isalpha() != other.isalpha() or (letters and begins)
