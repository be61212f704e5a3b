"""The shared formulas."""

from __future__ import annotations

import numpy as np
import pytest

from features.measures.formulas import (
    relative_differences,
    set_f1,
    where_empty,
)


def test_f1_of_sets() -> None:
    some, more, none = frozenset("ab"), frozenset("bcd"), frozenset[str]()
    assert set_f1(some, more) == pytest.approx(2 / 5)
    assert set_f1(some, some) == set_f1(none, none) == 1.0
    assert set_f1(some, none) == set_f1(none, some) == set_f1(some, frozenset("c")) == 0.0


def test_sides_that_are_empty() -> None:
    left, right = np.array([2, 0, 3, 0]), np.array([1, 5, 0, 0])
    found = where_empty(np.full(4, 0.5), left, right, neither=1.0, one=0.25)
    np.testing.assert_array_equal(found, [0.5, 0.25, 0.25, 1.0])


def test_relative_differences() -> None:
    a, b = np.array([3.0, 4, 0, 0, 5]), np.array([4.0, 3, 2, 0, 5])
    np.testing.assert_array_equal(relative_differences(a, b), [0.25, 0.25, 1.0, 0.0, 0.0])
    assert relative_differences(np.empty(0), np.empty(0)).shape == (0,)
