"""Which pairs are worth reading for what they assert, by their words alone, for whole columns.

The rules read one sentence after the other; most pairs share too few words, or have no word that
a rule looks for, so that no rule would find a conflict.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from embeddings.tokenizers.ragged import Ragged
from features.batch import Batch, once
from features.families.assertions.axes import bases
from features.families.assertions.denial import is_content
from features.measures.counts import count

Flags = NDArray[np.bool_]


@lru_cache(maxsize=1 << 18)
def named(token: str, tag: str) -> tuple[tuple[str, int], ...]:
    """What a token says, see :func:`bases`; nothing if it is no content word."""
    word = token.lower()
    return bases(word, tag) if is_content(word, tag) else ()


@once
def _named(batch: Batch) -> list[tuple[tuple[str, int], ...]]:
    """What each distinct token with its tag says."""
    return [named(*token) for token in batch.tagged_tokens.words]


@once
def names_in_common(batch: Batch) -> NDArray[np.float64]:
    """(n,) the share of the names of the side with fewer that the other has too; 1 without any."""
    numbers: dict[str, int] = {}
    found = [[numbers.setdefault(name, len(numbers)) for name, _ in ends] for ends in _named(batch)]
    flat, offsets = batch.tagged_tokens.sequences
    of_token = Ragged.of(found).take(flat.astype(np.int64))
    bags = count(Ragged(of_token.flat, of_token.offsets[offsets]), 1).distinct()
    fewer = np.minimum(*batch.sides(bags.totals()))
    return np.where(fewer > 0, bags.shared(batch) / np.maximum(fewer, 1), 1.0)


@once
def with_lower_end(batch: Batch) -> Flags:
    """(s,) whether each distinct sentence names the lower end of an axis."""
    lower = [any(sign < 0 for _, sign in ends) for ends in _named(batch)]
    return holding(batch.tagged_tokens.sequences, lower)


def holding(sequences: Ragged, wanted: Sequence[bool]) -> Flags:
    """(s,) whether each sequence has a number that is wanted.

    Args:
        wanted: of each distinct thing, by its number.
    """
    flat, offsets = sequences
    found = np.concatenate([[0], np.cumsum(np.array(wanted, bool)[flat])])
    return np.asarray(np.diff(found[offsets]) > 0)


def with_word(batch: Batch, words: frozenset[str]) -> Flags:
    """(s,) whether each distinct sentence has one of these lower-cased tokens."""
    view = batch.tokens(str.lower)
    return holding(view.sequences, [word in words for word in view.words])


def on_sides(batch: Batch, flags: Flags, both: bool = False) -> Flags:
    """(n,) whether a side of each pair, or both sides, are flagged among the (s,) sentences."""
    left, right = batch.sides(flags)
    return np.asarray(left & right if both else left | right)
