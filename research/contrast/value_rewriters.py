"""Rewriters of the values in real sentences: quantities, dates, numbers and names."""

from __future__ import annotations

import calendar
import datetime
import random
import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from research.contrast.sources import Group
from research.contrast.value_kinds import (
    KINDS,
    SHARES,
    UNITS,
    WORDS,
    Kind,
    Value,
    ordinal,
    plain,
    plural_of_unit,
    spell,
    unit_names,
)  # fmt: skip


class _Found(NamedTuple):
    start: int
    end: int
    kind: str
    value: Value


_MONTHS = {name: number for number, name in enumerate(calendar.month_name) if name}
_MONTH = f"({'|'.join(_MONTHS)})"
_NUMBERS = {spell(n): n for n in range(2, 100)} | {str(n): n for n in range(2, 100)}
_RANKS = {text: n for n in range(3, 31) for text in ordinal(n)}
_UNITS = {
    text: (row, is_big)
    for row in reversed(range(len(UNITS)))
    for is_big in (False, True)
    for name, *symbols in [unit_names(row, is_big)]
    for label in (
        name,
        plural_of_unit(name),
        *(s for s in symbols if s in "km cm mm kg ml lb oz ha"),
    )
    for text in (label, label.replace("metre", "meter").replace("litre", "liter"))
}
_STOP = (
    "is|was|has|as|its|this|does|his|of|to|in|and|or|at|on|by|for|from|with|the|per|times|points"
)


def _any_of(texts: Mapping[str, object] | list[str]) -> str:
    return f"({'|'.join(map(re.escape, sorted(texts, key=len, reverse=True)))})"


# only phrases, not attributes such as "a 10 km race" or "two years old"
_AFTER = r"(?=[.,;:!?]?$|[.,;:] | (?:in|for|from|by|at|on|was|is|were|with|long|wide|tall|high|away|later|north|south|east|west|because|until|when)\b)"
_BEFORE = r"(?<![\w$€£.,:/–#-])"
_COUNT = re.compile(
    rf"{_BEFORE}{_any_of(_NUMBERS)}(?= (?!(?:{_STOP})\b)(?!{_any_of(_UNITS)}\b)(?:[a-z]{{3,}} )?"
    rf"(?!(?:{_STOP})\b)(?:[a-z]{{2,}}s|men|women|children|people)\b)",
    re.IGNORECASE,
)
_RANK = re.compile(
    rf"(?<=\b(?:the|his|her|its) )(?:{_any_of(_RANKS)})(?= (?!of\b|{_MONTH})[a-z]{{3,}})"
)
_AMOUNT = re.compile(
    rf"{_BEFORE}(?<!\()(?<!to )(?<!and )(?<!or )(?<!\d )(?<!his )(?<!her )"
    rf"(half an?|[\d,]*\d(?:\.5)?|{_any_of(_NUMBERS)}) {_any_of(_UNITS)}\b{_AFTER}",
    re.IGNORECASE,
)
_PERCENT = re.compile(rf"{_BEFORE}(\d\d?) ?(?:%|percent\b|per cent\b)(?!\w)( of\b)?")
_MONEY = re.compile(r"(?<!\w)([$€£])(\d{1,3}) (million|billion)\b" + _AFTER)
_DATES = {
    "date": re.compile(rf"\b(?:(\d\d?) {_MONTH},? (\d{{4}})|{_MONTH} (\d\d?), (\d{{4}}))\b"),
    "day": re.compile(
        rf"(?<!and )(?<!to )(?<!–)\b(?:(\d\d?) {_MONTH}|{_MONTH} (\d\d?))\b(?!,? \d| of \d)"
    ),
    "decade": re.compile(r"\bthe 19([2-9]0)s\b"),
    "year": re.compile(r"(?<=\b(?:[Ii]n|of) )(1[5-9]\d\d|20[01]\d)\b(?![-–/])"),
}
_NAMES = {
    kind: re.compile(rf"(?<![\w-])(?<!South )(?<!North ){_any_of(names)}(?![\w-]|'[a-rt-z]| of\b)")
    for kind in ("alias", "country", "city", "nation", "firm", "person")
    for names in [
        [
            text
            for word in WORDS[kind]
            for text in word.forms.get("alt", (word.text,))
            if not text.endswith(",")
        ]
    ]
}
_KINDS: Mapping[str, Kind] = {
    **KINDS,
    "rate": KINDS["percent"]._replace(write=lambda value: plain(f"{value}%", f"{value} percent", f"{value} per cent", f"{value} %")),
    "year": Kind(lambda rng: rng.randint(1900, 2019), lambda year, rng: year + rng.choice((-40, -10, -3, -2, 2, 3, 10)), lambda year: plain(str(year))),
}  # fmt: skip

