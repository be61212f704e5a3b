"""The most similar sentences, against scikit-learn."""

from __future__ import annotations

from itertools import groupby

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from embeddings import search as search_module
from embeddings.encoder import Encoder
from embeddings.search import highest, nearest
from embeddings.tokenizers.words import WordTokenizer

KNOWN = [f"word{i}" for i in range(30)]
RNG = np.random.default_rng(0)
ENGLISH, FOREIGN = (
    Encoder(WordTokenizer(KNOWN, 1), RNG.standard_normal((31, 8)).astype(np.float32))
    for _ in range(2)
)
SENTENCES = [" ".join(RNG.choice(KNOWN, 4)) for _ in range(50)]
QUERIES = [" ".join(RNG.choice(KNOWN, 3)) for _ in range(20)]


@pytest.mark.parametrize("other", [None, FOREIGN])
@pytest.mark.parametrize("numbers", [1, 150, 1 << 24])
def test_they_are_those_of_scikit_learn(
    other: Encoder | None, numbers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_module, "_NUMBERS", numbers)  # queries are taken a few at a time
    search = NearestNeighbors(n_neighbors=3, metric="cosine", algorithm="brute")
    search.fit((other or ENGLISH).encode(SENTENCES))
    distances, places = search.kneighbors(ENGLISH.encode(QUERIES))
    found = list(nearest(ENGLISH, iter(QUERIES), SENTENCES, 3, other))
    assert [query for query, _ in groupby(found, lambda n: n.query)] == QUERIES
    assert [n.sentence for n in found] == [SENTENCES[i] for i in places.reshape(-1)]
    np.testing.assert_allclose([n.cosine for n in found], 1 - distances.reshape(-1), atol=1e-6)


def test_fewer_sentences_than_wanted() -> None:
    found = list(nearest(ENGLISH, ["word1"], ["word2", "word1"], 5))
    assert [n.sentence for n in found] == ["word1", "word2"]
    assert found[0].cosine == pytest.approx(1)


def test_of_equals_the_first() -> None:
    values = np.float32([0.5, 0.9, 0.5, 0.9, 0.1])
    assert highest(values, 3).tolist() == [1, 3, 0]
    assert highest(values, 9).tolist() == [1, 3, 0, 2, 4]
