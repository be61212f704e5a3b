"""Marks of a text that a vector hardly sees: numbers, units, signs, denials, colours, opposites, names."""

from __future__ import annotations

import re
import unicodedata
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from semaniacs.sts.text import word_lists
from semaniacs.sts.text.analysis import frequency, listed_tag, readings
from semaniacs.sts.text.normalisation import plain_text
from semaniacs.sts.text.prefixes import denied_inside
from semaniacs.sts.text.signs import Sign, signs
from semaniacs.sts.text.tokenizer import names_in_case, tokenize
from semaniacs.sts.text.units import MEASURE, SYMBOLS, UNITS, Unit, unit_at, unit_in_words

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
_LENGTHS = {'"': "inch", "″": "inch", "in": "inch", "'": "foot", "′": "foot"}
_BEHIND = re.compile(r"[ -]?[^\s\d,;:()]{1,20}(?: [^\W\d]{1,20})?")
_TOKEN = re.compile(r"[^\W_]+|[,/&;]")

_OUT_OF = word_lists.words("denied after out of")
_SAME = frozenset(word_lists.phrases("same name"))
_LONGEST = 30
"""Letters of the longest name, words of the longest part of a text in another order, and pairs of
names that are compared: rather different texts than hours for long ones."""

_RARE = 2e-6
"""Frequency below which a similar name is a misspelling: Jeffery, but not Austria and Australia."""

_LISTS = word_lists.words("between things of a list")
_LINKS = word_lists.words("between things that trade places")
_LEAD = _LINKS | word_lists.words("article in five languages")

_MEMBERS = word_lists.exclusive_members("exclusive group", "exclusive group of duplicates")
for _kind in ("month", "weekday", *_NUMBER_KINDS):
    for _word, _value in word_lists.rows(_kind):
        _MEMBERS[_word] = (*_MEMBERS.get(_word, ()), (_kind, _value))
for _ends in word_lists.rows("axis"):
    for _end, _word in ((end, word) for end in _ends for word in end.split()):
        _MEMBERS[_word] = (*_MEMBERS.get(_word, ()), (_ends[0], _end))

_STEMS: dict[str, tuple[tuple[str, str], ...]] = {}
for _english, _forms in word_lists.rows("exclusive word in four languages"):
    for _form in _forms.split():
        _known = _STEMS if _form.endswith("*") else _MEMBERS
        _known.setdefault(_form.rstrip("*"), _MEMBERS[_english])
_DATES = [
    (
        re.compile(names, re.IGNORECASE),
        [(kind, value) for word, value in word_lists.rows(kind) if re.fullmatch(names, word)][:1],
    )
    for kind in ("month", "weekday")
    for names, _ in word_lists.rows(f"{kind} in any language")
]


@lru_cache(maxsize=1 << 16)
def _members(word: str) -> tuple[tuple[str, str], ...]:
    low = word.lower()
    if low in _WITH_CAPITAL and word == low:
        return ()
    for form in (word, *_forms_of(low)):
        if form in _MEMBERS:
            return _MEMBERS[form]
    stems = (low[:end] for end in range(min(len(low), _LONGEST), 2, -1))
    found = next((_STEMS[stem] for stem in stems if stem in _STEMS), ())
    return found or next((tuple(date) for names, date in _DATES if names.fullmatch(low)), ())


@lru_cache(maxsize=1 << 16)
def _forms_of(low: str) -> tuple[str, ...]:
    return (low, *chain.from_iterable(readings(low).values()))


@lru_cache(maxsize=1 << 16)
def _denied_by(low: str) -> str | None:
    inner = denied_inside(low)
    return min(_forms_of(inner), key=len) if inner else None


class Number(NamedTuple):
    """A number in digits, the mark behind it, and the readings of the unit behind it."""

    digits: str
    mark: str
    units: frozenset[Unit]