# words that make exchanged names mean the same, or a list of them
_MUTUAL = re.compile(
    r"\b(?:met|meet\w*|marr\w+|border\w*|between|partner\w*|together|along|versus|vs?|against|both|include\w*|like|similar|countries|cities)\b"
)
_LISTED = re.compile(
    r"(?:\W|\b(?:and|or|nor|in|of|the|with|near|at|as|well|from|for|by)\b)*", re.IGNORECASE
)


def _find_units(sentence: str) -> Iterator[_Found]:
    for match in _AMOUNT.finditer(sentence):
        number, unit = match[1].lower(), match[3].lower()
        value = (
            Fraction(1, 2)
            if number.startswith("half")
            else Fraction(_NUMBERS.get(number) or number.replace(",", ""))
        )
        row, is_big = _UNITS[unit]
        most = next((3 for name in ("year", "month", "day") if unit.startswith(name)), 10**6)
        is_body_part = unit == "feet" and number in _NUMBERS and not number.isdigit()
        if 0 < value <= most and not is_body_part:
            yield _Found(match.start(), match.end(), UNITS[row].text, (value, row, is_big))
    for match in _PERCENT.finditer(sentence):
        is_share = bool(match[2]) and int(match[1]) in SHARES
        end = match.end(2) - 3 if match[2] else match.end()
        yield _Found(match.start(), end, "percent" if is_share else "rate", int(match[1]))
    for match in _MONEY.finditer(sentence):
        scale = 10**6 if match[3] == "million" else 10**9
        yield _Found(match.start(), match.end(), "money", (int(match[2]), scale, match[1]))


def _find_dates(sentence: str) -> Iterator[_Found]:
    for kind, pattern in _DATES.items():
        for match in pattern.finditer(sentence):
            parts = [part for part in match.groups() if part]
            if kind in ("decade", "year"):
                yield _Found(match.start(), match.end(), kind, int(parts[0]))
                continue
            month = next(_MONTHS[part] for part in parts if part in _MONTHS)
            day, *year = (int(part) for part in parts if part not in _MONTHS)
            if 0 < day <= 28 and (not year or year[0] > 1000):
                date = datetime.date(year[0] if year else 2000, month, day)
                yield _Found(match.start(), match.end(), kind, date)


def _find_numbers(sentence: str) -> Iterator[_Found]:
    for match in _COUNT.finditer(sentence):
        if not re.search(rf"{_MONTH} $", sentence[: match.start()]):
            yield _Found(match.start(), match.end(), "n", _NUMBERS[match[1].lower()])
    for match in _RANK.finditer(sentence):
        kind = "century" if sentence[match.end() :].startswith(" century") else "ordinal"
        yield _Found(match.start(), match.end(), kind, _RANKS[match[0]])


def _find_names(sentence: str) -> Iterator[_Found]:
    taken = 0
    found = [
        _Found(match.start(), match.end(), kind, word)
        for kind, pattern in _NAMES.items()
        for match in pattern.finditer(sentence)
        for word in WORDS[kind]
        if match[0] in word.forms.get("alt", (word.text,))
    ]
    for one in sorted(found, key=lambda one: one[:2]):
        if one.start >= taken:
            taken = one.end
            yield one


def _replace(sentence: str, changes: list[tuple[_Found, str]]) -> str:
    for one, text in sorted(changes, key=lambda change: -change[0].start):
        head = sentence[: one.start]
        new = text[0].upper() + text[1:] if not head and sentence[0].isupper() else text
        sentence = head + new + sentence[one.end :]
    return sentence


