"""Words that stand in both sentences: n-grams, weighted matches, bag-of-words cosines."""

from __future__ import annotations

import numpy as np

from features.batch import Batch, Column
from features.families import DCU, TAKELAB
from features.measures.counts import bags_of, cosines, dice
from features.registry import columnwise


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


def weighted_match(batch: Batch, view: str) -> Column:
    """F1 of the information shared: each common word counts by its content in nats."""
    bags, weights = bags_of(batch, view), batch.information(view)
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
    bags, weights = bags_of(batch, "lemmas"), batch.information("lemmas")
    left, right = (bags.totals(weights)[side] for side in batch.pairs)
    smaller = np.minimum(left, right)
    shared = bags.shared(batch, weights)
    return np.divide(shared, smaller, out=np.ones(len(batch)), where=smaller > 0)


@columnwise("cosine", "bag", DCU)
def cosine(batch: Batch) -> Column:
    """Cosine of the word counts."""
    return cosines(bags_of(batch, "words"), batch)


@columnwise("cosine_icf", "bag", DCU)
def cosine_icf(batch: Batch) -> Column:
    """Cosine of the word counts, each times its inverse collection frequency −ln p."""
    return cosines(bags_of(batch, "words"), batch, batch.information("words"))