class Marks(NamedTuple):
    """Marks of a text.

    Attributes:
        equal: signs, such as minus or an emoticon, whether it says *not*, and suffixes of models.
        numbers: in digits, each with what is behind it.
        members: groups, and what of each the text has: colour and red, an axis and its end.
        words: lower-cased words and numbers, commas and slashes, in their order.
        denied: words that a prefix or an ending denies: paid of unpaid.
        names: lower-cased words with a capital that are no ordinary English words.
    """

    equal: tuple[frozenset[Sign], bool, frozenset[str]]
    numbers: tuple[Number, ...]
    members: frozenset[tuple[str, str]]
    words: tuple[str, ...]
    denied: frozenset[str]
    names: frozenset[str]


def marks_of(text: str, *, names: bool = True) -> Marks:
    """Return the marks of a text; its ``names`` only if it is English, where other words have none."""
    text = plain_text(text)
    numbers = tuple(map(_plain_number, _NUMBER.finditer(text)))
    words = _WORD.findall(text)
    suffixes = frozenset(w for w in words if w.lower() in _SUFFIXES and not w.islower())
    members = set(chain.from_iterable(map(_members, words)))
    if numbers or not text.isupper():
        members.update(("capitals", name) for name in _CAPITALS.findall(text))
    members.update((name.lower(), name) for name in names_in_case(text))
    said = frozenset(sign for sign in signs(text) if sign.sign not in "'\"")  # 6" is a number's
    equal = said, bool(_DENIES.search(text)), suffixes
    low = tuple(_TOKEN.findall(text.lower()))
    said_as = " ".join(low)
    for thing in _OUT_OF.intersection(low):  # out of stock, in stock
        members.add((thing, "out" if f"out of {thing}" in said_as else "in"))
    denied = frozenset(filter(None, map(_denied_by, low)))
    named = frozenset(w.lower() for w in words if names and w[0].isupper() and _is_name(w.lower()))
    return Marks(equal, numbers, frozenset(members), low, denied, named)


@lru_cache(maxsize=1 << 16)
def _is_name(low: str) -> bool:
    ordinary = readings(low) or low in _MEMBERS or listed_tag(low)
    return 2 < len(low) <= _LONGEST and not ordinary


def may_agree(one: Marks, other: Marks) -> bool:
    """Return whether two texts of similar vectors may say the same.

    Not if one lacks a number, a sign or a *not* of the other, or denies a word of it, or if each has
    its own member of a group, such as a colour, a month, a size or an end of an axis, or its own
    name, or if two things traded places; US and USA may be one.
    """
    if one.equal != other.equal or not _same_numbers(one, other):
        return False
    mine, others = one.members - other.members, other.members - one.members
    if any(
        a == b and not (a == "capitals" and (x.startswith(y) or y.startswith(x)))
        for a, x in mine
        for b, y in others
    ):
        return False
    if _denies(one, other) or _denies(other, one) or _other_name(one, other):
        return False
    return not _traded(one.words, other.words)


def _same_numbers(one: Marks, other: Marks) -> bool:
    sides = [{number.digits for number in side.numbers} for side in (one, other)]
    words = [{y for x, y in side.members if x in _NUMBER_KINDS} for side in (one, other)]
    if any(sides[i] - sides[1 - i] - words[1 - i] for i in (0, 1)):
        return False
    both = zip(one.numbers, other.numbers, strict=False)
    return len(one.numbers) != len(other.numbers) or all(
        x.digits == y.digits and _alike(x, y) for x, y in both
    )


def _denies(one: Marks, other: Marks) -> bool:
    """Return whether one text denies a word that the other has as it is: unpaid, paid."""
    inner = one.denied - other.denied
    if not inner:
        return False
    own, said = (set(chain.from_iterable(map(_forms_of, side.words))) for side in (one, other))
    return not inner.isdisjoint(said - own)


def _other_name(one: Marks, other: Marks) -> bool:
    """Return whether each text has a name of its own that is no other form of the other's."""
    mine, others = one.names.difference(other.words), other.names.difference(one.words)
    if len(mine) * len(others) > _LONGEST:
        return True
    pairs = [(min(x, y), max(x, y)) for x in mine for y in others]
    return bool(pairs) and not any(_same_name(*pair) for pair in pairs)


