"""Words that mean nearly the same according to WordNet."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from features.numeric import f1
from features.registry import Batch, Column, columnwise
from features.surface import TAKELAB
from features.wordnet import WordNet


def _coverage(covered: Sequence[str], by: Sequence[str], wordnet: WordNet) -> float:
    """Mean over ``covered`` of the best path similarity with a word of ``by``."""
    best = (max(wordnet.similarity(*sorted((word, other))) for other in by) for word in covered)
    return sum(best) / len(covered)


def wordnet_match(a: Sequence[str], b: Sequence[str], wordnet: WordNet) -> float:
    """Harmonic mean of both sides' coverage; 1 if a side has no content word (TakeLab)."""
    if not a or not b:
        return 1.0
    return f1(_coverage(a, b, wordnet), _coverage(b, a, wordnet))


@columnwise("wn_sim_match", "wordnet", f"{TAKELAB} f14", needs=("wordnet",))
def wn_sim_match(batch: Batch) -> Column:
    """:func:`wordnet_match` of the lemmas of the content words."""
    wordnet = batch.resources.wordnet
    values = (
        wordnet_match(a.lemmas, b.lemmas, wordnet)
        for a, b in zip(batch.left, batch.right, strict=True)
    )
    return np.fromiter(values, np.float64, len(batch))
