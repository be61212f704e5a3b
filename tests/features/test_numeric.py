"""The shared formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial import distance

from features.numeric import compressed_count, f1, relative_difference, sparse_cosine


def test_f1() -> None:
    assert f1(0.5, 1.0) == pytest.approx(2 / 3)  # 2 · 0.5 · 1 / 1.5
    assert f1(1.0, 1.0) == 1.0
    assert f1(0.0, 1.0) == f1(0.0, 0.0) == 0.0


def test_compressed_count() -> None:
    assert compressed_count() == compressed_count(0, 0) == 0.0
    assert compressed_count(1, 2) == pytest.approx(math.log(4))


def test_relative_difference() -> None:
    assert relative_difference(3, 4) == relative_difference(4, 3) == 0.25
    assert relative_difference(0, 2) == 1.0
    assert relative_difference(0, 0) == relative_difference(5, 5) == 0.0


def test_sparse_cosine_is_scipys() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        a, b = rng.integers(0, 3, (2, 6)).astype(float) * rng.random((2, 6))
        if a.any() and b.any():
            sparse = [{i: x for i, x in enumerate(v) if x} for v in (a, b)]
            assert sparse_cosine(*sparse) == pytest.approx(1 - distance.cosine(a, b))


def test_sparse_cosine_with_nothing_is_0_and_with_itself_never_above_1() -> None:
    assert sparse_cosine({}, {"a": 1.0}) == sparse_cosine({}, {}) == 0.0
    assert sparse_cosine({"a": 0.0}, {"a": 1.0}) == 0.0
    for x in np.random.default_rng(0).random(200):
        v = {"a": x, "b": x / 3}
        assert 1 - 1e-12 < sparse_cosine(v, v) <= 1.0
