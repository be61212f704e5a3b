"""Numbers by their value: "two", "2nd", "1.5bn", "3 million"."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from features.batch import Batch, Column
from features.measures.counts import count
from features.measures.formulas import f1
from features.registry import columnwise
from sts.text.analysis import Sentence

CACHED = 1 << 16


_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_WORTH = (
    {word: float(n) for n, word in enumerate(_UNITS)}
    | {word: 10.0 * n for n, word in enumerate(_TENS, start=2)}
    | {word: float(n) for n, word in enumerate(_ORDINALS, start=1)}
    | {"dozen": 12.0, "half": 0.5, "both": 2.0, "twice": 2.0, "once": 1.0}
)
_SCALES = {
    "hundred": 1e2, "hundreds": 1e2, "thousand": 1e3, "thousands": 1e3, "k": 1e3,
    "million": 1e6, "millions": 1e6, "mn": 1e6, "m": 1e6, "mln": 1e6,
    "billion": 1e9, "billions": 1e9, "bn": 1e9, "bln": 1e9, "b": 1e9,
    "trillion": 1e12, "tn": 1e12,
}  # fmt: skip
_DIGITS = re.compile(r"(\d+(?:[.,]\d+)*)(st|nd|rd|th|s)?")
_AMOUNT = re.compile(r"(\d+(?:[.,]\d+)*)(k|m|mn|mln|bn|bln|b|tn)")


@lru_cache(maxsize=CACHED)
def values(sentence: Sentence) -> frozenset[float]:
    """What the numbers of a sentence are worth: "two", "2nd", "1.5bn", "3 million"."""
    found: list[float] = []
    follows = False  # whether the word before was a number, which a scale then multiplies
    tens = False  # whether it was twenty, thirty, …, to which a unit is added
    for word in sentence.words:
        scale = _SCALES.get(word)
        if scale is not None and (follows or len(word) > 3):
            found.append(found.pop() * scale if follows and found else scale)
            tens = False
            continue
        value = _value(word)
        if value is None:
            follows = False
        elif tens and word in _WORTH and 0 < value < 10:
            found[-1] += value
        else:
            found.append(value)
            follows = True
        tens = word in _TENS
    return frozenset(round(value, 6) for value in found)  # 4.1 · 10⁹ is not 4.1bn's float


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


def _values_of_sides(batch: Batch) -> list[tuple[frozenset[float], frozenset[float]]]:
    """The values in both sides of each pair; most sentences hold no word that could be one."""

    def make() -> list[tuple[frozenset[float], frozenset[float]]]:
        view = batch.view("words")
        numeric = view.weigh(lambda word: float(word in _SCALES or _value(word) is not None))
        some = count(view.sequences, 1).totals(numeric) > 0
        none: frozenset[float] = frozenset()
        found = [values(s) if any_ else none for s, any_ in zip(batch.sentences, some, strict=True)]
        left, right = batch.pairs
        return [(found[a], found[b]) for a, b in zip(left, right, strict=True)]

    return batch.once("values", make)


@columnwise("number_value_match", "agreement", "TakeLab f2, on values")
def number_value_match(batch: Batch) -> Column:
    """F1 of the numbers shared by value; 1 if there is none, 0 if one side has none."""
    return np.array([_agreement(a, b) for a, b in _values_of_sides(batch)], np.float64)


@columnwise("number_conflict", "agreement", "Dagan et al. (2006), RTE: numbers that differ")
def number_conflict(batch: Batch) -> Column:
    """1 if each side has a number that the other has not; else 0."""
    sides = _values_of_sides(batch)
    return np.array([bool(a - b) and bool(b - a) for a, b in sides], np.float64)


def _agreement(a: frozenset[float], b: frozenset[float]) -> float:
    if not a and not b:
        return 1.0
    if not a or not b:
        return 0.0
    return f1(len(a & b) / len(a), len(a & b) / len(b))
