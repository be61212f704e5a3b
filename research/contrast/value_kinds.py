"""Kinds of values in sentences: numbers, quantities, dates, times and words of a list.

Each kind draws a value, names a near value that is not the same, and writes a value in every
notation that means exactly the same.
"""

from __future__ import annotations

import calendar
import datetime
import random
from collections import defaultdict
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from research.contrast.sources import read_rows

Value = Any  # hashable; each kind has its own
Forms = Mapping[str, tuple[str, ...]]  # notations by grammatical form; "" is the usual form


class Kind(NamedTuple):
    """Three functions that draw values of one kind, change one, and write one."""

    draw: Callable[[random.Random], Value]
    change: Callable[[Value, random.Random], Value]
    write: Callable[[Value], Forms]


class Word(NamedTuple):
    """One row of the word list."""

    text: str
    forms: Forms


def _read_words() -> dict[str, list[Word]]:
    words: dict[str, list[Word]] = defaultdict(list)
    for kind, text, forms in read_rows("value_pairs_words.tsv"):
        pairs = (form.split("=", 1) for form in forms.split(";") if form)
        words[kind].append(Word(text, {name: tuple(value.split("|")) for name, value in pairs}))
    return dict(words)


WORDS = _read_words()
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split()
_SCALES = {10**9: "billion", 10**6: "million", 1000: "thousand", 100: "hundred"}
_ORDINALS = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth",
    "nine": "ninth", "twelve": "twelfth",
}  # fmt: skip
_MONTHS = calendar.month_name
_DAYS = calendar.day_name
_CURRENCIES = {"$": "dollars", "€": "euros", "£": "pounds"}


