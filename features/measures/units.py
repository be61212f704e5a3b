"""Units of measure: "km", "kilowatt hours", "square miles", "g/cm³", "$"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from semaniacs.features import lexicon


class Unit(NamedTuple):
    """One reading of a unit: what it measures, its worth in the dimension's base unit."""

    dimension: str
    worth: float
    zero: float = 0.0


_LOWER_CASE = lexicon.words("unit symbol")
_NEVER_PLURAL = lexicon.words("unit without plural")
MONEY = lexicon.words("money")

SYMBOLS: dict[str, str] = {}
"""The word of each symbol with a capital, "kJ" or "MW", whose case says what it means."""


def _units() -> dict[str, tuple[Unit, ...]]:
    found: dict[str, tuple[Unit, ...]] = {}
    for names, (dimension, *values) in lexicon.fields("unit").items():
        unit = Unit(dimension, *map(float, values))
        for name in names.split():
            for form in {name} if name in _LOWER_CASE | _NEVER_PLURAL else {name, f"{name}s"}:
                found[form] = (*found.get(form, ()), unit)
    times = {"": ("", "1"), **lexicon.fields("SI prefix")}
    for names, (dimension, worth, prefixes) in lexicon.fields("unit with prefixes").items():
        symbols, _, words = names.partition(" / ")
        for prefix in ("", *prefixes.split()):
            said, larger = times[prefix]
            unit = Unit(dimension, float(worth) * float(larger))
            found |= {said + word + end: (unit,) for word in words.split() for end in ("", "s")}
            for symbol in (prefix + letters for letters in symbols.split()):
                if prefix or symbol.islower():
                    plural = (f"{symbol}s",) if prefix else ()
                    for form in (symbol, *plural):
                        found.setdefault(form.lower(), (unit,))
                if symbol != symbol.lower() and len(symbol) > 1:
                    SYMBOLS[symbol] = said + (words or symbol.removeprefix(prefix)).split()[0]
                    found[SYMBOLS[symbol]] = (unit,)
    return found


UNITS = _units()  # the readings of each unit, lower-cased; "pound" has one of money and one of mass

LETTERS = lexicon.table("letter of a unit")
_CELSIUS = Unit("temperature", 1.0)
_FAHRENHEIT = Unit("temperature", 5 / 9, -32 * 5 / 9)
UNITS |= {"celsius": (_CELSIUS,), "centigrade": (_CELSIUS,), "fahrenheit": (_FAHRENHEIT,)}
_DEGREES = {"c": (_CELSIUS,), "f": (_FAHRENHEIT,), "k": UNITS["kelvin"]}
_TWO_WORDS = {
    (nation, dollar): UNITS["dollar"]
    for nation in ("us", "u.s.", "american")
    for dollar in ("$", "dollar", "dollars")
} | {("per", "cent"): UNITS["percent"]}
_TWO_WORDS |= {("nautical", mile): (Unit("length", 1852.0),) for mile in ("mile", "miles")}
_POWERS = {"square": 2, "sq": 2, "squared": 2, "²": 2, "2": 2} | {
    "cubic": 3, "cubed": 3, "³": 3, "3": 3,
}  # fmt: skip
_AN_HOUR = {"power": "energy", "current": "charge"}  # kilowatt hours, amp hours


def unit_at(words: Sequence[str], place: int) -> tuple[tuple[Unit, ...], int]:
    """The readings of the unit that begins at a place of lower-cased words, and where it ends.

    No reading if there is none.
    """
    units, end = _one_unit(words, place)
    link = _at(words, end)
    if not units or link not in ("per", "/", "an", "a", "every"):
        return units, end
    below, after = _one_unit(words, end + 1)
    rates = tuple(_rate(unit, part) for unit in units for part in below if _may_rate(unit, part))
    if not rates or (link in ("an", "a", "every") and below[0].dimension != "time"):
        return units, end
    power, last = _power_at(words, after)
    again = (_at(words, after), _at(words, after + 1)) == (link, words[end + 1])
    if rates[0].dimension == "speed" and (power == 2 or again):
        rates = (Unit("acceleration", rates[0].worth / below[0].worth),)
        after = after + 2 if again else last
    return rates, after


def _one_unit(words: Sequence[str], place: int) -> tuple[tuple[Unit, ...], int]:
    """The readings of a unit that is no rate, and where it ends."""
    word, after = _at(words, place), _at(words, place + 1)
    if word in ("degree", "degrees", "°"):
        scale = _DEGREES.get(after) or UNITS.get(after, ())
        known = scale and scale[0].dimension == "temperature"
        return (scale, place + 2) if known else ((_CELSIUS, _FAHRENHEIT), place + 1)
    if (word, after) in _TWO_WORDS:
        return _TWO_WORDS[word, after], place + 2
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


def _may_rate(unit: Unit, part: Unit) -> bool:
    short = part.dimension == "time" and part.worth <= 3600
    return unit.dimension in ("length", "mass", "volume", "data") and (
        short or (part.dimension in ("volume", "area") and unit.dimension == "mass")
    )


def _rate(unit: Unit, part: Unit) -> Unit:
    speed = (unit.dimension, part.dimension) == ("length", "time")
    said = "speed" if speed else f"{unit.dimension} per {part.dimension}"
    return Unit(said, unit.worth / part.worth)
