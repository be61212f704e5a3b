"""Units of measure and currencies, by dimension."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from features import lexicon


class Unit(NamedTuple):
    """One reading of a unit: what it measures, its worth in the dimension's base unit."""

    dimension: str
    worth: float
    zero: float = 0.0


_SYMBOLS = lexicon.words("unit symbol")
_NEVER_PLURAL = lexicon.words("unit without plural")
MONEY = lexicon.words("money")


def _units() -> dict[str, tuple[Unit, ...]]:
    found: dict[str, tuple[Unit, ...]] = {}
    for names, described in lexicon.rows("unit"):
        dimension, worth = described.split(" / ")
        for name in names.split():
            forms = {name} if name in _SYMBOLS | _NEVER_PLURAL else {name, f"{name}s"}
            for form in forms:
                found[form] = (*found.get(form, ()), Unit(dimension, float(worth)))
    return found


UNITS = _units()
"""The readings of each unit, lower-cased; "pound" has one of money and one of mass."""

BEFORE = lexicon.words("currency before the number")
"""Currencies that stand before the number."""

_CELSIUS, _FAHRENHEIT, _KELVIN = (
    Unit("temperature", 1.0),
    Unit("temperature", 5 / 9, -32 * 5 / 9),
    Unit("temperature", 1.0, -273.15),
)
_DEGREES = {
    "c": (_CELSIUS,), "celsius": (_CELSIUS,), "centigrade": (_CELSIUS,), "f": (_FAHRENHEIT,),
    "fahrenheit": (_FAHRENHEIT,), "k": (_KELVIN,), "kelvin": (_KELVIN,),
}  # fmt: skip
_PER = lexicon.numbers("time of a speed")
_TWO_WORDS = {
    (nation, dollar): UNITS["dollar"]
    for nation in ("us", "u.s.", "american")
    for dollar in ("$", "dollar", "dollars")
} | {("per", "cent"): UNITS["percent"]}
_TWO_WORDS |= {("nautical", mile): (Unit("length", 1852.0),) for mile in ("mile", "miles")}


def unit_at(words: Sequence[str], place: int) -> tuple[tuple[Unit, ...], int]:
    """The readings of the unit that begins at a place of lower-cased words, and where it ends.

    No reading if there is none.
    """
    after = [words[at] if at < len(words) else "" for at in range(place, place + 3)]
    word = after.pop(0)
    if word in ("degree", "degrees", "°"):
        scale = _DEGREES.get(after[0])
        return (scale, place + 2) if scale else ((_CELSIUS, _FAHRENHEIT), place + 1)
    if word in ("square", "sq", "cubic"):
        power = 3 if word == "cubic" else 2
        lengths = [u for u in UNITS.get(after[0], ()) if u.dimension == "length"]
        raised = tuple(_raised(unit, power) for unit in lengths)
        return (raised, place + 2) if raised else ((), place)
    if (word, after[0]) in _TWO_WORDS:
        return _TWO_WORDS[word, after[0]], place + 2
    units = UNITS.get(word, ())
    if units and after[0] in ("per", "/", "an", "a", "every") and after[1] in _PER:
        speeds = tuple(
            Unit("speed", u.worth / _PER[after[1]]) for u in units if u.dimension == "length"
        )
        if speeds:
            return speeds, place + 3
    return units, place + bool(units)


def _raised(length: Unit, power: int) -> Unit:
    """Square or cubic metres' worth; volumes are in litres."""
    if power == 2:
        return Unit("area", length.worth**2)
    return Unit("volume", 1000 * length.worth**3)
