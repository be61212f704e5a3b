"""Alignment and uniformity of vectors whose distances are known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from embeddings.training.losses.uniformity import alignment, uniformity

CROSS = np.array([[1, 0], [0, 1], [-1, 0]], np.float32)


def test_alignment_is_the_mean_squared_distance() -> None:
    assert alignment(CROSS, CROSS) == 0
    assert alignment(CROSS, CROSS[[0, 0, 0]]) == pytest.approx((0 + 2 + 4) / 3)


def test_uniformity_leaves_out_a_vector_and_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = math.log((2 * math.exp(-4) + math.exp(-8)) / 3)  # squared distances 2, 2, 4
    assert uniformity(CROSS) == pytest.approx(expected)
    monkeypatch.setattr("embeddings.training.losses.uniformity.AT_ONCE", 2)
    assert uniformity(CROSS) == pytest.approx(expected)
    assert uniformity(CROSS[[0, 0]]) == pytest.approx(0)