def _notations(kind: str, value: Value) -> list[str]:
    return [text for text in _KINDS[kind].write(value)[""] if not text.endswith((",", "."))]


def _in_style(sentence: str, one: _Found, value: Value) -> str:
    """Return a value in the notation that the sentence has at this place, or in the first one."""
    old = sentence[one.start : one.end]
    texts, olds = _notations(one.kind, value), _notations(one.kind, one.value)
    place = next((i for i, text in enumerate(olds) if text.lower() == old.lower()), 0)
    return texts[place] if place < len(texts) else texts[0]


def _edits(sentence: str) -> list[str]:
    """Return the sentence after each harmless edit that applies to it."""
    texts = []
    for word in WORDS["edit"]:
        new = word.forms["to"][0]
        pairs = [(word.text, new), *([(new, word.text)] if "n't" in new else [])]
        for old, new in pairs:
            texts.append(re.sub(rf"(?<![\w-]){re.escape(old)}(?![\w-])", new, sentence, count=1))
    moved = re.fullmatch(
        r"(In \d{4}), (he|she|it|they|the [a-z]+)\b([^,;:]+)\.", sentence, re.IGNORECASE
    )
    if moved:
        texts.append(f"{moved[2].capitalize()}{moved[3]} i{moved[1][1:]}.")
    return [text for text in texts if text != sentence]


def _may_exchange(sentence: str, first: _Found, second: _Found) -> bool:
    between = sentence[first.end : second.start]
    return (
        first.kind == second.kind
        and first.value != second.value
        and not _LISTED.fullmatch(between)
        and not _MUTUAL.search(sentence)
    )


def _rewrite(phenomenon: str, sentence: str, rng: random.Random) -> Group | None:
    """Return a group around a sentence, or None if it has no value or no exact rewriting."""
    found = sorted(_apart(_FINDERS[phenomenon](sentence)), key=lambda one: one.start)
    different, known = [], [one.value for one in found]
    for one in found * 2:
        value = _KINDS[one.kind].change(one.value, rng)
        new, old = _notations(one.kind, value), _notations(one.kind, one.value)
        has_article = sentence[one.start : one.end].startswith("the ")
        apart = not set(new) & set(old) and new[0].startswith("the ") == has_article
        if apart and value not in known:
            texts = (_in_style(sentence, one, value), rng.choice(new))
            different += [_replace(sentence, [(one, text)]) for text in texts]
    for first, second in pairwise(found):
        if _may_exchange(sentence, first, second):
            texts = (sentence[second.start : second.end], sentence[first.start : first.end])
            different.append(_replace(sentence, list(zip((first, second), texts, strict=True))))
    if not different:
        return None
    same = [
        _replace(sentence, [(one, text)])
        for one in found
        for text in _notations(one.kind, one.value)
        if text.lower() != sentence[one.start : one.end].lower()
    ]
    rights = _draw_two([same, _edits(sentence)], sentence, rng)
    wrongs = _draw_two([different], sentence, rng)
    return Group(phenomenon, sentence, rights, wrongs) if rights and wrongs else None


def _draw_two(lists: list[list[str]], sentence: str, rng: random.Random) -> tuple[str, ...]:
    """Return up to two sentences, one of each list where there are two lists."""
    firsts = [rng.choice(texts) for texts in lists if texts]
    rest = [text for texts in lists for text in texts]
    rng.shuffle(rest)
    return tuple(text for text in dict.fromkeys([*firsts, *rest]) if text != sentence)[:2]


def _apart(found: Iterator[_Found]) -> list[_Found]:
    """Return the values found, without those that overlap an earlier one."""
    kept: list[_Found] = []
    for one in found:
        if all(one.end <= other.start or other.end <= one.start for other in kept):
            kept.append(one)
    return kept


_FINDERS: Mapping[str, Callable[[str], Iterator[_Found]]] = {
    "units": _find_units,
    "dates": _find_dates,
    "numbers": _find_numbers,
    "names": _find_names,
}

REWRITERS: Mapping[str, Callable[[str, random.Random], Group | None]] = {
    phenomenon: partial(_rewrite, phenomenon) for phenomenon in _FINDERS
}