@lru_cache(maxsize=1 << 16)
def _same_name(one: str, other: str) -> bool:
    """Return whether one is a form, an abbreviation or a rare misspelling of the other."""
    if f"{one} {other}" in _SAME:
        return True
    one, other = (re.sub(r"\W", "", unicodedata.normalize("NFD", word)) for word in (one, other))
    short, long = sorted((one, other), key=len)
    if short in long or (len(short) > 3 and long.startswith(short[:-1])):  # Palestine, Palestinian
        return True
    rare, usual = sorted((frequency(one), frequency(other)))
    similar = SequenceMatcher(None, one, other, autojunk=False).ratio()
    return (similar > 0.7 and 30 * rare < usual) or (similar > 0.85 and rare < _RARE)


def _traded(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Return whether two things traded places around what relates them: from Bonn to Trier.

    What stands between them has to lead to the second one by a preposition or an article, so that
    lists in another order, and phrases with a preposition that were moved, are none.
    """
    if len(one) != len(other) or one == other or sorted(one) != sorted(other):
        return False
    differs = [i for i, (x, y) in enumerate(zip(one, other, strict=True)) if x != y]
    a, b = one[differs[0] : differs[-1] + 1], other[differs[0] : differs[-1] + 1]
    for i in range(1, len(a) - 1 if len(a) <= _LONGEST else 0):
        for j in range(1, len(a) - i):
            middle = a[i : len(a) - j]
            if a[:i] == b[-i:] and a[-j:] == b[:j] and middle == b[j : len(b) - i]:
                leads = middle[-1] in _LEAD and _LISTS.isdisjoint(middle)
                return leads and _LINKS.isdisjoint(a[:i] + a[-j:])
    return False


def _plain_number(found: re.Match[str]) -> Number:
    """Return a number, a date or a code in digits, without marks of thousands."""
    plain = re.sub(r"\D", "", found["grouped"] or "") or found["plain"].replace(",", ".")
    plain = plain.replace("–", "-") + (f".{found['cents']}" if found["cents"] else "")
    if part := found["part"] or found["over"]:
        plain += f" {unicodedata.normalize('NFKC', part).replace('⁄', '/')}"
    if found["more"] and found.string[: found.start()][-1:].isalpha():  # S21+, not 5+ years
        plain += "+"
    mark = re.sub(r"[ .]", "", found["mark"] or "").lower()
    return Number(plain, mark, _units(found, mark))


def _units(found: re.Match[str], mark: str) -> frozenset[Unit]:
    if mark in _LENGTHS:
        return frozenset(UNITS[_LENGTHS[mark]])
    behind = _BEHIND.match(found.string, found.start("mark") if mark else found.end())
    return _units_in(behind[0]) if behind else frozenset()


@lru_cache(maxsize=1 << 16)
def _units_in(behind: str) -> frozenset[Unit]:
    """Return the readings of the unit behind a number; times is none: 3 x 5 cm."""
    words = [SYMBOLS.get(token, token.lower()) for token in tokenize(behind)]
    units = unit_at(words, words[:1] == ["-"])[0]
    if not units and (measure := MEASURE.match(f"1{behind}")):
        units = unit_in_words(measure)[1]
    return frozenset(unit for unit in units if unit.dimension != "times")


def _alike(one: Number, other: Number) -> bool:
    """Return whether two marks may be one: h and hr, 6in and 6"; the letter of a code is none."""
    if one.units and other.units:
        return not one.units.isdisjoint(other.units)
    a, b = one.mark, other.mark
    if not (a and b):
        return (a or b) not in _CODES
    begins = a.startswith(b) or b.startswith(a) or a[-1:] == b[-1:] == "d"
    return a == b or a.isalpha() != b.isalpha() or (a.isalpha() and begins)
