"""Word order and words in common by what any language shows: no tags, no lemmas, no vectors.

Of a language only its most frequent words are known, which serve as function words. So a scorer
that learned from English pairs can be asked about other languages (``paws-any``).
"""

from __future__ import annotations

import numpy as np

from features.batch import LONGEST, Batch, Column
from features.measures import untagged_alignment
from features.measures.counts import Bags, bags_of, count
from features.measures.formulas import ratio
from features.measures.untagged_alignment import tokens_of
from features.registry import columnwise

NOTES = "after Zhang et al. (2019), PAWS, 2: words exchanged"
MANY = float(LONGEST)
_HIGHEST = {
    "breaks": MANY, "out_of_sequence_count": MANY, "exchanged_information": 700.0,
    "function_words_traded": MANY, "names": MANY, "unaligned_heaviest": 14.0, "pieces": MANY,
}  # fmt: skip


def _register(name: str) -> None:
    place = untagged_alignment.NAMES.index(name)

    @columnwise(f"any_{name}", "any_language", NOTES, high=_HIGHEST.get(name, 1.0))
    def column(batch: Batch) -> Column:
        return untagged_alignment.describe_order(batch)[:, place]


for _name in untagged_alignment.NAMES:
    _register(_name)


def _bags(batch: Batch, kind: str, n: int) -> Bags:
    if kind == "word":
        return bags_of(batch, "words", n)
    content = kind == "content"
    return count(tokens_of(batch).content if content else batch.tokens(_beginning).sequences, n)


def _beginning(token: str) -> str | None:
    """The first five letters of a word, which its inflected forms have in common."""
    return token[:5].lower() if token[:1].isalnum() else None


def _register_grams(kind: str, n: int) -> None:
    @columnwise(f"any_{kind}_{n}gram", "any_language", "Dice (1945)")
    def column(batch: Batch) -> Column:
        return _bags(batch, kind, n).distinct().dice(batch, neither=1.0)


for _kind, _sizes in {"word": (1, 2, 3, 4), "content": (2, 3, 4), "stem": (1, 2, 3)}.items():
    for _size in _sizes:
        _register_grams(_kind, _size)


@columnwise("any_information", "any_language", "TakeLab f15, by language")
def information_shared(batch: Batch) -> Column:
    """How much of the information of all words both sides have; 1 if there is none."""
    weights = tokens_of(batch).least_information
    bags = bags_of(batch, "words", 1).distinct()
    left, right = batch.sides(bags.totals(weights))
    return ratio(2 * bags.shared(batch, weights), left + right, otherwise=1.0)


@columnwise("any_commas", "any_language", NOTES, high=MANY)
def commas(batch: Batch) -> Column:
    """The commas of the side that has fewer, between which lists and clauses stand."""
    counts = np.array([sentence.text.count(",") for sentence in batch.sentences], np.float64)
    fewer: Column = np.minimum(*batch.sides(np.minimum(counts, MANY)))
    return fewer
