"""Character n-grams: likeness below the word, in spelling, inflection and compounds."""

from __future__ import annotations

import numpy as np

from features.batch import Batch, Column
from features.measures.counts import character_bags, dice
from features.registry import columnwise

DICE = "Dice (1945), on character n-grams as in Bär et al. (2012), UKP, 3.1"


def _register(n: int) -> None:
    @columnwise(f"character_{n}gram", "characters", DICE)
    def column(batch: Batch) -> Column:
        """F1 of the character n-grams shared, each as often as it occurs."""
        bags = character_bags(batch, n)
        left, right = (bags.totals()[side] for side in batch.pairs)
        return dice(bags.shared(batch), left, right)


for _n in (2, 3, 4, 5):
    _register(_n)


@columnwise("chrf", "machine_translation", "Popović (2015), chrF1: n from 1 to 6, β = 1")
def chrf(batch: Batch) -> Column:
    """Harmonic mean of the average character n-gram precision and recall, n from 1 to 6.

    β = 1 makes it symmetric. As in its reference implementation, orders that are
    longer than a side do not count. Blanks are kept, one between words.
    """
    precision, recall, orders = (np.zeros(len(batch)) for _ in range(3))
    for n in range(1, 7):
        bags = character_bags(batch, n)
        left, right = (bags.totals()[side] for side in batch.pairs)
        shared = bags.shared(batch)
        there = (left > 0) & (right > 0)
        precision += np.divide(shared, left, out=np.zeros(len(batch)), where=there)
        recall += np.divide(shared, right, out=np.zeros(len(batch)), where=there)
        orders += there
    both = (precision + recall) * np.maximum(orders, 1)
    return np.divide(2 * precision * recall, both, out=np.zeros(len(batch)), where=both > 0)
