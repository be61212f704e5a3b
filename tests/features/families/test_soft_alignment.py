"""Every word with every word, against a plain twin that loops."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from embeddings.encoder import Encoder
from features.batch import Batch
from features.families.word_alignment import cosines, covered, word_vectors
from features.measures.formulas import information
from features.measures.word_matching import LEAST
from features.registry import get_feature
from features.resources import Resources
from tests.features.support import make_batch, make_encoder

Vectors = dict[str, NDArray[np.float64]]

WORDS = "cat cats dog ship port seven 7 the of saw xylophone 汉字 unfriended".split()


@pytest.fixture(scope="module")
def drawn() -> Batch:
    """Forty pairs of up to seven words, with the bundled vectors; some sides are empty."""
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(WORDS, rng.integers(0, 8))) for _ in range(80)]
    return make_batch(texts[:40], texts[40:], Resources())


def with_vectors(left: list[str], right: list[str], rows: Any, *words: str) -> Batch:
    """A batch whose words have these vectors; the last row is that of all others."""
    return make_batch(left, right, Resources({"paragram": make_encoder(rows, *words)}))


@pytest.fixture(scope="module")
def vectors(drawn: Batch) -> Vectors:
    """The encoder's own vector of each word: that of the sentence of this one word, not cut."""
    encoder = drawn.resources.encoder("paragram")
    rows = Encoder(encoder.tokenizer, encoder.rows).encode(WORDS).astype(np.float64)
    return dict(zip(WORDS, rows, strict=True))


def cosine(a: str, b: str, vectors: Vectors) -> float:
    if a == b:
        return 1.0
    norm = float(np.linalg.norm(vectors[a]) * np.linalg.norm(vectors[b]))
    return float(vectors[a] @ vectors[b]) / norm if norm else 0.0


def best(a: Sequence[str], b: Sequence[str], vectors: Vectors) -> list[float]:
    """The best cosine of each word of a with a word of b."""
    return [max(cosine(x, y, vectors) for y in b) for x in a]


# Vectors and cosines


def test_a_words_vector_is_that_of_the_sentence_of_it(drawn: Batch, vectors: Vectors) -> None:
    words = drawn.view("words").words
    expected = [vectors[word] for word in words]
    np.testing.assert_allclose(word_vectors(drawn, "words"), expected, atol=1e-6)
    assert "unfriended" in words  # which is spelled from pieces, or listed
    assert word_vectors(drawn, "words") is word_vectors(drawn, "words")


def test_cosines_pair_by_pair(drawn: Batch, vectors: Vectors) -> None:
    found = cosines(drawn, "words")
    ends = [*found.begins[1:], len(found.values)]
    pairs = zip(drawn.left, drawn.right, found.begins, ends, strict=True)
    for a, b, begin, end in pairs:
        expected = [cosine(x, y, vectors) for x in a.words for y in b.words]
        np.testing.assert_allclose(found.values[begin:end], expected, atol=1e-6)
    assert np.abs(found.values).max() <= 1.0


def test_equal_words_are_equal_whatever_their_vector() -> None:
    batch = with_vectors(["nowhere else"], ["nowhere"], np.zeros((2, 2)), "nowhere")
    np.testing.assert_array_equal(cosines(batch, "words").values, [1.0, 0.0])


# Coverage


def test_coverage_is_the_mean_of_the_best_cosines(drawn: Batch, vectors: Vectors) -> None:
    for view in ("words", "content"):
        found = covered(drawn, view)
        weight = information if view == "words" else (lambda word: 1.0)
        for i, pair in enumerate(zip(drawn.left, drawn.right, strict=True)):
            a, b = (getattr(sentence, view) for sentence in pair)
            if not a or not b:
                assert (found.left[i], found.right[i], found.gap[i], found.logarithm[i]) == (0,) * 4
                continue
            of_left, of_right = best(a, b, vectors), best(b, a, vectors)
            left, right = ([weight(word) for word in side] for side in (a, b))
            assert found.left[i] == pytest.approx(np.average(of_left, weights=left), abs=1e-5)
            assert found.right[i] == pytest.approx(np.average(of_right, weights=right), abs=1e-5)
            gaps = [w * (1 - c) for w, c in zip(left + right, of_left + of_right, strict=True)]
            assert found.gap[i] == pytest.approx(max(gaps), abs=1e-4)
            logarithms = [math.log(max(c, LEAST)) for c in of_left + of_right]
            assert found.logarithm[i] == pytest.approx(np.mean(logarithms), abs=1e-5)


def test_product_is_the_geometric_mean_of_the_best_cosines(drawn: Batch, vectors: Vectors) -> None:
    column = get_feature("product_w2v").compute(drawn)
    for a, b, value in zip(drawn.left, drawn.right, column, strict=True):
        if a.content and b.content:
            found = best(a.content, b.content, vectors) + best(b.content, a.content, vectors)
            expected = math.prod(max(c, LEAST) for c in found) ** (1 / len(found))
            assert value == pytest.approx(expected, abs=1e-5)


# DynaMax


def test_dynamax_is_that_of_the_paper(drawn: Batch, vectors: Vectors) -> None:
    """Fuzzy bags of words over the universe of both sides' words, Jaccard (ibid., algorithm 1)."""
    column = get_feature("dynamax").compute(drawn)
    for a, b, value in zip(drawn.left, drawn.right, column, strict=True):
        if not a.words or not b.words:
            continue
        x, y = (np.array([vectors[word] for word in side.words]) for side in (a, b))
        universe = np.vstack([x, y])
        left, right = (np.maximum(0, (rows @ universe.T).max(axis=0)) for rows in (x, y))
        expected = np.minimum(left, right).sum() / np.maximum(left, right).sum()
        assert value == pytest.approx(expected, abs=1e-5)
