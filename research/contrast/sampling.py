"""Choice of training pairs: no source outweighs the others, and overlap of words predicts nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from research.contrast.sources import Labelled

BANDS = 10
"""Bands of word overlap, from 0 to 1."""

MORE = 1.4
"""Most pairs of one answer in a band, as a multiple of those of the other; a band without any keeps
a third of its pairs."""

_WORD = re.compile(r"\w+")


def overlap(left: str, right: str) -> float:
    """Return the share of common words among all words of two texts, from 0 to 1 (Jaccard)."""
    words, others = ({*_WORD.findall(text.lower())} for text in (left, right))
    return len(words & others) / max(1, len(words | others))


def at_most(pairs: Sequence[Labelled], most: int, rng: np.random.Generator) -> list[Labelled]:
    """Return so many pairs, those with one left sentence together, in random order."""
    firsts = list(dict.fromkeys(pair.left for pair in pairs))
    rank = dict(zip(firsts, rng.permutation(len(firsts)), strict=True))
    return sorted(pairs, key=lambda pair: rank[pair.left])[:most]


def distinct(pairs: Iterable[Labelled]) -> list[Labelled]:
    """Return pairs of two different sentences, each the first time that it comes, either way round."""
    found = {frozenset((pair.left, pair.right)): pair for pair in reversed([*pairs])}
    return [pair for sides, pair in reversed(found.items()) if len(sides) == 2]


def balanced(pairs: Sequence[Labelled], rng: np.random.Generator) -> list[Labelled]:
    """Return pairs in order, with about as many of either answer at each degree of word overlap."""
    bands = np.array([min(int(overlap(*pair[:2]) * BANDS), BANDS - 1) for pair in pairs], np.int64)
    same = np.array([pair.target > 0.5 for pair in pairs], bool)
    kept = np.ones(len(pairs), bool)
    for band in range(BANDS):
        sides = [np.flatnonzero((bands == band) & (same == answer)) for answer in (True, False)]
        for own, other in (sides, sides[::-1]):
            most = max(int(MORE * len(other)), len(own) // 3)
            kept[rng.permutation(own)[most:]] = False
    return [pair for pair, keep in zip(pairs, kept, strict=True) if keep]


def with_itself(
    pairs: Sequence[Labelled], share: float, rng: np.random.Generator
) -> list[Labelled]:
    """Return some of the left sentences, each paired with itself."""
    lefts: NDArray[np.str_] = rng.choice([pair.left for pair in pairs], int(share * len(pairs)))
    return [Labelled(text, text, 1.0, "itself") for text in dict.fromkeys(map(str, lefts))]
