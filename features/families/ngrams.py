"""Words that stand in both sentences: n-grams, weighted matches, bag-of-words cosines."""

from __future__ import annotations

import numpy as np

from features.batch import Batch, Column
from features.families import DCU, TAKELAB
from features.measures.counts import bags_of
from features.measures.formulas import ratio
from features.registry import columnwise


def ngram_match(batch: Batch, view: str, n: int) -> Column:
    """F1 of the n-grams shared, each as often as it occurs; 1 if a side has none (TakeLab)."""
    return bags_of(batch, view, n).dice(batch, neither=1.0, one=1.0)


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
    return bags_of(batch, view, 1).dice(batch, batch.information(view))


@columnwise("weighted_word_match", "weighted", f"{TAKELAB} f15")
def weighted_word_match(batch: Batch) -> Column:
    """:func:`weighted_match` of all words."""
    return weighted_match(batch, "words")


@columnwise("weighted_lemma_match", "weighted", f"{TAKELAB} f16")
def weighted_lemma_match(batch: Batch) -> Column:
    """:func:`weighted_match` of the lemmas of the content words."""
    return weighted_match(batch, "lemmas")


def containment(batch: Batch, weights: Column | None) -> Column:
    """How much of the smaller side's content lemmas the other has; 1 if a side has none."""
    bags = bags_of(batch, "lemmas", 1)
    smaller = np.minimum(*batch.sides(bags.totals(weights)))
    return ratio(bags.shared(batch, weights), smaller, otherwise=1.0)


@columnwise("lemma_containment", "containment", "Broder (1997), 2, on lemmas")
def lemma_containment(batch: Batch) -> Column:
    """:func:`containment`, every lemma counting the same."""
    return containment(batch, None)


@columnwise("weighted_containment", "containment", "Broder (1997), 2, by information")
def weighted_containment(batch: Batch) -> Column:
    """:func:`containment` by information."""
    return containment(batch, batch.information("lemmas"))


@columnwise("cosine", "bag", DCU)
def cosine(batch: Batch) -> Column:
    """Cosine of the word counts."""
    return bags_of(batch, "words", 1).cosines(batch)


@columnwise("cosine_icf", "bag", DCU)
def cosine_icf(batch: Batch) -> Column:
    """Cosine of the word counts, each times its inverse collection frequency −ln p."""
    return bags_of(batch, "words", 1).cosines(batch, batch.information("words"))
