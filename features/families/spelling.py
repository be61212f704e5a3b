"""Words in common once both sides spell them alike: "recieved teh pakage", "colour", "can't".

See :func:`.respell` for what counts as one word. Not known: words that are misspelled on both
sides, slips that make another word ("form" for "from"), misspelled names.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from features.batch import Batch, Column, once
from features.measures.counts import bags_of
from features.measures.formulas import f1, ratio, where_empty
from features.measures.information import information
from features.measures.values.spelled import respell
from features.measures.values.spelled_columns import may_differ
from features.registry import columnwise
from sts.text.tokenizer import STOP_WORDS, words

SOURCE = "after Damerau (1964): one slip a word"

Weighed = tuple[frozenset[str], float]


@lru_cache(maxsize=1 << 16)
def _content(text: str) -> Weighed:
    """The content words of a text, and their information to 2⁻¹⁶ nats, so that sums are exact."""
    found = frozenset(words(text)) - STOP_WORDS
    return found, _weight(found)


def _weight(some: frozenset[str]) -> float:
    return sum(round(information(word) * 2**16) for word in some) / 2**16


@once
def _respelled(batch: Batch) -> dict[int, tuple[str, str]]:
    """The pairs that spell a word in two ways, by their places, with one spelling each."""
    found = {}
    for place in np.flatnonzero(may_differ(batch)).tolist():
        sides = batch.left[place].text, batch.right[place].text
        respelled = respell(*sides)
        if respelled != sides:
            found[place] = respelled
    return found


@columnwise("spelled_match", "weighted", SOURCE)
def spelled_match(batch: Batch) -> Column:
    """F1 of the information of the content words shared, one spelling each; 1 without any."""
    column = _as_spelled(batch)
    for place, (left, right) in _respelled(batch).items():
        column[place] = _match(_content(left), _content(right))
    return column


def _as_spelled(batch: Batch) -> Column:
    """(n,) the same of the words as they are written."""
    bags, weights = bags_of(batch, "content", 1).distinct(), batch.information("content")
    left, right = batch.sides(bags.totals(weights))
    shared = bags.shared(batch, weights)
    precision, recall = ratio(shared, left), ratio(shared, right)
    some, other = batch.sides(bags.totals())
    return where_empty(ratio(2 * precision * recall, precision + recall), some, other, neither=1.0)


def _match(left: Weighed, right: Weighed) -> float:
    if not left[0] or not right[0]:
        return float(not left[0] and not right[0])
    shared = _weight(left[0] & right[0])
    return f1(shared / left[1], shared / right[1]) if left[1] and right[1] else 0.0


@columnwise("spelling_difference", "characters", SOURCE)
def spelling_difference(batch: Batch) -> Column:
    """The share of content words of both sides that the sides spell in two ways."""
    column = np.zeros(len(batch))
    for place, (left, right) in _respelled(batch).items():
        words, others = _both(batch.left[place].text, batch.right[place].text), _both(left, right)
        column[place] = len(words - others) / max(1, len(words))
    return column


def _both(left: str, right: str) -> frozenset[str]:
    return _content(left)[0] | _content(right)[0]
