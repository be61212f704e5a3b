"""Character n-grams: similarity of spelling, inflection and compounds."""

from __future__ import annotations

import numpy as np

from features.batch import Batch, Column
from features.measures.counts import character_bags
from features.measures.formulas import ratio
from features.registry import columnwise

DICE = "Dice (1945), on character n-grams as in Bär et al. (2012), UKP, 3.1"


def _register(n: int) -> None:
    @columnwise(f"character_{n}gram", "characters", DICE)
    def column(batch: Batch) -> Column:
        """F1 of the character n-grams shared, each as often as it occurs; 0 if a side has none."""
        return character_bags(batch, n).dice(batch)


for _n in (2, 3, 4, 5):
    _register(_n)


@columnwise("chrf", "machine_translation", "Popović (2015), chrF1: n from 1 to 6, β = 1")
def chrf(batch: Batch) -> Column:
    """Harmonic mean of the average character n-gram precision and recall, n from 1 to 6.

    β = 1 makes it symmetric. As in the reference implementation, an n longer than either text is
    left out of the average. Between words stands one blank, which counts as a character.
    """
    precision, recall, orders = (np.zeros(len(batch)) for _ in range(3))
    for n in range(1, 7):
        bags = character_bags(batch, n)
        left, right = batch.sides(bags.totals())
        shared = bags.shared(batch)
        precision += ratio(shared, left)
        recall += ratio(shared, right)
        orders += (left > 0) & (right > 0)
    return ratio(2 * precision * recall, (precision + recall) * np.maximum(orders, 1))
