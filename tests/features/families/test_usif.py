"""uSIF: weights from frequencies, common directions from a principal component analysis."""

from __future__ import annotations

import numpy as np
import pytest

from embeddings.encoder import Encoder
from features.batch import Batch
from features.families.vectors import fitted, means
from features.registry import get_feature
from features.resources import Resources
from features.word_spaces.common_directions import DIRECTIONS, LENGTH, fit, smoothing
from tests.features.support import make_batch

TEXTS = ["The cat sat on the mat.", "A dog", "", "Stocks fell on Friday", "The cats sat down."]


@pytest.fixture(scope="module")
def batch() -> Batch:
    return make_batch(TEXTS, TEXTS[::-1], Resources())


# Weights


def test_smoothing_by_hand() -> None:
    # ten words; a word turns up in a sentence of 11 with 1 − (1 − 1/10)¹¹ = 0.686 by chance alone;
    # one of them is more frequent, α = 1/10; a = (1 − α) / (α · 10/2)
    assert LENGTH == 11
    assert smoothing([0.7] + [0.01] * 9) == pytest.approx(0.9 / 0.5)


# Sums


def test_means_are_weighted_sums_of_unit_vectors(batch: Batch) -> None:
    usif = fitted()
    bundled = batch.resources.encoder("paragram")
    encoder = Encoder(bundled.tokenizer, bundled.rows)  # words are not cut
    for sentence, total in zip(batch.sentences, means(batch, usif), strict=True):
        expected = np.zeros(encoder.dim)
        for word in sentence.words:
            (vector,) = encoder.encode([word]).astype(np.float64)
            expected += usif.weight(word) * vector / np.linalg.norm(vector)
        np.testing.assert_allclose(total, expected, atol=1e-5)


# Directions


def vectors(n: int = 500, dim: int = 12) -> np.ndarray:
    """Sentence vectors that have much in common, one of them zero."""
    rng = np.random.default_rng(0)
    common = rng.standard_normal((3, dim)) * np.array([[5], [3], [2]])
    found = rng.standard_normal((n, 3)) @ common + rng.standard_normal((n, dim)) + 2
    found[7] = 0
    return found


def test_directions_are_numpys_singular_vectors() -> None:
    found = vectors()
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    unit = found / np.where(lengths > 0, lengths, 1)
    _, values, rows = np.linalg.svd(unit, full_matrices=False)
    usif = fit(found, 1e-3)
    assert usif.directions.shape == (DIRECTIONS, 12)
    cosines = np.abs(np.sum(usif.directions * rows[:DIRECTIONS], axis=1))
    np.testing.assert_allclose(cosines, 1, atol=1e-4)
    shares = values[:DIRECTIONS] ** 2 / np.sum(values[:DIRECTIONS] ** 2)
    np.testing.assert_allclose(usif.shares, shares, atol=1e-5)
    assert usif.shares.sum() == pytest.approx(1)
    assert (usif.directions.sum(axis=1) > 0).all()  # a sign of their own


def test_a_sentence_has_one_vector_in_every_file() -> None:
    found = np.random.default_rng(0).standard_normal((300, 256))
    usif = fitted()
    together = usif.without_common(found)
    for n in (1, 2, 7, 100):
        np.testing.assert_array_equal(usif.without_common(found[:n]), together[:n])
    np.testing.assert_array_equal(usif.without_common(found[::-1]), together[::-1])


def test_the_transform_that_ships() -> None:
    usif = fitted()
    assert usif.directions.shape == (DIRECTIONS, 256)
    products = usif.directions @ usif.directions.T
    np.testing.assert_allclose(products, np.eye(DIRECTIONS), atol=1e-5)
    assert (np.diff(usif.shares) < 0).all()
    assert usif.shares.sum() == pytest.approx(1, abs=1e-5)
    assert 0 < usif.a < 1e-2
    assert fitted() is usif


# The column


def test_the_column_is_the_cosine_of_the_vectors(batch: Batch) -> None:
    usif = fitted()
    rows = usif.without_common(means(batch, usif))
    left, right = (rows[side] for side in batch.pairs)
    norms = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    expected = np.divide((left * right).sum(axis=1), norms, out=np.zeros(5), where=norms > 0)
    np.testing.assert_allclose(get_feature("usif").compute(batch), expected, atol=1e-12)
    assert expected[2] == 0  # two blank sentences
