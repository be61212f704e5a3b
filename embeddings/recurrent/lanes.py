"""Layout of sentences in lanes, for networks that read word by word.

If every sentence of a batch had a row of its own, all rows would be as long as the
longest sentence, and most cells would be padding. Here several sentences share a lane.
The longest sentence is placed first, each in the lane that is shortest so far, so that no
lane is more than a third longer than necessary (Graham, 1969).
"""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from embeddings.training.sparse.pooling import bucket_size

EMPTY = np.iinfo(np.int32).max
"""A cell without a word."""

_SPARE = 1.25
"""Most cells a word; within this, as many lanes as possible, because many lanes are fast."""


def lay_out(lengths: NDArray[np.int64]) -> NDArray[np.int32]:
    """The word of every cell (t, lanes): its place among all words, or ``EMPTY``.

    Args:
        lengths: (n,) words of each sentence, n ≥ 1. A sentence's words stand in one
            lane, one below the other.
    """
    lanes, longest, total = len(lengths), int(lengths.max()), int(lengths.sum())
    while lanes > 1 and lanes * longest > _SPARE * total:
        lanes = (lanes + 1) // 2
    ends = [(0, lane) for lane in range(lanes)]  # a heap: where each lane ends
    top, lane_of = np.zeros(len(lengths), np.int64), np.zeros(len(lengths), np.int64)
    for sentence in np.argsort(-lengths, kind="stable").tolist():
        end, lane = ends[0]
        top[sentence], lane_of[sentence] = end, lane
        heapq.heapreplace(ends, (end + int(lengths[sentence]), lane))
    words = np.arange(total)
    inside = words - np.repeat(np.cumsum(lengths) - lengths, lengths)
    cells = np.full((bucket_size(max(ends)[0]), lanes), EMPTY, np.int32)
    cells[np.repeat(top, lengths) + inside, np.repeat(lane_of, lengths)] = words
    return cells
