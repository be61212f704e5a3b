"""How long the sentences are, and how much they say."""

from __future__ import annotations

import numpy as np

from features.batch import Batch, Column
from features.families import TAKELAB
from features.measures.counts import bags_of
from features.measures.formulas import relative_differences
from features.registry import columnwise


@columnwise("relative_len_difference", "length", f"{TAKELAB} f20")
def relative_len_difference(batch: Batch) -> Column:
    """Relative difference of the number of content words."""
    lengths = batch.view("content").sequences.lengths.astype(np.float64)
    return relative_differences(*(lengths[side] for side in batch.pairs))


@columnwise("relative_ic_difference", "length", f"{TAKELAB} f21")
def relative_ic_difference(batch: Batch) -> Column:
    """Relative difference of the information content of all words."""
    totals = bags_of(batch, "words").totals(batch.information("words"))
    return relative_differences(*(totals[side] for side in batch.pairs))


@columnwise("relative_character_difference", "length", "plain count")
def relative_character_difference(batch: Batch) -> Column:
    """Relative difference of the number of characters."""
    lengths = batch.characters.lengths.astype(np.float64)
    return relative_differences(*(lengths[side] for side in batch.pairs))


@columnwise("information_density", "length", "information content by word", high=18.5)
def information_density(batch: Batch) -> Column:
    """Information a word, both sides together, in nats: what kind of text this is; 0 if none."""
    totals = bags_of(batch, "words").totals(batch.information("words"))
    counts = batch.view("words").sequences.lengths
    left, right = batch.pairs
    both = (counts[left] + counts[right]).astype(np.float64)
    return np.divide(totals[left] + totals[right], both, out=np.zeros(len(both)), where=both > 0)


@columnwise("shorter_length", "length", "plain count", high=8.0)
def shorter_length(batch: Batch) -> Column:
    """log(1 + words) of the shorter side."""
    lengths = batch.view("words").sequences.lengths
    shorter: Column = np.log1p(np.minimum(*(lengths[side] for side in batch.pairs)))
    return shorter
