"""The most similar sentences of a list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from embeddings.encoder import SentenceEncoder, unit
from embeddings.table import Vectors

_NUMBERS = 1 << 24
"""Cosines that are held at once: 64 MB."""


class Neighbour(NamedTuple):
    """A sentence, how similar it is to the query, and the query."""

    query: str
    cosine: float
    sentence: str


def nearest(
    encoder: SentenceEncoder,
    queries: Iterable[str],
    sentences: Sequence[str],
    k: int,
    other: SentenceEncoder | None = None,
) -> Iterator[Neighbour]:
    """For each query the ``k`` most similar sentences, the best first; all if there are fewer.

    ``other`` encodes the sentences, if they are not in the language of the queries.
    """
    candidates = unit((other or encoder).encode(sentences))
    remaining = iter(queries)
    while chunk := list(islice(remaining, max(1, _NUMBERS // len(sentences)))):
        cosines = np.clip(unit(encoder.encode(chunk)) @ candidates.T, -1.0, 1.0)
        for query, row in zip(chunk, cosines, strict=True):
            for place in highest(row, k):
                yield Neighbour(query, float(row[place]), sentences[place])


def highest(values: Vectors, k: int) -> NDArray[np.int64]:
    """Places (k,) of the highest of ``values`` (n,), in falling order; of equals, the first."""
    if k < len(values):
        lowest = np.partition(values, len(values) - k)[len(values) - k]
        places = np.flatnonzero(values >= lowest)
    else:
        places = np.arange(len(values))
    order: NDArray[np.int64] = places[np.argsort(-values[places], kind="stable")][:k]
    return order
