"""One writing for what both sides of a pair say in two: amounts, numbers, dates and times of day.

Beside "$1,000,000", "1 million dollars" becomes "$1,000,000"; beside "3 March 2024" "2024-03-03"
becomes "3 March 2024". Digits in groups, "10 000" or "10.000", are one number only where the other
side has that number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product, takewhile
from math import isclose

from semaniacs.features.measures.amounts import COUNT, SHARE, Amount, amounts
from semaniacs.features.measures.moments import CLOCK, DATE, PERIOD, Moment, may_be_date, moments
from semaniacs.features.measures.numerals import in_plain_digits, may_be_number
from semaniacs.features.measures.sameness import CONVERTED, same_moment
from semaniacs.sts.text.analysis import Sentence, analyse

_DIGITS = re.compile(
    r"(?<![\w.,])(?:\d{1,3}(?P<group>[ '’.,\u00a0\u202f])\d{3}(?:(?P=group)\d{3})*"
    r"|\d{1,2}(?:,\d\d)+,\d{3}|\d{1,15})(?![\w,.’']?\d)(?!\w)"
)
"""A whole number: in groups of three after any mark, in those of India, or without groups."""

_MEASURED = "length mass volume speed area temperature data energy pressure acceleration".split()


def may_be_value(token: str) -> bool:
    """Return whether a token may belong to a number, a date or a time."""
    return bool(may_be_number(token) or may_be_date(token))


def values_alike(a: Sentence, b: Sentence) -> tuple[str, str]:
    """Return both texts, the values of the second written as the first writes the same ones."""
    left, right = _numbers_alike(a.text, b.text)
    if (left, right) != (a.text, b.text):
        found = analyse([left, right])
        a, b = found[left], found[right]
    text = right
    for ours, theirs in _same_values(a, b):
        if ours.lower() != theirs.lower():
            text = _replaced(text, theirs, _found(left, ours))
    return left, text


def _same_values(a: Sentence, b: Sentence) -> Iterator[tuple[str, str]]:
    """Yield how each side writes a value that both have."""
    for theirs in amounts(b):
        same = next((own for own in amounts(a) if _is_amount(own, theirs)), None)
        if same is not None:
            yield _written(same), _written(theirs)
    for when in moments(b):
        twin = next((own for own in moments(a) if _is_moment(own, when)), None)
        if twin is not None:
            yield twin.text, when.text


def _numbers_alike(left: str, right: str) -> tuple[str, str]:
    """Return both texts, with "10,000" for a number that only one of them writes so."""
    left, right = in_plain_digits(left), in_plain_digits(right)
    found = [{_value(match[0]): match[0] for match in _DIGITS.finditer(t)} for t in (left, right)]
    for value in found[0].keys() & found[1].keys():
        one, other = found[0][value], found[1][value]
        if one != other and value >= 1000:
            left, right = _replaced(left, one, f"{value:,}"), _replaced(right, other, f"{value:,}")
    return left, right


def _value(digits: str) -> int:
    """Return the value of a match of the pattern; -1 for a code such as 00123."""
    plain = re.sub(r"\D", "", digits)
    return -1 if plain[0] == "0" and len(plain) > 1 else int(plain)


_BOUND = re.compile(r"[<>=≤≥ ]*")


def _is_amount(a: Amount, b: Amount) -> bool:
    """Whether two amounts are the same; one may be converted, as half a mile and 800 m are."""
    if a.key or b.key or (a.of, a.bound, a.about) != (b.of, b.bound, b.about):
        return False
    marks = [_BOUND.match(amount.text)[0].strip() for amount in (a, b)]  # type: ignore[index]
    if all(marks) and (marks[0] in "<>") != (marks[1] in "<>"):  # > 5, ≥ 5
        return False
    converted = a.text.split()[-1] != b.text.split()[-1]
    for x, y in product(a.readings, b.readings):
        part = 0 < x.low < 1 and {x.dimension, y.dimension} == {COUNT, SHARE}  # 0.5, 50 %
        near = CONVERTED if converted and x.dimension in _MEASURED else 1e-9
        if (part or x.dimension == y.dimension) and isclose(x.low, y.low, rel_tol=near):
            return isclose(x.high, y.high, rel_tol=near)
    return False


def _is_moment(a: Moment, b: Moment) -> bool:
    """Whether two moments say the same day, minute or years in some reading."""
    if a.kind != b.kind or a.kind not in (DATE, CLOCK, PERIOD):
        return False
    return same_moment(a, b) if a.kind == CLOCK else not set(a.readings).isdisjoint(b.readings)


def _written(amount: Amount) -> str:
    """Return the words of an amount, of what is counted the number alone: "two" of "two dogs"."""
    words = amount.text.split()
    return " ".join(takewhile(may_be_number, words) if amount.of else words)


def _found(text: str, words: str) -> str:
    match = _pattern(words).search(text) if words else None
    return match[0] if match else ""


def _replaced(text: str, words: str, others: str) -> str:
    return _pattern(words).sub(lambda _: others, text, count=1) if words and others else text


def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(r"(?<!\w)" + r"\s*".join(map(re.escape, words.split())) + r"(?!\w)")
