"""uSIF: weights from frequencies, common directions from a principal component analysis."""

from __future__ import annotations

import numpy as np
import pytest

from features.families.vectors import fitted
from features.word_spaces import DIRECTIONS, LENGTH, fit_directions, smoothing

# Weights


def test_smoothing_by_hand() -> None:
    # ten words; a word turns up in a sentence of 11 with 1 − (1 − 1/10)¹¹ = 0.686 by chance alone;
    # one of them is more frequent, α = 1/10; a = (1 − α) / (α · 10/2)
    assert LENGTH == 11
    assert smoothing([0.7] + [0.01] * 9) == pytest.approx(0.9 / 0.5)


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
    usif = fit_directions(found, 1e-3)
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