def spell(number: int) -> str:
    """Return the words of a number below a trillion ("twenty-one")."""
    if number < 20:
        return _SMALL[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return _TENS[tens] + (f"-{_SMALL[ones]}" if ones else "")
    size = next(size for size in _SCALES if size <= number)
    many, rest = divmod(number, size)
    joint = " and " if 0 < rest < 100 else " "
    return f"{spell(many)} {_SCALES[size]}" + (joint + spell(rest) if rest else "")


def ordinal(number: int) -> tuple[str, str]:
    """Return the two notations of an ordinal ("21st", "twenty-first")."""
    teen = 10 < number % 100 < 20
    ending = "th" if teen else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    head, dash, last = spell(number).rpartition("-")
    word = _ORDINALS.get(last, last.removesuffix("y") + "ie" * last.endswith("y") + "th")
    return f"{number}{ending}", head + dash + word


def plain(*texts: str) -> Forms:
    """Return notations that have no grammatical forms."""
    return {"": texts}


def _count(low: int, high: int) -> Kind:
    def change(value: int, rng: random.Random) -> int:
        steps = [value + 1, value - 1, value + 2, value - 2, value + 10, value * 2, value // 2]
        return rng.choice([n for n in steps if low <= n <= high and n != value])

    return Kind(
        lambda rng: rng.randint(low, rng.choice((min(high, low + 11), high))),
        change,
        lambda value: plain(str(value), spell(value)),
    )


def _draw_bound(rng: random.Random) -> tuple[str, int]:
    return rng.choice(list(_BOUNDS)), rng.choice([*range(4, 21), *range(25, 100, 5), 100, 200, 500])


# sides of a bound: the phrases with the number itself, and the other bounds that contradict it
_BOUNDS = {
    "more": ("more than {}|over {}|upwards of {}", "fewer most exact"),
    "fewer": ("fewer than {}|less than {}|under {}", "more least exact"),
    "least": ("at least {}|{} or more|no fewer than {}|not fewer than {}", "fewer exact"),
    "most": ("at most {}|{} or fewer|no more than {}|not more than {}|up to {}", "more exact"),
    "exact": ("exactly {}|precisely {}|no more and no fewer than {}", "more fewer least most"),
}


def _change_bound(value: tuple[str, int], rng: random.Random) -> tuple[str, int]:
    side, number = value
    if rng.random() < 0.7:
        return rng.choice(_BOUNDS[side][1].split()), number
    return side, number * rng.choice((2, 3, 10))


def _write_bound(value: tuple[str, int]) -> Forms:
    phrases = _BOUNDS[value[0]][0].split("|")
    return plain(*(p.format(n) for n in (str(value[1]), spell(value[1])) for p in phrases))


def _draw_pair(rng: random.Random) -> tuple[int, int]:
    low = rng.choice([*range(2, 20), *range(20, 90, 5)])
    return low, low + rng.choice((2, 3, 5, 10, 15, 20))


def _change_pair(value: tuple[int, int], rng: random.Random) -> tuple[int, int]:
    low, high = value
    return rng.choice([(high, 2 * high), (low * 10, high * 10), (low, 3 * high), (high, high + 5)])


def _write_range(value: tuple[int, int]) -> Forms:
    both = [(str(value[0]), str(value[1])), (spell(value[0]), spell(value[1]))]
    frames = ("between {} and {}", "from {} to {}", "{} to {}")
    return plain(*(frame.format(*pair) for pair in both for frame in frames))


def _write_rise(value: tuple[int, int]) -> Forms:
    return {side: (str(n), spell(n)) for side, n in zip(("lo", "hi"), value, strict=True)}


def _draw_score(rng: random.Random) -> tuple[int, int]:
    low = rng.randint(0, 3)
    return low + rng.randint(1, 3), low


# quantities: (number, row of the unit, whether the number counts the big unit)
Quantity = tuple[Fraction, int, bool]
UNITS = WORDS["unit"]


def unit_names(row: int, is_big: bool) -> tuple[str, ...]:
    """Return the name of a unit, and its symbol if it has one."""
    return UNITS[row].forms["big" if is_big else "small"]


def plural_of_unit(name: str) -> str:
    """Return the plural of the name of a unit."""
    return {"foot": "feet", "inch": "inches"}.get(name.rsplit(maxsplit=1)[-1], f"{name}s")


def _write_amount(number: Fraction, names: tuple[str, ...]) -> list[str]:
    name, plural, symbol = names[0], plural_of_unit(names[0]), "".join(names[1:])
    article = "an" if name[0] in "aeiou" or name == "hour" else "a"
    if number.denominator == 1:
        digits, word = f"{int(number):,}", spell(int(number))
        noun = name if number == 1 else plural
        texts = [f"{digits} {noun}", f"{word} {noun}"]
    else:
        whole, digits = int(number), f"{float(number):g}"
        half = {Fraction(1, 2): "half", Fraction(1, 4): "a quarter of"}[number - whole]
        halves = f"{spell(whole)} and a half {plural}" if half == "half" else ""
        texts = [f"{digits} {plural}", halves if whole else f"{half} {article} {name}"]
    american = [t.replace("metre", "meter").replace("litre", "liter") for t in texts]
    return [t for t in dict.fromkeys([*texts, *american, f"{digits} {symbol}" * bool(symbol)]) if t]


def write_quantity(value: Quantity) -> Forms:
    """Return the notations of a quantity in its own unit and, if exact, in the related one."""
    number, row, is_big = value
    ratio = int(UNITS[row].forms["ratio"][0])
    other = number * ratio if is_big else number / ratio
    texts = _write_amount(number, unit_names(row, is_big))
    if other.denominator in (1, 2) and 0 < other < 100_000:
        texts += _write_amount(other, unit_names(row, not is_big))
    return plain(*texts)


def _quantity(dimension: str) -> Kind:
    rows = [i for i, unit in enumerate(UNITS) if unit.text == dimension]

    def draw(rng: random.Random) -> Quantity:
        row = rng.choice(rows)
        number = Fraction(rng.randint(2, int(UNITS[row].forms["most"][0])))
        if rng.random() < 0.25 and dimension != "longtime":
            number = Fraction(rng.choice((1, 3, 5, 7)), 2)
        return number, row, True

    return Kind(draw, change_quantity, write_quantity)


def change_quantity(value: Quantity, rng: random.Random) -> Quantity:
    """Return the same number of the related unit, or another number of the same unit."""
    number, row, is_big = value
    if rng.random() < 0.5 and number.denominator == 1:
        return number, row, not is_big
    return number * rng.choice((2, 3, 10)) + rng.choice((0, 0, 1)), row, is_big


def _write_money(value: tuple[int, int, str]) -> Forms:
    number, scale, sign = value
    name, money = _CURRENCIES[sign], number * scale
    texts = [f"{sign}{number} {_SCALES[scale]}", f"{number} {_SCALES[scale]} {name}"]
    texts += [f"{money:,} {name}", f"{sign}{money:,}", f"{spell(money)} {name}"]
    return plain(*texts)


def _change_money(value: tuple[int, int, str], rng: random.Random) -> tuple[int, int, str]:
    number, scale, sign = value
    return rng.choice([
        (number, rng.choice([s for s in (1000, 10**6, 10**9) if s != scale]), sign),
        (number * rng.choice((2, 3, 10)), scale, sign),
        (number, scale, rng.choice([s for s in _CURRENCIES if s != sign])),
    ])  # fmt: skip


SHARES = {int(word.text): word.forms["as"] for word in WORDS["share"]}


def _write_percent(value: int) -> Forms:
    texts = (f"{value} %", f"{value}%", f"{value} percent", f"{spell(value)} per cent")
    return plain(*texts, *SHARES.get(value, ()))


_DOZENS = {6: "half a dozen", 12: "a dozen", 24: "two dozen", 36: "three dozen", 48: "four dozen"}


def _write_dozen(value: int) -> Forms:
    return plain(*filter(None, (_DOZENS.get(value), str(value), spell(value))))


def _write_temperature(value: tuple[str, int]) -> Forms:
    scale, degrees = value
    texts = [f"{degrees} °{scale[0]}", f"{degrees}°{scale[0]}", f"{degrees} degrees {scale}"]
    if scale == "Celsius" and degrees % 5 == 0:
        texts += _write_temperature(("Fahrenheit", degrees * 9 // 5 + 32))[""]
    return plain(*texts)


def _change_temperature(value: tuple[str, int], rng: random.Random) -> tuple[str, int]:
    scale, degrees = value
    return rng.choice([("Fahrenheit", degrees), (scale, degrees + rng.choice((-5, 5, 10, 20)))])


def write_date(value: datetime.date) -> Forms:
    """Return the notations of a day of a year."""
    day, month, year = value.day, _MONTHS[value.month], value.year
    short, long = ordinal(day)
    return plain(
        f"{day} {month} {year}", f"{month} {day}, {year}", f"{month} {short}, {year}",
        value.isoformat(), f"{short} {month} {year}", f"the {long} of {month} {year}",
    )  # fmt: skip


def change_date(value: datetime.date, rng: random.Random) -> datetime.date:
    """Return a date with another day, month or year."""
    return rng.choice([
        value.replace(day=(value.day + rng.randint(0, 25)) % 28 + 1),
        value.replace(day=min(value.day, 28), month=(value.month + rng.randint(0, 10)) % 12 + 1),
        value.replace(day=min(value.day, 28), year=value.year + rng.choice((-10, -2, -1, 1, 3, 10))),
    ])  # fmt: skip


def _draw_date(rng: random.Random) -> datetime.date:
    return datetime.date(rng.randint(1890, 2023), rng.randint(1, 12), rng.randint(1, 28))


def _write_day(value: datetime.date) -> Forms:
    day, month = value.day, _MONTHS[value.month]
    short, long = ordinal(day)
    texts = (f"{day} {month}", f"{month} {day}", f"{month} {short}", f"the {short} of {month}")
    return plain(*texts, f"the {long} of {month}")


def _write_holiday(value: Word) -> Forms:
    day, month = value.forms["day"][0], value.forms["month"][0]
    return plain(value.text, f"{day} {month}", f"{month} {day}", f"{month} {ordinal(int(day))[0]}")


_CLOCKS = [
    60 * hour + minute for hour in range(1, 24) if hour != 12 for minute in (0, 0, 15, 30, 45, 20)
]


def _write_clock(value: int) -> Forms:
    hour, minute = divmod(value, 60)
    half, twelve = "a.m." if hour < 12 else "p.m.", hour % 12 or 12
    part = "morning" if hour < 12 else "afternoon" if hour < 18 else "evening"
    part = "at night" if hour >= 21 else f"in the {part}"
    spoken = {0: f"{spell(twelve)} o'clock", 15: f"quarter past {spell(twelve)}",
              30: f"half past {spell(twelve)}", 45: f"quarter to {spell(twelve % 12 + 1)}",
              20: f"twenty past {spell(twelve)}"}[minute]  # fmt: skip
    digits = f"{twelve}:{minute:02}"
    short = f"{twelve} {half}" if minute == 0 else f"{digits} {half}"
    texts = [short, f"{digits} {half}", f"{spoken} {part}"]
    return plain(*texts, *([] if hour in (10, 11) else [f"{hour:02}:{minute:02}"]))


def _change_clock(value: int, rng: random.Random) -> int:
    steps = (-720, 720, -60, 60, -30, 30, 120)
    return rng.choice([value + step for step in steps if value + step in _CLOCKS])


def _draw_week(rng: random.Random) -> tuple[int, int]:
    first = rng.randint(0, 4)
    return first, rng.randint(first + 2, min(6, first + 4))


def _change_week(value: tuple[int, int], rng: random.Random) -> tuple[int, int]:
    weeks = [(first, last) for first in range(5) for last in range(first + 2, min(7, first + 5))]
    return rng.choice([w for w in weeks if w != value and (w[0] == value[0] or w[1] == value[1])])


def _write_week(value: tuple[int, int]) -> Forms:
    first, last = value
    days = [_DAYS[day] for day in range(first, last + 1)]
    listed = f"on {', '.join(days[:-1])} and {days[-1]}"
    return plain(f"from {days[0]} to {days[-1]}", f"{days[0]} through {days[-1]}", listed)


def _write_month(value: datetime.date) -> Forms:
    month = _MONTHS[value.month]
    return plain(
        f"{month} {value.year}", f"{month} of {value.year}", f"the month of {month} {value.year}"
    )


def _change_month(value: datetime.date, rng: random.Random) -> datetime.date:
    return rng.choice([
        value.replace(month=(value.month + rng.randint(0, 10)) % 12 + 1),
        value.replace(year=value.year + rng.choice((-10, -1, 1, 10))),
    ])  # fmt: skip


def _write_decade(value: int) -> Forms:
    return plain(f"the 19{value}s", f"the {_TENS[value // 10].removesuffix('y')}ies")


def _one_of(values: list[Value], write: Callable[[Value], Forms]) -> Kind:
    def change(value: Value, rng: random.Random) -> Value:
        return rng.choice([other for other in values if other != value])

    return Kind(lambda rng: rng.choice(values), change, write)


def _write_word(value: Word) -> Forms:
    return {"": value.forms.get("alt", (value.text,)), **value.forms}


def _draw_model(rng: random.Random) -> tuple[int, str]:
    row = rng.randrange(len(WORDS["model"]))
    return row, rng.choice(WORDS["model"][row].forms["number"])


def _change_model(value: tuple[int, str], rng: random.Random) -> tuple[int, str]:
    row, number = value
    numbers = [n for n in WORDS["model"][row].forms["number"] if n != number]
    return (row, rng.choice(numbers)) if rng.random() < 0.75 else _draw_model(rng)


def _write_model(value: tuple[int, str]) -> Forms:
    word, number = WORDS["model"][value[0]], value[1]
    name = word.text.replace("_", " ") + number
    return plain(name, *(f"{maker} {name}" for maker in word.forms.get("maker", ())))


KINDS: dict[str, Kind] = {
    **{kind: _one_of(list(words), _write_word) for kind, words in WORDS.items()},
    **{dimension: _quantity(dimension) for dimension in dict.fromkeys(u.text for u in UNITS)},
    "n": _count(2, 99),
    "age": _count(18, 97),
    "big": _one_of([n * 100 for n in range(2, 100)], lambda n: plain(f"{n:,}", str(n), spell(n))),
    "ordinal": _one_of(list(range(2, 31)), lambda n: plain(*ordinal(n))),
    "century": _one_of(list(range(9, 21)), lambda n: plain(*ordinal(n))),
    "bound": Kind(_draw_bound, _change_bound, _write_bound),
    "range": Kind(_draw_pair, _change_pair, _write_range),
    "rise": Kind(_draw_pair, _change_pair, _write_rise),
    "score": Kind(_draw_score, lambda _, rng: _draw_score(rng), lambda s: {"w": (str(s[0]),), "l": (str(s[1]),)}),
    "money": Kind(lambda rng: (rng.randint(2, 90), rng.choice((1000, 10**6, 10**6, 10**9)), rng.choice(list(_CURRENCIES))), _change_money, _write_money),
    "percent": _one_of([*SHARES] * 3 + list(range(2, 98)), _write_percent),
    "dozen": _one_of([*_DOZENS] * 3 + [5, 7, 8, 10, 15, 20, 30, 40], _write_dozen),
    "temperature": Kind(lambda rng: ("Celsius", rng.choice(range(-20, 96, 5))), _change_temperature, _write_temperature),
    "date": Kind(_draw_date, change_date, write_date),
    "day": Kind(_draw_date, lambda v, rng: change_date(v, rng).replace(year=v.year), _write_day),
    "month": Kind(_draw_date, _change_month, _write_month),
    "holiday": _one_of(WORDS["holiday"], _write_holiday),
    "decade": _one_of(list(range(20, 100, 10)), _write_decade),
    "clock": Kind(lambda rng: rng.choice(_CLOCKS), _change_clock, _write_clock),
    "week": Kind(_draw_week, _change_week, _write_week),
    "model": Kind(_draw_model, _change_model, _write_model),
}  # fmt: skip
