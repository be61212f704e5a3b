"""Numbers, amounts, dates and times that two sentences share, and those that exclude each other.

Amounts with a unit are compared in one unit per dimension, amounts with a noun by the noun, numbers
in a name ("Room 101") as they are. A date that says less excludes nothing ("in May", "on May 3").
Not covered: exchange rates, prices per piece, sums, the weekday of a date, time zones, dates
relative to another ("two days later").
"""

from __future__ import annotations

import numpy as np

from semaniacs.features.batch import Batch, Column, Flags, both, either, matched_f1, once
from semaniacs.features.measures.amounts import COUNT, Amount, amounts, single_nouns
from semaniacs.features.measures.counts import bags_of
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
from semaniacs.features.registry import columnwise, pairwise
from semaniacs.sts.text.analysis import Sentence
from semaniacs.sts.text.units import UNITS

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
