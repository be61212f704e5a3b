"""The most similar sentences of a list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from embeddings.encoder import SentenceEncoder, unit
from embeddings.mining.neighbours import nearest

_BATCH = 4096
"""Queries that are read, encoded and answered at once."""


class SimilarSentence(NamedTuple):
    """A query, and a sentence with its cosine."""

    query: str
    cosine: float
    sentence: str


def most_similar(
    encoder: SentenceEncoder,
    queries: Iterable[str],
    sentences: Sequence[str],
    k: int,
    other: SentenceEncoder | None = None,
) -> Iterator[SimilarSentence]:
    """For each query the ``k`` most similar sentences, the best first; all if there are fewer.

    ``other`` encodes the sentences, if they are not in the language of the queries.
    """
    rows = unit((other or encoder).encode(sentences))
    remaining = iter(queries)
    while batch := list(islice(remaining, _BATCH)):
        vectors = unit(encoder.encode(batch))
        found = nearest(vectors, rows, min(k, len(rows)), show_progress=False)
        for query, places, cosines in zip(batch, found.places, found.cosines, strict=True):
            for place, cosine in zip(places.tolist(), cosines.tolist(), strict=True):
                yield SimilarSentence(query, cosine, sentences[place])
