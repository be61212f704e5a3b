"""Words that stand in both sentences: n-grams, weighted matches, bag-of-words cosines."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from features.batch import Batch, Column
from features.families.counts import bags_of, cosines, dice
from features.families.numeric import relative_differences
from features.families.surface import DCU, TAKELAB
from features.registry import columnwise

RAREST = 1e-8
"""Frequency given to words that wordfreq does not list: below its smallest figure."""


@lru_cache(maxsize=1)
def frequencies() -> dict[str, float]:
    """wordfreq's share of each English word that it lists, from 1e-8 to 1."""
    from wordfreq import get_frequency_dict

    return dict(get_frequency_dict("en"))


@lru_cache(maxsize=1 << 18)
def information(word: str) -> float:
    """Information content −ln p(word) in nats, from 0 to 18.5, by wordfreq's English counts.

    TakeLab took p from the Google Books n-grams (Šarić et al., 2012, 2.3).
    """
    from math import log

    return -log(max(frequencies().get(word, RAREST), RAREST))


def ngram_match(batch: Batch, view: str, n: int) -> Column:
    """F1 of the n-grams shared, each as often as it occurs; 1 if a side has none (TakeLab)."""
    bags = bags_of(batch, view, n)
    left, right = (bags.totals()[side] for side in batch.pairs)
    matched = dice(bags.shared(batch), left, right)
    return np.where((left > 0) & (right > 0), matched, 1.0)


def _register_ngrams(view: str, n: int, number: int) -> None:
    @columnwise(f"{view.removesuffix('s')}_{n}gram", "ngrams", f"{TAKELAB} f{number}")
    def column(batch: Batch) -> Column:
        return ngram_match(batch, view, n)


for _number, (_view, _n) in enumerate(
    [(view, n) for view in ("content", "lemmas") for n in (1, 2, 3)], start=8
):
    _register_ngrams(_view, _n, _number)


def informations(batch: Batch, view: str) -> Column:
    """(v,) the :func:`information` of each distinct word of a view, to 2⁻¹⁶ nats.

    So short a fraction that sums of them, and of their squares, are exact: they
    are the same in any order, and so a pair has one value in every file.
    """
    return batch.once(
        ("information", view),
        lambda: np.round(batch.view(view).weigh(information) * 2**16) / 2**16,
    )


def weighted_match(batch: Batch, view: str) -> Column:
    """F1 of the information shared: each common word counts by its content in nats."""
    bags, weights = bags_of(batch, view), informations(batch, view)
    left, right = (bags.totals(weights)[side] for side in batch.pairs)
    return dice(bags.shared(batch, weights), left, right)


@columnwise("weighted_word_match", "weighted", f"{TAKELAB} f15")
def weighted_word_match(batch: Batch) -> Column:
    """:func:`weighted_match` of all words."""
    return weighted_match(batch, "words")


@columnwise("weighted_lemma_match", "weighted", f"{TAKELAB} f16")
def weighted_lemma_match(batch: Batch) -> Column:
    """:func:`weighted_match` of the lemmas of the content words."""
    return weighted_match(batch, "lemmas")


@columnwise("lemma_containment", "containment", "Broder (1997), 2, on lemmas")
def lemma_containment(batch: Batch) -> Column:
    """The share of the smaller side's content lemmas that the other has; 1 if a side has none."""
    bags = bags_of(batch, "lemmas")
    left, right = (bags.totals()[side] for side in batch.pairs)
    smaller = np.minimum(left, right)
    shared = bags.shared(batch)
    return np.divide(shared, smaller, out=np.ones(len(batch)), where=smaller > 0)


@columnwise("weighted_containment", "containment", "Broder (1997), 2, by information")
def weighted_containment(batch: Batch) -> Column:
    """The share of the smaller side's information that the other has; 1 if a side has none."""
    bags, weights = bags_of(batch, "lemmas"), informations(batch, "lemmas")
    left, right = (bags.totals(weights)[side] for side in batch.pairs)
    smaller = np.minimum(left, right)
    shared = bags.shared(batch, weights)
    return np.divide(shared, smaller, out=np.ones(len(batch)), where=smaller > 0)


@columnwise("relative_len_difference", "length", f"{TAKELAB} f20")
def relative_len_difference(batch: Batch) -> Column:
    """Relative difference of the number of content words."""
    lengths = batch.view("content").sequences.lengths.astype(np.float64)
    return relative_differences(*(lengths[side] for side in batch.pairs))


@columnwise("relative_ic_difference", "length", f"{TAKELAB} f21")
def relative_ic_difference(batch: Batch) -> Column:
    """Relative difference of the information content of all words."""
    totals = bags_of(batch, "words").totals(informations(batch, "words"))
    return relative_differences(*(totals[side] for side in batch.pairs))


@columnwise("relative_character_difference", "length", "plain count")
def relative_character_difference(batch: Batch) -> Column:
    """Relative difference of the number of characters."""
    lengths = batch.characters.lengths.astype(np.float64)
    return relative_differences(*(lengths[side] for side in batch.pairs))


@columnwise("information_density", "length", "information content by word", high=18.5)
def information_density(batch: Batch) -> Column:
    """Information a word, both sides together, in nats: what kind of text this is; 0 if none."""
    totals = bags_of(batch, "words").totals(informations(batch, "words"))
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


@columnwise("cosine", "bag", DCU)
def cosine(batch: Batch) -> Column:
    """Cosine of the word counts."""
    return cosines(bags_of(batch, "words"), batch)


@columnwise("cosine_icf", "bag", DCU)
def cosine_icf(batch: Batch) -> Column:
    """Cosine of the word counts, each times its inverse collection frequency −ln p."""
    return cosines(bags_of(batch, "words"), batch, informations(batch, "words"))
