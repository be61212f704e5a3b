"""Amounts and moments that are the same, and those that exclude each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from math import log
from typing import NamedTuple

from semaniacs.features.measures.amounts import COUNT, NAME, ORDINAL, SHARE, Amount, Reading
from semaniacs.features.measures.moments import CLOCK, DATE, DAYTIME, PERIOD, Moment
from semaniacs.sts.text.units import MONEY


class Difference(NamedTuple):
    """Two values that exclude each other, one on each side.

    Attributes:
        left, right: the words of the left and of the right sentence.
        grade: in (0, 1], how far apart they are.
    """

    left: str
    right: str
    grade: float

    def __str__(self) -> str:
        """For a report: "3 million dollars ≠ 3 billion dollars"."""
        return f"{self.left} ≠ {self.right}"


def worst(differences: Iterable[Difference]) -> float:
    """The largest grade; 0 if there is no difference."""
    return max((difference.grade for difference in differences), default=0.0)


ROUNDED = 0.07  # relative difference up to which a number may be another one rounded

CONVERTED = 0.03
"""Relative difference up to which amounts in different units are taken for one converted."""

ROUGH = 0.15  # relative difference that "about" allows

BOUND = 0.02  # relative difference of two bounds: "more than 100", "at least 101"

BEYOND = 1.35  # how far "more than 100" goes: to 135

FAR = 1000.0  # ratio from which a difference has its full grade


_UNMEASURED = frozenset((COUNT, NAME, ORDINAL, "share", "score", "times"))
"""Dimensions of numbers without a unit."""


def same_amount(a: Amount, b: Amount) -> bool:
    """Whether two amounts may be the same in some reading."""
    if a.key or b.key:
        return _same_name(a, b)
    return any(_same(x, y, a, b) for x in a.readings for y in b.readings)


def _same_name(a: Amount, b: Amount) -> bool:
    if a.key and b.key:
        return a.key.replace("-", "") == b.key.replace("-", "")
    named, plain = (a, b) if a.key else (b, a)
    if _is_code(named):
        return False
    kinds = {reading.dimension for reading in named.readings}
    return NAME in kinds and any(r.low == n.low for r in plain.readings for n in named.readings)


def _is_code(amount: Amount) -> bool:
    """Whether it is a number with zeros before it or a suffix, such as 00123 and 14 Pro."""
    return (amount.key[:1] == "0" and amount.key[1:].isdecimal()) or " " in amount.key


def _same(x: Reading, y: Reading, a: Amount, b: Amount) -> bool:
    if x.dimension != y.dimension:
        plain = COUNT in (x.dimension, y.dimension) and not (a.of or b.of)
        either = {x.dimension, y.dimension} <= {COUNT, ORDINAL, *MONEY}
        part = 0 < x.low < 1 and {x.dimension, y.dimension} == {COUNT, SHARE}  # 0.75 and 3/4
        return plain and (either or part) and x.low == y.low
    if x.low < x.high or y.low < y.high:
        both = x.low < x.high and y.low < y.high
        if both and not (a.about or b.about) and a.grain < 1 and b.grain < 1:
            return _near(x.low, y.low, 1e-6) and _near(x.high, y.high, 1e-6)
        return x.low <= y.high * (1 + 1e-9) and y.low <= x.high * (1 + 1e-9)
    if a.bound == b.bound:
        return _near(x.low, y.low, BOUND if a.bound else _tolerance(x, y, a, b))
    if a.bound and b.bound:
        return False
    limit, value, bound = (x.low, y.low, a.bound) if a.bound else (y.low, x.low, b.bound)
    least, most = (limit, limit * BEYOND) if bound > 0 else (limit / BEYOND, limit)
    return min(least, most) * (1 - 1e-9) <= value <= max(least, most) * (1 + 1e-9)


def _near(x: float, y: float, tolerance: float) -> bool:
    return abs(x - y) <= tolerance * max(abs(x), abs(y)) + 1e-12


def _tolerance(x: Reading, y: Reading, a: Amount, b: Amount) -> float:
    """The relative difference that rounding, conversion and "about" explain."""
    if a.about or b.about:
        return ROUGH
    largest = max(abs(x.low), abs(y.low), 1e-12)
    step = max(a.grain * abs(x.low), b.grain * abs(y.low)) / largest
    same_step = abs(a.grain * abs(x.low) - b.grain * abs(y.low)) < 1e-9 * largest
    rounding = 0.0 if same_step else min(ROUNDED, 0.4999 * step)
    whole = all(abs(v.low - round(v.low)) < 1e-9 for v in (x, y)) and x.dimension == COUNT
    converted = CONVERTED if not same_step and not whole and x.dimension not in MONEY else 0.0
    return max(1e-6, 0.0 if whole and largest < 100 else rounding, converted)


def amount_differences(left: Sequence[Amount], right: Sequence[Amount]) -> Iterator[Difference]:
    """The amounts of each side that the other lacks while it has another of their dimension.

    The same noun counted otherwise goes first: two dogs and three cats, three dogs and two cats.
    """
    pairs = [(a, b) for a in left for b in right]
    agree = [same_amount(a, b) for a, b in pairs]
    same = list(compress(pairs, agree))
    settled = {x for a, b in same if a.of and a.of == b.of for x in (a, b)}
    bare_left, bare_right = {a for a, b in same if not b.of}, {b for a, b in same if not a.of}
    counted = [
        (a, b)
        for (a, b), agreed in zip(pairs, agree, strict=True)
        if a.of
        and a.of == b.of
        and COUNT in a.dimensions & b.dimensions
        and not agreed
        and a not in bare_left  # what has the same value on the other side counts something else
        and b not in bare_right
    ]
    for a, b in _nearest(counted, settled):
        yield Difference(a.text, b.text, _grade(a, b))
    settled |= {x for pair in same for x in pair}
    for a, b in _nearest([pair for pair in pairs if _comparable(*pair)], settled):
        yield Difference(a.text, b.text, _grade(a, b))


def _nearest(
    pairs: Sequence[tuple[Amount, Amount]], settled: set[Amount]
) -> Iterator[tuple[Amount, Amount]]:
    """The pairs, nearest first, each amount once and none that is settled; those become so."""
    for a, b in sorted(pairs, key=lambda p: (_grade(*p), sorted((p[0].text, p[1].text)))):
        if a not in settled and b not in settled:
            settled |= {a, b}
            yield a, b


def _comparable(a: Amount, b: Amount) -> bool:
    if _is_code(a) or _is_code(b):
        return a.readings[0].low == b.readings[0].low
    rate = any(" per " in dimension for dimension in a.dimensions ^ b.dimensions)
    both = a.dimensions - _UNMEASURED and b.dimensions - _UNMEASURED
    if both and not rate and a.text.split()[0] == b.text.split()[0]:
        return True  # 3 kg, 3 km
    if not a.dimensions & b.dimensions:
        return bool(a.dimensions & MONEY) and bool(b.dimensions & MONEY)
    return NAME not in a.dimensions or a.of == b.of


def _grade(a: Amount, b: Amount) -> float:
    if a.key or b.key or not a.dimensions & b.dimensions or a.bound * b.bound < 0:
        return 1.0
    shared = [(x, y) for x in a.readings for y in b.readings if x.dimension == y.dimension]
    x, y = shared[0]
    small, large = sorted((abs(x.low), abs(y.low)))
    if small == 0 or x.low * y.low < 0:
        return 1.0
    grade = 0.5 + 0.5 * min(1.0, log(large / small) / log(FAR))
    return grade * (0.7 if a.about or b.about or a.bound or b.bound else 1.0)


def same_moment(a: Moment, b: Moment) -> bool:
    """Whether two moments may be the same in some reading; what is not said excludes nothing."""
    return any(_agree(a.kind, x, b.kind, y) for x in a.readings for y in b.readings)


def _agree(kind: str, x: tuple[int | str, ...], other: str, y: tuple[int | str, ...]) -> bool:
    if {kind, other} == {DATE, PERIOD}:
        year = x[0] if kind == DATE else y[0]
        first, last = y if kind == DATE else x
        return bool(year) and int(first) <= int(year) <= int(last)
    if {kind, other} == {CLOCK, DAYTIME}:
        minutes = int(x[0] if kind == CLOCK else y[0])
        first, last = y if kind == CLOCK else x
        return any(60 * int(first) <= at <= 60 * int(last) for at in (minutes, minutes + 1440))
    if kind == other == DATE:
        said = [(p, q) for p, q in zip(x, y, strict=True) if p and q]
        return bool(said) and all(p == q for p, q in said)
    if kind == other and kind in (DAYTIME, PERIOD):
        overlap = min(int(x[1]), int(y[1])) - max(int(x[0]), int(y[0]))
        return overlap > 0
    # 2:30 may be 2:30 pm, but beside 14:30 it is another time.
    alike = x == y if kind != CLOCK else x[0] == y[0] and {x[1], y[1]} != {"written", "guessed"}
    return kind == other and alike


def _exclude(a: Moment, b: Moment) -> bool:
    if {a.kind, b.kind} == {DATE, PERIOD}:
        return any(x[0] for x in (a if a.kind == DATE else b).readings)
    if a.kind != b.kind:
        return {a.kind, b.kind} == {CLOCK, DAYTIME}
    if a.kind == DATE:
        (x, *_), (y, *_) = a.readings, b.readings
        return any(p and q for p, q in zip(x, y, strict=True))
    return a.kind != "relative" or a.readings[0][0] == b.readings[0][0]


def _is_among(moments: Sequence[Moment], one: Moment) -> bool:
    """Whether one may be the same as a moment; a time of day is compared with such times, if any."""
    alike = [other for other in moments if one.kind == other.kind == CLOCK]
    return any(same_moment(one, other) for other in alike or moments)


def moment_differences(left: Sequence[Moment], right: Sequence[Moment]) -> Iterator[Difference]:
    """The moments of each side that the other lacks while it has another of their kind."""
    lone_left = [a for a in left if not _is_among(right, a)]
    lone_right = [b for b in right if not _is_among(left, b)]
    for a in lone_left:
        other = next((b for b in lone_right if _exclude(a, b)), None)
        if other:
            yield Difference(a.text, other.text, 1.0)
