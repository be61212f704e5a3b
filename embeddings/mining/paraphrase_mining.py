"""Paraphrase mining: pairs that mean the same in one list of sentences, or between two."""

from __future__ import annotations

import numpy as np

from embeddings.mining.candidates import ScoredPairs
from embeddings.mining.margin import Floats, Margin, margin_score
from embeddings.search.indexes import BLOCK, Search
from embeddings.search.neighbours import Neighbours, nearest
from embeddings.search.row_blocks import Rows


def mine_paraphrases(
    rows: Rows,
    against: Rows | None = None,
    k: int = 4,
    *,
    top: int,
    margin: Margin = "absolute",
    search: Search | None = None,
    block: int = BLOCK,
) -> ScoredPairs:
    """The pairs with the best scores, each once; no sentence is paired with itself.

    A sentence may be in many pairs: two sentences are a pair if one is among the ``k``
    nearest of the other. In one list the lower row comes first.

    Args:
        rows: (n, dim) of length 1.
        against: (m, dim) of length 1, if the pairs are to be between two lists.
        k: neighbours of each sentence.
        top: largest number of pairs.
        margin: ``absolute`` is the cosine.
        search: exact by default.
        block: rows of each side in memory.

    Raises:
        StsError: there are fewer than ``k`` neighbours.
    """
    if against is None:
        near = nearest(rows, rows, k, search=search, block=block, same=True)
        pairs = _every_pair(near, near.mean(), near.mean(), margin)
        low, high = np.sort([pairs.source, pairs.target], axis=0)
        pairs = ScoredPairs(low, high, pairs.scores)
    else:
        forward = nearest(rows, against, k, search=search, block=block)
        backward = nearest(against, rows, k, search=search, block=block)
        own, other = forward.mean(), backward.mean()
        pairs = _every_pair(forward, own, other, margin)
        pairs = pairs.extended(_every_pair(backward, other, own, margin).swapped())
    _, first = np.unique(np.stack([pairs.source, pairs.target]), axis=1, return_index=True)
    return pairs.take(first).best_first().take(slice(top))


def _every_pair(neighbours: Neighbours, own: Floats, other: Floats, margin: Margin) -> ScoredPairs:
    """Every query with every neighbour, in no order."""
    scores = margin_score(neighbours.cosines, own[:, None], other[neighbours.places], margin)
    queries = np.broadcast_to(np.arange(len(own))[:, None], neighbours.places.shape)
    found = neighbours.found
    return ScoredPairs(queries[found], neighbours.places[found], scores[found])
