"""How long the sentences are, and how much they say."""

from __future__ import annotations

import numpy as np

from features.batch import Batch, Column
from features.families import TAKELAB
from features.measures.counts import bags_of
from features.measures.formulas import ratio, relative_differences
from features.registry import columnwise


@columnwise("relative_len_difference", "length", f"{TAKELAB} f20")
def relative_len_difference(batch: Batch) -> Column:
    """Relative difference of the number of content words."""
    lengths = batch.view("content").sequences.lengths.astype(np.float64)
    return relative_differences(*batch.sides(lengths))


@columnwise("relative_ic_difference", "length", f"{TAKELAB} f21")
def relative_ic_difference(batch: Batch) -> Column:
    """Relative difference of the information content of all words."""
    totals = bags_of(batch, "words", 1).totals(batch.information("words"))
    return relative_differences(*batch.sides(totals))


@columnwise("relative_character_difference", "length", "plain count")
def relative_character_difference(batch: Batch) -> Column:
    """Relative difference of the number of characters."""
    lengths = batch.characters.lengths.astype(np.float64)
    return relative_differences(*batch.sides(lengths))


@columnwise("information_density", "length", "information content by word", high=18.5)
def information_density(batch: Batch) -> Column:
    """Information a word, both sides together, in nats: what kind of text this is; 0 if none."""
    totals = bags_of(batch, "words", 1).totals(batch.information("words"))
    counts = batch.view("words").sequences.lengths.astype(np.float64)
    return ratio(np.add(*batch.sides(totals)), np.add(*batch.sides(counts)))


@columnwise("shorter_length", "length", "plain count", high=8.0)
def shorter_length(batch: Batch) -> Column:
    """log(1 + words) of the shorter side."""
    lengths = batch.view("words").sequences.lengths
    return np.asarray(np.log1p(np.minimum(*batch.sides(lengths))), np.float64)
