"""Units of measure and currencies, by dimension."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Unit(NamedTuple):
    """One reading of a unit: what it measures, its worth in the dimension's base unit."""

    dimension: str
    worth: float
    zero: float = 0.0


_YEAR = 365.25 * 86400
_TABLE = {
    ("length", 0.001): "mm millimetre millimeter",
    ("length", 0.01): "cm centimetre centimeter",
    ("length", 1.0): "m metre meter",
    ("length", 1000.0): "km kilometre kilometer klick",
    ("length", 0.0254): "inch inches",
    ("length", 0.3048): "ft foot feet",
    ("length", 0.9144): "yd yard",
    ("length", 1609.344): "mi mile",
    ("length", 9.4607e15): "lightyear light-year",
    ("mass", 1e-6): "mg milligram milligramme",
    ("mass", 1e-3): "g gram gramme gm",
    ("mass", 1.0): "kg kilo kilogram kilogramme kgs",
    ("mass", 1000.0): "t tonne ton",
    ("mass", 0.45359237): "lb lbs pound",
    ("mass", 0.028349523): "oz ounce",
    ("mass", 6.35029318): "stone",
    ("time", 1e-3): "ms millisecond",
    ("time", 1.0): "s sec second",
    ("time", 60.0): "min minute",
    ("time", 3600.0): "h hr hour",
    ("time", 86400.0): "d day",
    ("time", 7 * 86400.0): "wk week",
    ("time", 14 * 86400.0): "fortnight",
    ("time", _YEAR / 12): "month mo",
    ("time", _YEAR): "yr year",
    ("time", 10 * _YEAR): "decade",
    ("time", 100 * _YEAR): "century centuries",
    ("speed", 1 / 3.6): "kmh kph kmph",
    ("speed", 0.44704): "mph",
    ("speed", 0.514444): "knot",
    ("volume", 1e-3): "ml millilitre milliliter cc",
    ("volume", 0.01): "cl centilitre centiliter",
    ("volume", 1.0): "l litre liter",
    ("volume", 3.785411784): "gal gallon",
    ("volume", 0.568): "pint",
    ("volume", 0.946): "quart",
    ("area", 1e4): "ha hectare",
    ("area", 4046.8564224): "acre",
    ("area", 1.0): "m² m2 sqm",
    ("area", 1e6): "km² km2",
    ("volume", 1000.0): "m³ m3",
    ("data", 1e3): "kb kilobyte",
    ("data", 1e6): "mb megabyte",
    ("data", 1e9): "gb gigabyte gig",
    ("data", 1e12): "tb terabyte",
    ("power", 1.0): "w watt",
    ("power", 1e3): "kw kilowatt",
    ("power", 1e6): "mw megawatt",
    ("power", 1e9): "gw gigawatt",
    ("share", 0.01): "% percent pct percentage",
    ("times", 1.0): "times time x fold",
    ("usd", 1.0): "$ usd us$ dollar buck",
    ("usd", 0.01): "¢ cent",
    ("eur", 1.0): "€ eur euro",
    ("gbp", 1.0): "£ gbp pound quid sterling",
    ("gbp", 0.01): "pence",
    ("jpy", 1.0): "¥ jpy yen",
    ("inr", 1.0): "₹ inr rs rupee",
    ("cny", 1.0): "cny rmb yuan renminbi",
    ("chf", 1.0): "chf franc",
    ("rub", 1.0): "rub ruble rouble",
    ("krw", 1.0): "krw",
    ("sek", 1.0): "krona kronor",
    ("mxn", 1.0): "peso",
}
_SYMBOLS = frozenset("m s h g t d l w x mi mo % $ € £ ¥ ₹ ¢ rs".split())
_NEVER_PLURAL = frozenset("inches feet centuries times kgs lbs pence yen".split())
MONEY = frozenset("usd eur gbp jpy inr cny chf rub krw sek mxn".split())


def _units() -> dict[str, tuple[Unit, ...]]:
    found: dict[str, tuple[Unit, ...]] = {}
    for (dimension, worth), names in _TABLE.items():
        for name in names.split():
            forms = {name} if name in _SYMBOLS | _NEVER_PLURAL else {name, f"{name}s"}
            for form in forms:
                found[form] = (*found.get(form, ()), Unit(dimension, worth))
    return found


UNITS = _units()
"""The readings of each unit, lower-cased; "pound" has one of money and one of mass."""

BEFORE = frozenset("$ € £ ¥ ₹ us$ usd eur gbp jpy inr rs cny rmb chf".split())
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
_PER = {"hour": 3600.0, "h": 3600.0, "hr": 3600.0, "second": 1.0, "s": 1.0, "sec": 1.0,
        "minute": 60.0, "min": 60.0}  # fmt: skip
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
        speeds = tuple(Unit("speed", u.worth / _PER[after[1]]) for u in units if u.dimension == "length")  # fmt: skip
        if speeds:
            return speeds, place + 3
    return units, place + bool(units)


def _raised(length: Unit, power: int) -> Unit:
    """Square or cubic metres' worth; volumes are in litres."""
    if power == 2:
        return Unit("area", length.worth**2)
    return Unit("volume", 1000 * length.worth**3)
