"""The training pairs that mean the same by their gold score."""

from __future__ import annotations

from collections.abc import Iterable

from embeddings.training.pairs.corpora import SentencePair
from sts.data.pairs import Pairs

STRONG = 3.8
"""Gold score from which two sentences count as meaning the same (paper, 2.1 and footnote 2)."""


def strong_pairs(training: Iterable[Pairs], threshold: float = STRONG) -> list[SentencePair]:
    """The training pairs with gold ≥ ``threshold``; unscored pairs never qualify."""
    return [
        (left, right)
        for pairs in training
        for left, right, gold in zip(pairs.left, pairs.right, pairs.gold, strict=True)
        if gold >= threshold
    ]
