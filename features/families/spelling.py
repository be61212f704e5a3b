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
def _respelled(batch: Batch) -> list[tuple[str, str]]:
    return [respell(a.text, b.text) for a, b in zip(batch.left, batch.right, strict=True)]


@columnwise("spelled_match", "weighted", SOURCE)
def spelled_match(batch: Batch) -> Column:
    """F1 of the information of the content words shared, one spelling each; 1 without any."""
    column = _as_spelled(batch)
    sides = zip(batch.left, batch.right, strict=True)
    for place, ((a, b), (c, d)) in enumerate(zip(sides, _respelled(batch), strict=True)):
        if (a.text, b.text) != (c, d):
            column[place] = _match(_content(c), _content(d))
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
    found = [
        (_content(a.text)[0] | _content(b.text)[0], _content(c)[0] | _content(d)[0])
        for a, b, (c, d) in zip(batch.left, batch.right, _respelled(batch), strict=True)
    ]
    return np.array([len(x - y) / max(1, len(x)) for x, y in found], np.float64)
