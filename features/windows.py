"""Long texts, whose pairs are compared part by part: to compare each word with each takes long."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from semaniacs.features.batch import LONGEST
from semaniacs.sts.errors import warn_once
from semaniacs.sts.text.tokenizer import token_ends

PART, MOST = 250, 40
"""Tokens of a part of a text with more than ``LONGEST`` tokens, and its most parts."""


def in_parts(
    left: Sequence[str], right: Sequence[str]
) -> tuple[Sequence[str], Sequence[str], NDArray[np.int64]]:
    """Return the m ≥ n sides of the parts of n pairs, and (n,) how many parts each pair has."""
    counts = np.array([_count(*pair) for pair in zip(left, right, strict=True)], np.int64)
    if (counts > 1).any():
        warn_once(
            "long",
            f"some texts have more than {LONGEST:,} tokens; they are compared in up to {MOST} parts, "
            f"of each of which the first {LONGEST:,} tokens are read",
        )
        number = counts.tolist()
        left = [part for text, n in zip(left, number, strict=True) for part in _parts(text, n)]
        right = [part for text, n in zip(right, number, strict=True) for part in _parts(text, n)]
    return left, right, counts


def _count(*pair: str) -> int:
    if max(map(len, pair)) <= LONGEST:  # a token has a character or more
        return 1
    longest = max(len(token_ends(text)) for text in pair)
    return min(MOST, -(-longest // PART)) if longest > LONGEST else 1


def _parts(text: str, count: int) -> list[str]:
    """Return parts with about as many tokens each; a text of fewer tokens whole each time."""
    ends = token_ends(text) if count > 1 else []
    if len(ends) < count:
        return [text] * count
    cuts = [0, *(ends[len(ends) * number // count - 1] for number in range(1, count)), len(text)]
    return [text[begin:end] for begin, end in pairwise(cuts)]
