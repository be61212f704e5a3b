"""The best scores of each query, of scores that come a matrix at a time."""

# mypy: disable-error-code="misc,untyped-decorator,no-untyped-def"

from __future__ import annotations

import numpy as np

from embeddings.compiled.compiling import announce_compiling, njit

announce_compiling()


@njit(nogil=True)
def keep_best(scores, queries, columns, best, places):
    """Put the scores (n, m) among the best so far, in place.

    Args:
        scores: (n, m) float32.
        queries: (n,) the row of ``best`` that each row of scores belongs to.
        columns: (m,) the place that each column stands for.
        best, places: (queries, k) the highest scores so far, falling, and their places; of equal
            scores the one that came first stays ahead.
    """
    last = best.shape[1] - 1
    for i in range(len(queries)):
        query = queries[i]
        for j in range(scores.shape[1]):
            score = scores[i, j]
            if score > best[query, last]:
                at = last
                while at > 0 and best[query, at - 1] < score:
                    best[query, at] = best[query, at - 1]
                    places[query, at] = places[query, at - 1]
                    at -= 1
                best[query, at] = score
                places[query, at] = columns[j]


def load_compiled() -> None:
    """Compile or load :func:`keep_best`, so that what it takes in memory is taken."""
    none, nowhere = np.zeros((0, 1), np.float32), np.zeros((0, 1), np.int64)
    keep_best(none, nowhere[:, 0].copy(), nowhere[:, 0].copy(), none.copy(), nowhere)
