"""Weekdays, months and years."""

from __future__ import annotations

import re

import numpy as np

from features.batch import Batch, Column
from features.measures.counts import count, dice
from features.registry import columnwise

_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_MONTHS = (
    "january february march april may june july august september october november december"
).split()
_SHORT = {name[:3]: name for name in (*_DAYS, *_MONTHS)} | {
    "sept": "september", "tues": "tuesday", "thur": "thursday", "thurs": "thursday",
}  # fmt: skip
_AMBIGUOUS = frozenset("may march mar sat sun wed".split())
_RELATIVE = frozenset("today yesterday tomorrow tonight".split())
_YEAR = re.compile(r"(?:1[89]|20)\d\d")


def date(token: str) -> str | None:
    """The weekday, month, year or "yesterday" that a token names.

    "may", "sat", "sun", "march" only if capitalised: they are words as well.
    """
    word = token.lower()
    full = _SHORT.get(word.rstrip("."), word)
    if (full in _DAYS or full in _MONTHS) and (token[0].isupper() or word not in _AMBIGUOUS):
        return full
    return word if word in _RELATIVE or _YEAR.fullmatch(word) else None


@columnwise("date_match", "agreement", "Dagan et al. (2006), RTE: dates")
def date_match(batch: Batch) -> Column:
    """F1 of the dates shared; 1 if there is none, 0 if one side has none."""
    bags = count(batch.tokens("dates", date).sequences, 1).distinct()
    left, right = (bags.totals()[side] for side in batch.pairs)
    return np.where(left + right == 0, 1.0, dice(bags.shared(batch), left, right))
