"""The shared formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest

from features.measures.formulas import (
    compressed_count,
    f1,
    ratio,
    relative_differences,
    set_f1,
    where_empty,
)


def test_f1() -> None:
    assert f1(0.5, 1.0) == pytest.approx(2 / 3)  # 2 · 0.5 · 1 / 1.5
    assert f1(1.0, 1.0) == 1.0
    assert f1(0.0, 1.0) == f1(0.0, 0.0) == 0.0


def test_f1_of_sets() -> None:
    some, more, none = frozenset("ab"), frozenset("bcd"), frozenset[str]()
    assert set_f1(some, more) == pytest.approx(2 / 5)
    assert set_f1(some, some) == set_f1(none, none) == 1.0
    assert set_f1(some, none) == set_f1(none, some) == set_f1(some, frozenset("c")) == 0.0


def test_a_ratio_to_nothing() -> None:
    a, b = np.array([1.0, 2, 0]), np.array([2.0, 0, 0])
    np.testing.assert_array_equal(ratio(a, b), [0.5, 0, 0])
    np.testing.assert_array_equal(ratio(a, b, otherwise=1.0), [0.5, 1, 1])


def test_sides_that_are_empty() -> None:
    left, right = np.array([2, 0, 3, 0]), np.array([1, 5, 0, 0])
    found = where_empty(np.full(4, 0.5), left, right, neither=1.0, one=0.25)
    np.testing.assert_array_equal(found, [0.5, 0.25, 0.25, 1.0])


def test_compressed_count() -> None:
    assert compressed_count() == compressed_count(0, 0) == 0.0
    assert compressed_count(1, 2) == pytest.approx(math.log(4))


def test_relative_differences() -> None:
    a, b = np.array([3.0, 4, 0, 0, 5]), np.array([4.0, 3, 2, 0, 5])
    np.testing.assert_array_equal(relative_differences(a, b), [0.25, 0.25, 1.0, 0.0, 0.0])
    assert relative_differences(np.empty(0), np.empty(0)).shape == (0,)
