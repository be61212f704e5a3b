"""Pairs that may contradict each other, found by their words alone for whole columns.

The rules read one sentence after the other, and most pairs share too few words to conflict.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from embeddings.tokenizers.ragged import Ragged
from features.batch import Batch, Flags, once
from features.families.assertions.axes import bases
from features.families.assertions.denial import is_content
from features.measures.counts import count

ENOUGH = 0.5
"""Share of the shorter side's names in common from which a pair is read."""


@lru_cache(maxsize=1 << 18)
def named(token: str, tag: str) -> tuple[tuple[str, int], ...]:
    """Return the names of a token, see :func:`bases`; none if it is no content word."""
    word = token.lower()
    return bases(word, tag) if is_content(word, tag) else ()


@once
def is_candidate(batch: Batch) -> Flags:
    """(n,) whether the side with fewer names shares enough of them with the other."""
    tokens, (flat, offsets) = batch.tagged_tokens
    numbers: dict[str, int] = {}
    names = [[numbers.setdefault(name, len(numbers)) for name, _ in named(*t)] for t in tokens]
    of_token = Ragged.of(names).take(flat.astype(np.int64))
    bags = count(Ragged(of_token.flat, of_token.offsets[offsets]), 1).distinct()
    fewer = np.minimum(*batch.sides(bags.totals()))
    return np.asarray(bags.shared(batch) >= ENOUGH * fewer)


def with_one_on_each_side(batch: Batch, sequences: Ragged, wanted: Sequence[bool]) -> Flags:
    """(n,) whether both sides of each pair hold a thing that is wanted.

    Args:
        sequences: the numbers of the things in each distinct sentence.
        wanted: whether each distinct thing is wanted, by its number.
    """
    flat, offsets = sequences
    found = np.concatenate([[0], np.cumsum(np.array(wanted, bool)[flat])])
    left, right = batch.sides(np.diff(found[offsets]) > 0)
    return np.asarray(left & right)
