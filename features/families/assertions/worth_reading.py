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
from features.families.assertions.denial import DENIERS, IN_TWO, is_content
from features.measures.counts import Bags, count

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


def _bags(batch: Batch, names: Sequence[Sequence[int]]) -> Bags:
    """The names in each distinct sentence, from those of each distinct token with its tag."""
    flat, offsets = batch.tagged_tokens.sequences
    of_token = Ragged.of(names).take(flat.astype(np.int64))
    return count(Ragged(of_token.flat, of_token.offsets[offsets]), 1).distinct()


@once
def names_in_common(batch: Batch) -> NDArray[np.float64]:
    """(n,) the share of the names of the side with fewer that the other has too; 1 without any."""
    numbers: dict[str, int] = {}
    found = [[numbers.setdefault(name, len(numbers)) for name, _ in ends] for ends in _named(batch)]
    bags = _bags(batch, found)
    fewer = np.minimum(*batch.sides(bags.totals()))
    return np.where(fewer > 0, bags.shared(batch) / np.maximum(fewer, 1), 1.0)


@once
def with_opposite_ends(batch: Batch) -> Flags:
    """(n,) whether one side names the upper end of an axis of which the other names the lower."""
    ends_of_tokens = _named(batch)
    names = {name for ends in ends_of_tokens for name, sign in ends if sign < 0}
    number = {name: place for place, name in enumerate(names)}
    upper, lower = (
        _bags(
            batch,
            [
                [number[n] for n, sign in ends if sign * end > 0 and n in names]
                for ends in ends_of_tokens
            ],
        )
        for end in (1, -1)
    )
    return upper.shared_with(lower, batch) + lower.shared_with(upper, batch) > 0


@once
def denying(batch: Batch) -> Flags:
    """(s,) whether each distinct sentence may deny anything, see :func:`may_deny`."""
    found = with_word(batch, DENIERS)
    for word, others in IN_TWO.items():
        found |= with_word(batch, frozenset((word,))) & with_word(batch, others)
    return found


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
