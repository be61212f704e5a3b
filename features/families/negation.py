"""Whether both sentences deny the same."""

from __future__ import annotations

import numpy as np

from features import lexicon
from features.batch import Batch, Column
from features.families import MANY
from features.measures.counts import bags_of
from features.registry import columnwise

NEGATIONS = lexicon.words("negation")
"""Words that deny, chosen by hand."""


def negations(batch: Batch) -> tuple[Column, Column]:
    """(n,) how many words of each side deny something."""
    denies = batch.view("words").weigh(lambda word: float(word in NEGATIONS))
    return batch.sides(bags_of(batch, "words", 1).totals(denies))


@columnwise("negation_match", "agreement", "after Marelli et al. (2014), SICK, 3: negation")
def negation_match(batch: Batch) -> Column:
    """1 if both sides deny an even, or both an odd, number of times; else 0."""
    left, right = negations(batch)
    return np.asarray(left % 2 == right % 2, np.float64)


@columnwise("negation_count", "agreement", "after Marelli et al. (2014), SICK, 3", high=MANY)
def negation_count(batch: Batch) -> Column:
    """|n₁ − n₂| of the words that deny, at most 6."""
    left, right = negations(batch)
    return np.minimum(np.abs(left - right), MANY)
