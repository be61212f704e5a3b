"""Weekdays, months and years."""

from __future__ import annotations

import re

from features import lexicon
from features.batch import Batch, Column
from features.measures.counts import count
from features.registry import columnwise

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
