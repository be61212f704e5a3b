"""Pairs that mean the same in one list of sentences, or between two of one language."""

from __future__ import annotations

import numpy as np

from embeddings.mining.candidates import Mined
from embeddings.mining.margin import Floats, Margin, score
from embeddings.mining.stored_vectors import Rows
from embeddings.mining.vector_search import BLOCK, Neighbours, Search, nearest


def mine_paraphrases(
    rows: Rows,
    against: Rows | None = None,
    k: int = 4,
    *,
    top: int,
    margin: Margin = "absolute",
    search: Search | None = None,
    block: int = BLOCK,
) -> Mined:
    """The pairs with the best scores, each once and none with itself.

    A sentence may be in many pairs: whoever is among the ``k`` nearest of the other is one.
    In one list the lower row comes first.

    Args:
        rows: (n, dim) of length 1.
        against: (m, dim) of length 1, if the pairs are to be between two lists.
        k: neighbours of each sentence.
        top: how many pairs at most.
        margin: ``absolute`` is the cosine.
        search: exact unless told otherwise.
        block: rows of each side in memory.

    Raises:
        StsError: fewer than ``k`` neighbours to be had.
    """
    if against is None:
        near = nearest(rows, rows, k, search=search, block=block, same=True)
        pairs = _every_pair(near, near.mean(), near.mean(), margin)
        low, high = np.sort([pairs.source, pairs.target], axis=0)
        pairs = Mined(low, high, pairs.scores)
    else:
        forward = nearest(rows, against, k, search=search, block=block)
        backward = nearest(against, rows, k, search=search, block=block)
        own, other = forward.mean(), backward.mean()
        pairs = _every_pair(forward, own, other, margin)
        pairs = pairs.and_also(_every_pair(backward, other, own, margin).turned())
    _, first = np.unique(np.stack([pairs.source, pairs.target]), axis=1, return_index=True)
    return pairs.of(first).ranked().of(slice(top))


def _every_pair(neighbours: Neighbours, own: Floats, other: Floats, margin: Margin) -> Mined:
    """Every query with every neighbour, in no order."""
    scores = score(neighbours.cosines, own[:, None], other[neighbours.places], margin)
    queries = np.broadcast_to(np.arange(len(own))[:, None], neighbours.places.shape)
    found = neighbours.found
    return Mined(queries[found], neighbours.places[found], scores[found])
