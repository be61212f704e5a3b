"""Lists of sentences in memory: the most similar ones, and translations of each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, islice
from typing import Any, NamedTuple

import numpy as np

from semaniacs.embeddings.encoder import SentenceEncoder, unit
from semaniacs.embeddings.mining.candidates import Candidates, Margin
from semaniacs.embeddings.mining.candidates import mine as mine_rows
from semaniacs.embeddings.mining.corpus_vectors import mining_encoder, vectors_of
from semaniacs.embeddings.mining.neighbours import nearest
from semaniacs.sts.data.pairs import texts_of
from semaniacs.sts.text.languages_found import check_two

_BATCH = 4096  # queries that are read, encoded and answered at once


def most_similar(
    encoder: SentenceEncoder,
    queries: Iterable[str],
    sentences: Sequence[str],
    k: int,
    other: SentenceEncoder,
) -> Iterator[tuple[str, float, str]]:
    """Yield each query with its ``k`` most similar sentences, the best first: query, cosine, sentence.

    A sentence that occurs several times is found once. One that is blank, or none of whose words
    has a vector, neither finds a sentence nor is found. ``other`` encodes the sentences, which may
    be in another language.
    """
    sentences = list(dict.fromkeys(sentences))
    rows = unit(other.encode(sentences))
    readable = np.asarray(rows.any(axis=1), bool)
    rows, sentences = rows[readable], [*compress(sentences, readable)]
    remaining = iter(queries)
    while (batch := list(islice(remaining, _BATCH))) and sentences:
        vectors = unit(encoder.encode(batch))
        readable = np.asarray(vectors.any(axis=1), bool)
        vectors, batch = vectors[readable], [*compress(batch, readable)]
        found = nearest(vectors, rows, min(k, len(rows)), show_progress=False)
        for query, places, cosines in zip(batch, found.places, found.cosines, strict=True):
            for place, cosine in zip(places.tolist(), cosines.tolist(), strict=True):
                yield query, cosine, sentences[place]


class MinedPair(NamedTuple):
    """A pair of rows of two lists, and its margin score."""

    score: float
    left: int
    right: int


def mine(
    left: Iterable[Any],
    right: Iterable[Any],
    *,
    languages: tuple[str, str],
    threshold: float | None = None,
    model: str = "multilingual",
    k: int = 4,
    margin: Margin = "ratio",
    candidates: Candidates = "max",
) -> list[MinedPair]:
    """Find pairs of sentences of two lists that may be translations, the best first.

    Args:
        left, right: strings: lists, NumPy arrays, columns of pandas, polars or Arrow. Blank ones
            are in no pair.
        languages: of the left and of the right sentences, such as ``("es", "en")``.
        threshold: lowest score; for ``ratio`` 1 is a pair that is no nearer than its neighbours.
        model: a bundled name, a file or a folder; A+B joins two.
        k: neighbours that a cosine is compared with; fewer if a list is shorter.
        margin, candidates: see :func:`semaniacs.embeddings.mining.candidates.mine`.

    Returns:
        Pairs by falling score, the rows counted from 0.

    Raises:
        StsError: a value that is no string, or a model or a language that is not there.
    """
    check_two(languages)
    rows, places = [], []
    for name, texts, language in zip(("left", "right"), (left, right), languages, strict=True):
        given = texts_of(texts, name)[0]
        vectors = vectors_of(mining_encoder(model, language), given)
        places.append(np.flatnonzero(vectors.any(axis=1)))
        rows.append(unit(vectors[places[-1]]))
    k = min(k, *map(len, rows))
    if k < 1:
        return []
    found = mine_rows(rows[0], rows[1], k, margin=margin, candidates=candidates)
    if threshold is not None:
        found = found.take(found.scores >= threshold)
    columns = found.scores, places[0][found.source], places[1][found.target]
    return [MinedPair(*pair) for pair in zip(*(c.tolist() for c in columns), strict=True)]
