"""Groups of rows: the distinct texts of a group, and all the rows that hold them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from embeddings.mining.duplicates.close_pairs import ClosePairs
from embeddings.mining.duplicates.copies import BLANK, Copies
from embeddings.mining.duplicates.grouping import Grouping, Keep, Places, group, order_of
from embeddings.mining.neighbours import Floats

FarCosines = Callable[[Places, Places], Floats]
"""The cosines of texts with others that are in no close pair, by their numbers."""


class DuplicateGroup(NamedTuple):
    """Rows that mean the same.

    Attributes:
        rows: at least two, from 0. The first is the one to keep; the others follow, the most
            similar to it first, of equal ones the first row first.
        cosines: of each with the first, rounded to six digits; 1 for the first and its copies.
    """

    rows: tuple[int, ...]
    cosines: tuple[float, ...]


def find_groups(
    copies: Copies, pairs: ClosePairs, keep: Keep, grouping: Grouping, far: FarCosines
) -> list[DuplicateGroup]:
    """The groups of two or more rows, the largest first, of one size by the row that is kept.

    Args:
        copies: which rows hold the same text.
        pairs: the close ones among the distinct texts.
        keep: which row of a group is kept; of its copies always the first.
        grouping: see :func:`~embeddings.mining.duplicates.grouping.group`.
        far: computes cosines of members of a component that no pair connects to the kept one.
    """
    order = order_of(keep, pairs, copies.lengths, copies.counts)
    kept_of = group(pairs, order, grouping)
    cosines = _cosines_with_kept(pairs, kept_of, far)
    rows = np.flatnonzero(copies.text_of != BLANK)
    texts = copies.text_of[rows]
    kept = kept_of[texts]
    sizes = np.bincount(kept, minlength=len(kept_of))[kept]
    is_kept = rows == copies.first[kept]
    sorted_ = np.lexsort((rows, -cosines[texts], ~is_kept, copies.first[kept], -sizes))
    sorted_ = sorted_[: np.count_nonzero(sizes > 1)]
    if not len(sorted_):
        return []
    begins = np.flatnonzero(is_kept[sorted_])[1:]
    return [
        DuplicateGroup(tuple(rows[some].tolist()), tuple(cosines[texts[some]].tolist()))
        for some in np.split(sorted_, begins)
    ]


def _cosines_with_kept(pairs: ClosePairs, kept_of: Places, far: FarCosines) -> Floats:
    """(n,) the cosine of each text with the one that is kept in its place."""
    cosines = np.ones(len(kept_of))
    members = np.flatnonzero(kept_of != np.arange(len(kept_of)))
    low, high = np.sort([members, kept_of[members]], axis=0)
    keys = pairs.low.astype(np.int64) * len(kept_of) + pairs.high
    wanted = low * len(kept_of) + high
    places = np.searchsorted(keys, wanted)
    close = places < len(keys)
    close[close] = keys[places[close]] == wanted[close]
    cosines[members[close]] = pairs.cosines[places[close]]
    others = members[~close]
    if len(others):
        cosines[others] = far(others, kept_of[others])
    return cosines
