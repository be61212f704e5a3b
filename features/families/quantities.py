"""Amounts by what they are worth: 5 km is 5,000 m, $1,000,000 is 1 million dollars.

Numbers with a unit are compared in one unit a dimension, numbers with a noun by the noun, numbers
in a name ("Room 101") as they are. "About", "at least", ranges and rounding make a match easier.
Not known: currencies into each other, prices per piece, sums ("two men and a woman", "three
people"), numbers that a sentence only implies.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from features.batch import Batch, Column, once
from features.measures.counts import bags_of
from features.measures.formulas import f1
from features.measures.values.amounts import COUNT, Amount, amounts, singles
from features.measures.values.numerals import hopeful, numeric
from features.measures.values.sameness import amount_differences, same_amount
from features.measures.values.units import UNITS
from features.measures.values.value_differences import Difference, worst
from features.registry import columnwise, pairwise
from sts.text.analysis import Sentence

RTE = "after Dagan et al. (2006), RTE: amounts that differ"

Found = tuple[Amount, ...]


def quantity_differences(a: Sentence, b: Sentence) -> tuple[Difference, ...]:
    """The amounts that exclude each other: "3 million dollars ≠ 3 billion dollars"."""
    left, right = amounts(a), amounts(b)
    return (*amount_differences(left, right), *_one_and_many(a, b, left, right))


def _one_and_many(a: Sentence, b: Sentence, left: Found, right: Found) -> list[Difference]:
    """A count on one side where the other has one by its article: "a dog" and "two dogs"."""
    found = []
    for some, own, other, turned in ((left, a, b, False), (right, b, a, True)):
        counts = {x.of: x for x in some if COUNT in x.dimensions and x.of}
        theirs = {x.of for x in (right if own is a else left)}
        alone = singles(other) if counts else {}
        for noun in counts.keys() & alone.keys() - theirs - singles(own).keys():
            many = counts[noun]
            if many.readings[0].low >= 2:
                sides = (alone[noun], many.text) if turned else (many.text, alone[noun])
                found.append(Difference(*sides, 0.5))
    return found


def _match(left: Found, right: Found) -> float:
    """F1 of the amounts that the other side has too."""
    if not left or not right:
        return float(not left and not right)
    return f1(
        sum(any(same_amount(x, y) for y in right) for x in left) / len(left),
        sum(any(same_amount(x, y) for x in left) for y in right) / len(right),
    )


@once
def _with_numbers(batch: Batch) -> list[bool]:
    """Of each distinct sentence, whether any token may belong to a number."""
    return list(batch.tokens(numeric).sequences.lengths > 0)


@columnwise("quantity_match", "agreement", RTE)
def quantity_match(batch: Batch) -> Column:
    """F1 of the amounts shared by value; 1 if there is none, 0 if only one side has some."""
    some = _with_numbers(batch)
    found = [amounts(s) if has else () for s, has in zip(batch.sentences, some, strict=True)]
    pairs = zip(*batch.pairs, strict=True)
    return np.array([_match(found[a], found[b]) for a, b in pairs], np.float64)


def _article(token: str) -> str | None:
    return token if token.lower() in ("a", "an") else None


def _is_measure(token: str) -> bool:
    """Whether a token is a unit, or has digits and letters, which may be a number and its noun."""
    if token.lower() in UNITS:
        return True
    return not token.isalpha() and any(map(str.isalpha, token)) and any(map(str.isnumeric, token))


def _worth_reading(batch: Batch) -> NDArray[np.bool_]:
    """(n,) the pairs with a number on one side and another, or one of a thing, on the other."""
    left, right = batch.sides(np.array(_with_numbers(batch), bool))
    one, other = batch.sides(batch.tokens(hopeful).sequences.lengths > 0)
    article, another = batch.sides(batch.tokens(_article).sequences.lengths > 0)
    measured, also = batch.sides(batch.may_hold(_is_measure))
    told = (bags_of(batch, "noun lemmas", 1).shared(batch) > 0) | measured | also
    return np.asarray((left & (other | (another & told))) | (right & (one | (article & told))))


@pairwise("quantity_conflict", "agreement", RTE, where=_worth_reading)
def quantity_conflict(a: Sentence, b: Sentence) -> float:
    """How far apart the amounts are that exclude each other, 0.5 to 1; 0 if none do."""
    return worst(quantity_differences(a, b))
