"""The shared formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest

from features.measures.formulas import compressed_count, f1, relative_differences


def test_f1() -> None:
    assert f1(0.5, 1.0) == pytest.approx(2 / 3)  # 2 · 0.5 · 1 / 1.5
    assert f1(1.0, 1.0) == 1.0
    assert f1(0.0, 1.0) == f1(0.0, 0.0) == 0.0


def test_f1_is_the_harmonic_mean() -> None:
    from statistics import harmonic_mean

    for precision, recall in np.random.default_rng(0).random((50, 2)):
        assert f1(precision, recall) == pytest.approx(harmonic_mean([precision, recall]))


def test_compressed_count() -> None:
    assert compressed_count() == compressed_count(0, 0) == 0.0
    assert compressed_count(1, 2) == pytest.approx(math.log(4))


def test_relative_differences() -> None:
    a, b = np.array([3.0, 4, 0, 0, 5]), np.array([4.0, 3, 2, 0, 5])
    np.testing.assert_array_equal(relative_differences(a, b), [0.25, 0.25, 1.0, 0.0, 0.0])
    assert relative_differences(np.empty(0), np.empty(0)).shape == (0,)
