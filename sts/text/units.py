"""Units of measure: "km", "kilowatt hours", "square miles", "g/cm³", "$"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from semaniacs.sts.text import word_lists


class Unit(NamedTuple):
    """One reading of a unit: what it measures, its worth in the dimension's base unit."""

    dimension: str
    worth: float
    zero: float = 0.0


_LOWER_CASE = word_lists.words("unit symbol")
_NEVER_PLURAL = word_lists.words("unit without plural")
MONEY = word_lists.words("money")

SYMBOLS = {**word_lists.table("letter of a unit")}
"""The word of each symbol with a capital, "kJ" or "MW", whose case says what it means."""


def _units() -> dict[str, tuple[Unit, ...]]:
    found: dict[str, tuple[Unit, ...]] = {}
    for names, (dimension, *values) in word_lists.fields("unit").items():
        unit = Unit(dimension, *map(float, values))
        for name in names.split():
            for form in {name} if name in _LOWER_CASE | _NEVER_PLURAL else {name, f"{name}s"}:
                found[form] = (*found.get(form, ()), unit)
    larger = {"": ("", "1"), **word_lists.fields("SI prefix")}
    for names, (dimension, worth, prefixes) in word_lists.fields("unit with prefixes").items():
        symbols, words = (some.split() for some in names.split(" / "))
        for prefix in ("", *prefixes.split()):
            said, times = larger[prefix]
            unit = Unit(dimension, float(worth) * float(times))
            found |= {said + word + end: (unit,) for word in words for end in ("", "s")}
            for symbol in (prefix + symbol for symbol in symbols):
                if prefix or symbol.islower():
                    found = {symbol.lower(): (unit,), f"{symbol}s".lower(): (unit,)} | found
                if symbol != symbol.lower() and len(symbol) > 1:
                    SYMBOLS[symbol] = said + words[0]
    return found


UNITS = _units()  # the readings of each unit, lower-cased; "pound" has one of money and one of mass

_TWO_WORDS = {tuple(words.split()): unit for words, unit in word_lists.rows("unit in two words")}
_POWERS = word_lists.whole_numbers("power of a unit")
_RATES = word_lists.table("rate")
_ARTICLES = ("an", "a", "every")
_AN_HOUR = {"power": "energy", "current": "charge"}  # kilowatt hours, amp hours


_LABELS = word_lists.rows("unit in any language")[:]
for _names, (_label, _prefixes) in word_lists.fields("unit with prefixes in any language").items():
    _symbol, _word = _names.split(" / ")
    for _prefix in _prefixes.split():
        _short, _long = word_lists.fields("SI prefix in any language")[_prefix]
        _names = f"(?:{_short})(?:{_symbol})|(?:{_long})(?:{_word})"
        _LABELS.append((_names, _prefix.strip("1") + _label))
MEASURE = re.compile(
    r"(?<![\d.,])(\d(?:[\d.,]{0,19}\d)?)(?=(?:\s?(?:-|to|and|bis|und|[àayи]|et|до)\s?\d[\d.,]*)?(?:\s|-)?"
    rf"(?:{'|'.join(f'(?P<u{at}>{name})' for at, (name, _) in enumerate(_LABELS))})(?!\w))",
    re.IGNORECASE,
)
"""A number before a unit in any language, the first of "2 to 4 inches" too."""


def unit_in_words(measure: re.Match[str]) -> tuple[str, tuple[Unit, ...]]:
    """Return the symbol of the unit in a match of the pattern, and its readings."""
    label = _LABELS[int((measure.lastgroup or "")[1:])][1]
    return label, UNITS.get(SYMBOLS.get(label, label.lower()), ())


def unit_at(words: Sequence[str], place: int) -> tuple[tuple[Unit, ...], int]:
    """The readings of the unit that begins at a place of lower-cased words, and where it ends.

    No reading if there is none.
    """
    units, end = _one_unit(words, place)
    link = _at(words, end)
    if not units or link not in ("per", "/", *_ARTICLES):
        return units, end
    below, after = _one_unit(words, end + 1)
    rates = _rates(units, below)
    if not rates or (link in _ARTICLES and below[0].dimension != "time"):
        return units, end
    power, last = _power_at(words, after)
    if words[after : after + 2] == words[end : end + 2]:  # per second per second
        power, last = 2, after + 2
    faster = _rates(rates, below) if power == 2 else ()
    return (faster, last) if faster else (rates, after)


def _one_unit(words: Sequence[str], place: int) -> tuple[tuple[Unit, ...], int]:
    """The readings of a unit that is no rate, and where it ends."""
    word, after = _at(words, place), _at(words, place + 1)
    if word in ("degree", "degrees", "°"):
        scale = UNITS.get(SYMBOLS.get(after.upper(), after), ())
        known = scale and scale[0].dimension == "temperature"
        return (scale, place + 2) if known else (UNITS["°c"] + UNITS["°f"], place + 1)
    if (word, after) in _TWO_WORDS:
        return UNITS[_TWO_WORDS[word, after]], place + 2
    if word in _POWERS and not word.isnumeric():
        length, power, last = after, _POWERS[word], place + 2
    elif word[-1:] in _POWERS:
        length, power, last = word[:-1], _POWERS[word[-1]], place + 1
    else:
        length, (power, last) = word, _power_at(words, place + 1)
    if raised := _raised(UNITS.get(length, ()), power):
        return raised, last
    units, end = UNITS.get(word, ()), place + 1
    hour = end + (_at(words, end) == "-")
    if units and units[0].dimension in _AN_HOUR and _at(words, hour) in ("hour", "hours"):
        return (Unit(_AN_HOUR[units[0].dimension], 3600 * units[0].worth),), hour + 1
    return units, place + bool(units)


def _power_at(words: Sequence[str], place: int) -> tuple[int, int]:
    """The power that follows a unit, "^2" or "squared", and where it ends; 0 if there is none."""
    begin = place + (_at(words, place) == "^")
    word = _at(words, begin)
    follows = begin > place if word.isnumeric() else word in ("squared", "cubed")
    return (_POWERS.get(word, 0), begin + 1) if follows else (0, place)


def _at(words: Sequence[str], place: int) -> str:
    return words[place] if place < len(words) else ""


def _raised(units: Sequence[Unit], power: int) -> tuple[Unit, ...]:
    dimension, factor = ("area", 1) if power == 2 else ("volume", 1000)
    lengths = [unit.worth for unit in units if unit.dimension == "length" and power > 1]
    return tuple(Unit(dimension, factor * worth**power) for worth in lengths)


def _rates(units: Sequence[Unit], parts: Sequence[Unit]) -> tuple[Unit, ...]:
    """The rates of two units, such as km/h and g/cm³; litres a day are none."""
    return tuple(
        Unit(_RATES[rate], unit.worth / part.worth)
        for unit in units
        for part in parts
        if (rate := f"{unit.dimension} per {part.dimension}") in _RATES
        and (part.dimension != "time" or part.worth <= 3600)
    )
