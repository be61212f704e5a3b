"""Dates and times by what they mean: 3 May 2020 is 2020-05-03, 5 pm is 17:00.

A date that says less excludes nothing ("in May", "on May 3"). Not known: the weekday of a date,
time zones, dates reckoned from another ("two days later"), feasts that move.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from features.batch import Batch, Column, once
from features.measures.formulas import f1
from features.measures.values.moments import Moment, moments, timely
from features.measures.values.sameness import moment_differences, same_moment
from features.measures.values.value_differences import Difference, worst
from features.registry import columnwise, pairwise
from sts.text.analysis import Sentence

RTE = "after Dagan et al. (2006), RTE: dates that differ"

Found = tuple[Moment, ...]


def calendar_differences(a: Sentence, b: Sentence) -> tuple[Difference, ...]:
    """The dates and times that exclude each other: "Monday ≠ Tuesday"."""
    return tuple(moment_differences(moments(a), moments(b)))


@once
def _moments(batch: Batch) -> list[tuple[Found, Found]]:
    """The moments of both sides of each pair; most sentences hold no word that could be one."""
    some = batch.tokens(timely).sequences.lengths > 0
    found = [moments(s) if has else () for s, has in zip(batch.sentences, some, strict=True)]
    return [(found[a], found[b]) for a, b in zip(*batch.pairs, strict=True)]


def _match(left: Found, right: Found) -> float:
    if not left or not right:
        return float(not left and not right)
    return f1(
        sum(any(same_moment(x, y) for y in right) for x in left) / len(left),
        sum(any(same_moment(x, y) for x in left) for y in right) / len(right),
    )


@columnwise("calendar_match", "agreement", RTE)
def calendar_match(batch: Batch) -> Column:
    """F1 of the dates and times that may be the same; 1 without any, 0 if only one side has one."""
    return np.array([_match(a, b) for a, b in _moments(batch)], np.float64)


def _both_timely(batch: Batch) -> NDArray[np.bool_]:
    """(n,) the pairs whose sides both have a word that may belong to a date or a time."""
    left, right = batch.sides(batch.tokens(timely).sequences.lengths > 0)
    return np.asarray(left & right)


@pairwise("calendar_conflict", "agreement", RTE, where=_both_timely)
def calendar_conflict(a: Sentence, b: Sentence) -> float:
    """1 if each side has a date or time of one kind that the other lacks; else 0."""
    return worst(calendar_differences(a, b))
