"""The most similar sentences, against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.mining.similar_sentences import mine, most_similar
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.sts.errors import StsError

KNOWN = [f"word{i}" for i in range(30)]
RNG = np.random.default_rng(0)
ENGLISH, FOREIGN = (
    Encoder(WordTokenizer(KNOWN, 1), RNG.standard_normal((31, 8)).astype(np.float32))
    for _ in range(2)
)
SENTENCES = [" ".join(RNG.choice(KNOWN, 4)) for _ in range(50)]


@pytest.mark.parametrize("other", [None, FOREIGN])
@pytest.mark.parametrize("count", [1, 20, 5000])
def test_they_are_those_of_scikit_learn(other: Encoder | None, count: int) -> None:
    queries = [" ".join(RNG.choice(KNOWN, 3)) for _ in range(count)]
    search = NearestNeighbors(n_neighbors=3, metric="cosine", algorithm="brute")
    search.fit((other or ENGLISH).encode(SENTENCES))
    distances, _ = search.kneighbors(ENGLISH.encode(queries))
    found = list(most_similar(ENGLISH, iter(queries), SENTENCES, 3, other))
    assert [n.query for n in found] == [query for query in queries for _ in range(3)]
    np.testing.assert_allclose([n.cosine for n in found], 1 - distances.reshape(-1), atol=1e-6)
    for n in found[:60]:
        expected = ENGLISH.similarity_pairwise([n.query], [n.sentence], other)
        assert n.cosine == pytest.approx(expected[0], abs=1e-6)


def test_of_equals_the_first() -> None:
    listed = ["word1", "word2", "word3", "word2 word2", "word4", "word2"]
    found = list(most_similar(ENGLISH, ["word2", ""], listed, 3))
    assert [n.sentence for n in found[:2]] == ["word2", "word2 word2"]  # a copy is found once
    assert found[0].cosine == pytest.approx(found[1].cosine) == pytest.approx(1)
    assert [(n.cosine, n.sentence) for n in found[3:]] == [(0, s) for s in listed[:3]]


def test_translations_among_two_lists() -> None:
    spanish = ["Un perro corre en el parque.", "", "El tren llega tarde.", "Como una manzana."]
    english = ["The train is late.", "I eat an apple.", "A dog runs in the park."]
    found = mine(spanish, english, languages=("es", "en"))
    assert {(pair.left, pair.right) for pair in found} == {(0, 2), (2, 0), (3, 1)}
    scores = [pair.score for pair in found]
    assert scores == sorted(scores, reverse=True)
    some = mine(spanish, english, languages=("es", "en"), threshold=scores[1])
    assert some == found[:2]
    assert mine([""], english, languages=("es", "en")) == []


def test_one_language_for_two_sides_is_refused() -> None:
    with pytest.raises(StsError, match=r"languages='es'; give two, \(left, right\)"):
        mine(["a"], ["b"], languages="es")  # type: ignore[arg-type]
