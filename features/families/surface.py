"""Numbers, capitalised words, stock symbols and determiners that both sentences share."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from features.batch import Batch, Column
from features.families import DCU, MANY, TAKELAB
from features.measures.counts import bags_of
from features.measures.formulas import compressed_count, f1, relative_differences, set_f1
from features.registry import columnwise, pairwise
from sts.text.analysis import Sentence

Found = frozenset[str]

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_STOCK = re.compile(r"\.[A-Z]+")


@lru_cache(maxsize=1 << 16)
def numbers(sentence: Sentence) -> Found:
    """The tokens that are numbers, without their thousands marks."""
    return frozenset([token.replace(",", "") for token in sentence.tokens if _is_number(token)])


def _is_number(token: str) -> bool:
    return token[0].isdigit() and _NUMBER.fullmatch(token) is not None


@lru_cache(maxsize=1 << 16)
def names(sentence: Sentence) -> Found:
    """Capitalised tokens after the first, abbreviations with a dot left out."""
    return frozenset(filter(_has_capital, sentence.tokens[1:]))


@lru_cache(maxsize=1 << 18)
def _has_capital(token: str) -> bool:
    return token[0].isupper() and not token.endswith(".")


@lru_cache(maxsize=1 << 16)
def stocks(sentence: Sentence) -> Found:
    """Stock index symbols such as ``.DJI``."""
    return frozenset(filter(_is_stock, sentence.tokens))


def _is_stock(token: str) -> bool:
    return token[0] == "." and _STOCK.fullmatch(token) is not None


Flags = NDArray[np.bool_]


def _with_numbers(batch: Batch) -> Flags:
    """(n,) the pairs with a number on either side."""
    left, right = batch.sides(batch.may_hold(_is_number))
    return np.asarray(left | right)


def _with_stocks(batch: Batch) -> Flags:
    """(n,) the pairs with a stock index symbol on either side."""
    left, right = batch.sides(batch.may_hold(_is_stock))
    return np.asarray(left | right)


def same_number(a: str, b: str) -> bool:
    """Whether two numbers agree to the precision of the less precise one.

    65, 65.2 and 65.234 agree with each other; 65.24 and 65.25 do not, nor do
    0.9 and 1: cut to whole numbers, one of them is 0.
    """
    if a == b:
        return True
    try:
        x, y = float(a), float(b)
    except ValueError:  # 1.2.3 is a version or a date, equal only to itself
        return False
    if math.isinf(x) or math.isinf(y):  # more than 308 digits
        return False
    if (int(x) == 0 or int(y) == 0) and int(x) != int(y):
        return False
    digits = min(_decimals(a), _decimals(b))
    if digits == 0:
        return int(x) == int(y) or round(x) == round(y)
    return int(x) == int(y) and abs(round(x, digits) - round(y, digits)) < 1e-9


def _decimals(number: str) -> int:
    return len(number.partition(".")[2])


def _shares(a: Sentence, b: Sentence) -> tuple[float, float]:
    """Share of the numbers of each sentence that the other has too; both have some."""
    left, right = numbers(a), numbers(b)
    return (
        sum(any(same_number(x, y) for y in right) for x in left) / len(left),
        sum(any(same_number(x, y) for x in left) for y in right) / len(right),
    )


@pairwise("number_count", "numbers", f"{TAKELAB} f1", high=MANY, where=_with_numbers)
def number_count(a: Sentence, b: Sentence) -> float:
    """log(1 + |N₁| + |N₂|)."""
    return compressed_count(len(numbers(a)), len(numbers(b)))


@pairwise("number_match", "numbers", f"{TAKELAB} f2", where=_with_numbers, elsewhere=1.0)
def number_match(a: Sentence, b: Sentence) -> float:
    """F1 of the numbers shared; 1 if there is none at all, 0 if only one side has some."""
    if not numbers(a) and not numbers(b):
        return 1.0
    if not numbers(a) or not numbers(b):
        return 0.0
    return f1(*_shares(a, b))


@pairwise("number_subset", "numbers", f"{TAKELAB} f3", where=_with_numbers)
def number_subset(a: Sentence, b: Sentence) -> float:
    """1 if one side's numbers all stand in the other; 0 otherwise and if there are none."""
    if not numbers(a) and not numbers(b):
        return 0.0
    if not numbers(a) or not numbers(b):
        return 1.0
    return float(max(_shares(a, b)) == 1.0)


def _register(
    name: str,
    group: str,
    number: int,
    find: Callable[[Sentence], Found],
    where: Callable[[Batch], Flags] | None = None,
) -> None:
    @pairwise(f"{name}_count", group, f"{TAKELAB} f{number}", high=MANY, where=where)
    def count(a: Sentence, b: Sentence) -> float:
        """log(1 + how many there are on both sides)."""
        return compressed_count(len(find(a)), len(find(b)))

    @pairwise(f"{name}_match", group, f"{TAKELAB} f{number + 1}", where=where, elsewhere=1.0)
    def match(a: Sentence, b: Sentence) -> float:
        """F1 of those shared; 1 if a side has none."""
        left, right = find(a), find(b)
        return set_f1(left, right) if left and right else 1.0


_register("case", "names", 4, names)
_register("stock", "stocks", 6, stocks, _with_stocks)


@columnwise("det_1", "determiners", DCU)
def det_1(batch: Batch) -> Column:
    """F1 of the determiners shared; 1 if there is none at all, 0 if only one side has some.

    The paper names det_1 and det_2 and does not define them; this is our reading.
    """
    return bags_of(batch, "determiners", 1).dice(batch, neither=1.0)


@columnwise("det_2", "determiners", DCU)
def det_2(batch: Batch) -> Column:
    """Relative difference of the number of determiners (our reading, see :func:`det_1`)."""
    return relative_differences(*batch.sides(bags_of(batch, "determiners", 1).totals()))
