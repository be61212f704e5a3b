"""Numbers, amounts, dates and times that two sentences share, and those that exclude each other.

Amounts with a unit are compared in one unit per dimension, amounts with a noun by the noun, numbers
in a name ("Room 101") as they are. A date that says less excludes nothing ("in May", "on May 3").
Not covered: exchange rates, prices per piece, sums, the weekday of a date, time zones, dates
relative to another ("two days later").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from semaniacs.features import lexicon
from semaniacs.features.batch import Batch, Column, Flags, both, either, matched_f1, once, set_f1
from semaniacs.features.measures.amounts import COUNT, Amount, amounts, single_nouns
from semaniacs.features.measures.counts import bags_of, count
from semaniacs.features.measures.moments import Moment, may_be_date, moments
from semaniacs.features.measures.numerals import may_be_number, numeric
from semaniacs.features.measures.sameness import (
    Difference,
    amount_differences,
    moment_differences,
    same_amount,
    same_moment,
    worst,
)
from semaniacs.features.measures.units import UNITS
from semaniacs.features.registry import columnwise, pairwise
from semaniacs.sts.text.analysis import Sentence
from semaniacs.sts.text.tokenizer import is_word

_WORTH = lexicon.numbers("small number") | lexicon.numbers("number of the plain reader")
_SCALES = lexicon.numbers("scale of the plain reader")
_DIGITS = re.compile(r"(\d+(?:[.,]\d+)*)(st|nd|rd|th|s)?")
_AMOUNT = re.compile(r"(\d+(?:[.,]\d+)*)(k|m|mn|mln|bn|bln|b|tn)")

# What stands around "m" where it is metre. Anywhere else, and after money, it is million.
_MONEY = frozenset("$ € £ ¥ ₹ usd eur gbp".split())
_EXTENT = lexicon.words("extent")
_DIMENSIONS = lexicon.words("dimension")
_TIMES = frozenset("s sec second min minute h hour".split())


@lru_cache(maxsize=1 << 16)
def values(sentence: Sentence) -> frozenset[float]:
    """The values of the numbers of a sentence: "two", "2nd", "1.5bn", "3 million"."""
    tokens = [token.lower().lstrip(".") for token in sentence.tokens]
    places = [place for place, token in enumerate(sentence.tokens) if is_word(token)]
    found: list[float] = []
    begin = -1  # place of the number before, which a scale then multiplies; -1 if there is none
    tens = False  # whether it was twenty, thirty, …, to which a unit is added
    for place in places:
        word = tokens[place]
        scale = _SCALES.get(word)
        if scale is not None and (begin >= 0 or len(word) > 3):
            if begin < 0 or not found:
                found.append(scale)
            elif word != "m" or not _is_metre(tokens, begin, place):
                found[-1] *= scale
            tens = False
            continue
        value = _value(word)
        if value is None:
            begin = -1
        elif tens and word in _WORTH and 0 < value < 10:
            found[-1] += value
        else:
            metres = word.endswith("m") and _is_metre(tokens, place, place)
            found.append(_number(word[:-1]) if metres else value)
            begin = place
        tens = 20 <= _WORTH.get(word, 0) < 100
    return frozenset(round(value, 6) for value in found)  # 4.1 · 10⁹ is not 4.1bn's float


def _is_metre(tokens: Sequence[str], begin: int, end: int) -> bool:
    """Whether the "m" in ``tokens[end]``, whose number begins in ``tokens[begin]``, is metre."""
    if begin > 0 and tokens[begin - 1] in _MONEY:
        return False
    following = [token for token in tokens[end + 1 : end + 4] if token != "-"]
    after, second = (*following, "", "")[:2]
    return (
        (after in _EXTENT and tokens[end + 2 : end + 3] != ["-"])  # "long", not "long-term"
        or (after in ("/", "per") and second in _TIMES)
        or (after == "in" and second in _DIMENSIONS)
        or (after in ("x", "by") and second[:1].isdigit())
        or not _DIMENSIONS.isdisjoint(tokens[max(0, begin - 3) : begin])
    )


def _value(word: str) -> float | None:
    if word in _WORTH:
        return _WORTH[word]
    if not word[0].isdigit():
        return None
    amount = _AMOUNT.fullmatch(word)
    if amount:
        return _number(amount[1]) * _SCALES[amount[2]]
    digits = _DIGITS.fullmatch(word)
    return _number(digits[1]) if digits else None


def _number(text: str) -> float:
    """The value of digits with thousands marks or a decimal point; 1.2.3 is a name."""
    plain = text.replace(",", "") if re.search(r",\d{3}(?:\D|$)", text) else text.replace(",", ".")
    return float(plain) if plain.count(".") < 2 else float(plain.replace(".", ""))


Values = frozenset[float]


@once
def _values_of_sides(batch: Batch) -> list[tuple[Values, Values]]:
    numeric = batch.view("words").weigh(
        lambda word: float(word in _SCALES or _value(word) is not None)
    )
    some = bags_of(batch, "words", 1).totals(numeric) > 0
    found = [
        values(sentence) if has_number else frozenset[float]()
        for sentence, has_number in zip(batch.sentences, some, strict=True)
    ]
    return [(found[a], found[b]) for a, b in zip(*batch.pairs, strict=True)]


@columnwise("number_value_match", "agreement", "TakeLab f2, on values")
def number_value_match(batch: Batch) -> Column:
    """F1 of the numbers shared by value; 1 if there is none, 0 if one side has none."""
    return np.array([set_f1(a, b) for a, b in _values_of_sides(batch)], np.float64)


@columnwise("number_conflict", "agreement", "Dagan et al. (2006), RTE: numbers that differ")
def number_conflict(batch: Batch) -> Column:
    """1 if each side has a number that the other has not; else 0."""
    sides = _values_of_sides(batch)
    return np.array([bool(a - b) and bool(b - a) for a, b in sides], np.float64)


AMOUNTS_DIFFER = "after Dagan et al. (2006), RTE: amounts that differ"

Amounts = tuple[Amount, ...]


def quantity_differences(a: Sentence, b: Sentence) -> tuple[Difference, ...]:
    """The amounts that exclude each other: "3 million dollars ≠ 3 billion dollars"."""
    left, right = amounts(a), amounts(b)
    return (*amount_differences(left, right), *_one_and_many(a, b, left, right))


def _one_and_many(a: Sentence, b: Sentence, left: Amounts, right: Amounts) -> list[Difference]:
    """A count on one side where the other has one by its article: "a dog" and "two dogs"."""
    found = []
    for some, own, other, turned in ((left, a, b, False), (right, b, a, True)):
        counts = {x.of: x for x in some if COUNT in x.dimensions and x.of}
        theirs = {x.of for x in (right if own is a else left)}
        alone = single_nouns(other) if counts else {}
        for noun in counts.keys() & alone.keys() - theirs - single_nouns(own).keys():
            many = counts[noun]
            if many.readings[0].low >= 2:
                sides = (alone[noun], many.text) if turned else (many.text, alone[noun])
                found.append(Difference(*sides, 0.5))
    return found


@once
def _with_numbers(batch: Batch) -> list[bool]:
    return list(batch.tokens(numeric).sequences.lengths > 0)


@columnwise("quantity_match", "agreement", AMOUNTS_DIFFER)
def quantity_match(batch: Batch) -> Column:
    """F1 of the amounts shared by value; 1 if there is none, 0 if only one side has some."""
    some = _with_numbers(batch)
    found = [amounts(s) if has else () for s, has in zip(batch.sentences, some, strict=True)]
    pairs = zip(*batch.pairs, strict=True)
    return np.array([matched_f1(found[a], found[b], same_amount) for a, b in pairs], np.float64)


def _article(token: str) -> str | None:
    return token if token.lower() in ("a", "an") else None


def _is_measure(token: str) -> bool:
    """Whether a token is a unit, or has digits and letters, which may be a number and its noun."""
    if token.lower() in UNITS:
        return True
    return not token.isalpha() and any(map(str.isalpha, token)) and any(map(str.isnumeric, token))


def _may_differ(batch: Batch) -> Flags:
    """(n,) the pairs with a number on one side, and a number or the "a" of such a thing on the other."""
    left, right = batch.sides(np.array(_with_numbers(batch), bool))
    one, other = batch.sides(batch.tokens(may_be_number).sequences.lengths > 0)
    article, another = batch.sides(batch.tokens(_article).sequences.lengths > 0)
    told = (bags_of(batch, "noun lemmas", 1).shared(batch) > 0) | either(_is_measure)(batch)
    return np.asarray((left & (other | (another & told))) | (right & (one | (article & told))))


@pairwise("quantity_conflict", "agreement", AMOUNTS_DIFFER, where=_may_differ)
def quantity_conflict(a: Sentence, b: Sentence) -> float:
    """How far apart the amounts are that exclude each other, 0.5 to 1; 0 if none do."""
    return worst(quantity_differences(a, b))


_SHORT = lexicon.table("short day or month")
_NAMES = frozenset(_SHORT.values())
_AMBIGUOUS = frozenset("may march mar sat sun wed".split())
_RELATIVE = frozenset("today yesterday tomorrow tonight".split())
_YEAR = re.compile(r"(?:1[89]|20)\d\d")


def date(token: str) -> str | None:
    """The weekday, month, year, "today" or the like that a token names, in full; None otherwise.

    "may", "march", "mar", "sat", "sun" and "wed" are also common words, and must be capitalised.
    """
    word = token.lower()
    full = _SHORT.get(word.rstrip("."), word)
    if full in _NAMES and (token[0].isupper() or word not in _AMBIGUOUS):
        return full
    return word if word in _RELATIVE or _YEAR.fullmatch(word) else None


@columnwise("date_match", "agreement", "Dagan et al. (2006), RTE: dates")
def date_match(batch: Batch) -> Column:
    """F1 of the distinct dates shared; 1 if neither side has one, 0 if only one side has."""
    return count(batch.tokens(date).sequences, 1).distinct().dice(batch, neither=1.0)


DATES_DIFFER = "after Dagan et al. (2006), RTE: dates that differ"

Dates = tuple[Moment, ...]


def calendar_differences(a: Sentence, b: Sentence) -> tuple[Difference, ...]:
    """The dates and times that exclude each other: "Monday ≠ Tuesday"."""
    return tuple(moment_differences(moments(a), moments(b)))


@once
def _moments(batch: Batch) -> list[tuple[Dates, Dates]]:
    some = batch.tokens(may_be_date).sequences.lengths > 0
    found = [moments(s) if has else () for s, has in zip(batch.sentences, some, strict=True)]
    return [(found[a], found[b]) for a, b in zip(*batch.pairs, strict=True)]


@columnwise("calendar_match", "agreement", DATES_DIFFER)
def calendar_match(batch: Batch) -> Column:
    """F1 of the dates and times that may be the same; 1 without any, 0 if only one side has one."""
    return np.array([matched_f1(a, b, same_moment) for a, b in _moments(batch)], np.float64)


@pairwise("calendar_conflict", "agreement", DATES_DIFFER, where=both(may_be_date))
def calendar_conflict(a: Sentence, b: Sentence) -> float:
    """1 if each side has a date or time of one kind that the other lacks; else 0."""
    return worst(calendar_differences(a, b))
