"""Small formulas that several families share, and the information content of a word."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from functools import cache, lru_cache
from math import log
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from semaniacs.sts.text.analysis import frequency

RAREST = 1e-8  # frequency given to words that wordfreq does not list: below its smallest figure


HIGHEST_INFORMATION = 18.5  # nats above that of every word


@lru_cache(maxsize=1 << 18)
def information(word: str) -> float:
    """Information content −ln p(word) in nats, from 0 to 18.5, by wordfreq's English counts.

    TakeLab took p from the Google Books n-grams (Šarić et al., 2012, 2.3).
    """
    return -log(max(frequency(word), RAREST))


FREQUENT = 130  # words of a language that count as its function words


@cache
def frequencies(code: str) -> dict[str, float]:
    """Return how frequent the words of a language are in wordfreq's small list."""
    from wordfreq import get_frequency_dict

    return dict(get_frequency_dict(code, wordlist="small"))


@cache
def frequent(code: str) -> frozenset[str]:
    """The most frequent words of a language."""
    listed = frequencies(code)
    words = sorted((w for w in listed if w.isalpha()), key=lambda w: (-listed[w], w))
    return frozenset(words[:FREQUENT])


Column = NDArray[np.float64]
T = TypeVar("T")
Real = TypeVar("Real", np.float32, np.float64)


def f1(precision: float, recall: float) -> float:
    """Harmonic mean of two numbers in [0, 1]; 0 if both are 0."""
    total = precision + recall
    return 2 * precision * recall / total if total > 0 else 0.0


def set_f1(a: frozenset[Any], b: frozenset[Any]) -> float:
    """F1 of what two sets share; 1 if both are empty, 0 if one is."""
    if not a or not b:
        return float(not a and not b)
    return f1(len(a & b) / len(a), len(a & b) / len(b))


def shares_matched(
    a: Collection[T], b: Collection[T], same: Callable[[T, T], bool]
) -> tuple[float, float]:
    """Return the share of each side, neither of them empty, that has a match on the other."""
    return (
        sum(any(same(x, y) for y in b) for x in a) / len(a),
        sum(any(same(x, y) for x in a) for y in b) / len(b),
    )


def matched_f1(a: Collection[T], b: Collection[T], same: Callable[[T, T], bool]) -> float:
    """F1 of what has a match on the other side; 1 if both sides are empty, 0 if one is."""
    return f1(*shares_matched(a, b, same)) if a and b else float(not a and not b)


def compressed_count(*counts: int) -> float:
    """log(1 + Σ counts): how many there are, large numbers counting less and less."""
    return math.log1p(sum(counts))


def ratio(a: NDArray[Any], b: NDArray[Any], otherwise: float = 0.0) -> Column:
    """a / b of (n,) numbers each; ``otherwise`` where b is 0."""
    quotients = np.full(len(b), otherwise)
    np.divide(a, b, out=quotients, where=b > 0)
    return quotients


def relative_differences(a: Column, b: Column) -> Column:
    """|a − b| / max(a, b) of (n,) numbers each, in [0, 1]; 0 where both are 0."""
    return ratio(np.abs(a - b), np.maximum(a, b))


def where_empty(
    column: Column,
    left: NDArray[Any],
    right: NDArray[Any],
    *,
    neither: float = 0.0,
    one: float = 0.0,
) -> Column:
    """The (n,) column, but ``neither`` where both sides are empty, and ``one`` where one is.

    ``left`` and ``right`` are (n,) sizes of the sides.
    """
    column = np.where((left == 0) & (right == 0), neither, column)
    return np.where((left == 0) != (right == 0), one, column)


def rounded(numbers: NDArray[Real], bits: int) -> NDArray[Real]:
    """Return the numbers as multiples of 2⁻ᵇⁱᵗˢ, so that sums of products of two are exact.

    float64 has 53 bits: a product of two such numbers takes 2 · bits behind the point. So a sum is
    the same in any order, on any processor, interpreted or compiled.
    """
    scale = numbers.dtype.type(2**bits)
    found: NDArray[Real] = np.rint(numbers * scale) / scale
    return found
