"""Numbers by their value: "two", "2nd", "1.5bn", "3 million"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from features import lexicon
from features.batch import Batch, Column, once
from features.measures.counts import bags_of
from features.measures.formulas import set_f1
from features.registry import columnwise
from sts.text.analysis import Sentence
from sts.text.tokenizer import is_word

_WORTH = lexicon.numbers("number of the plain reader")
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
    """The value of one word, "m" being million; None if it is no number."""
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
    """The values in both sides of each pair; most sentences hold no word that could be one."""
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
