"""The map of columns to the values at their quantiles, by hand and by what any such map does."""

from __future__ import annotations

import numpy as np

from features.regressors.quantile_map import KNOTS, QuantileMap, quantiles_of

SOURCE = np.array([[0.0], [0.0], [0.0], [2.0], [4.0]], np.float32)
TARGET = np.array([[10.0], [20.0], [30.0], [40.0], [60.0]], np.float32)


def test_by_hand() -> None:
    mapped = QuantileMap(SOURCE, TARGET)(np.array([[0.0], [1.0], [2.0], [3.0], [4.0]]))
    # 0 holds the ranks 0, 1, 2, the middle of which is 1; 1 lies half way from rank 2 to rank 3.
    assert mapped[:, 0].tolist() == [20.0, 35.0, 40.0, 50.0, 60.0]


def test_two_values_trade_two_values() -> None:
    source = quantiles_of(np.array([[0.0]] * 6 + [[1.0]] * 4))
    target = quantiles_of(np.array([[3.0]] * 6 + [[8.0]] * 4))
    assert QuantileMap(source, target)(np.array([[0.0], [1.0]]))[:, 0].tolist() == [3.0, 8.0]


def test_the_same_quantiles_leave_values_as_they_are() -> None:
    rng = np.random.default_rng(0)
    matrix = np.stack([rng.normal(size=900), rng.integers(0, 4, 900), np.full(900, 0.3)], axis=1)
    quantiles = quantiles_of(matrix)
    assert quantiles.shape == (KNOTS, 3)
    np.testing.assert_allclose(QuantileMap(quantiles, quantiles)(matrix), matrix, atol=1e-6)


def test_a_shifted_and_stretched_column_comes_back() -> None:
    english = np.random.default_rng(1).normal(size=(2000, 1))
    other = 5.0 + 3.0 * english
    mapped = QuantileMap(quantiles_of(other), quantiles_of(english))(other)
    np.testing.assert_allclose(mapped, english, atol=1e-5)
