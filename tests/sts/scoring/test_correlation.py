"""Correlations against SciPy and against exact arithmetic."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st

from semaniacs.sts.data.pairs import Scores
from semaniacs.sts.scoring.correlation import (
    CentredRows,
    average_ranks,
    pearson,
    pearson_by_row,
    spearman,
)

TIED = st.integers(0, 10).map(lambda step: step / 2)
COLUMNS = st.lists(st.tuples(TIED, TIED), min_size=2, max_size=40).map(np.array)


@given(COLUMNS)
def test_correlations_agree_with_scipy(columns: Scores) -> None:
    a, b = columns.T
    assume(len(set(a)) > 1 and len(set(b)) > 1)
    assert pearson(a, b) == pytest.approx(scipy.stats.pearsonr(a, b).statistic, abs=1e-12)
    assert spearman(a, b) == pytest.approx(scipy.stats.spearmanr(a, b).statistic, abs=1e-12)


@given(st.lists(TIED | st.just(math.nan)).map(np.array))
def test_ranks_are_scipys(values: Scores) -> None:
    np.testing.assert_array_equal(average_ranks(values), scipy.stats.rankdata(values))


@given(COLUMNS)
def test_correlations_are_symmetric_and_bounded(columns: Scores) -> None:
    a, b = columns.T
    for measure in (pearson, spearman):
        np.testing.assert_equal(measure(a, b), measure(b, a))
        assert math.isnan(measure(a, b)) or -1 <= measure(a, b) <= 1


def test_correlations_agree_with_scipy_on_real_numbers() -> None:
    rng = np.random.default_rng(0)
    a = rng.standard_normal(1000)
    b = a + rng.standard_normal(1000)
    assert pearson(a, b) == pytest.approx(scipy.stats.pearsonr(a, b).statistic, abs=1e-12)
    assert pearson(a, 3 * a + 7) == pytest.approx(1)
    assert spearman(a, -np.exp(a)) == pytest.approx(-1)


@pytest.mark.parametrize("measure", [pearson, spearman])
@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([], []),
        ([1], [2]),
        ([2, 2, 2], [1, 2, 3]),
        ([1, 2, 3], [0.1, 0.1, 0.1]),
        ([1, 1], [1, 1]),
        ([1, math.nan, 3], [1, 2, 3]),
        ([1, 2, 3], [3, math.nan, 1]),
    ],
)
def test_an_undefined_correlation_is_nan(
    measure: Callable[[Scores, Scores], float], a: list[float], b: list[float]
) -> None:
    assert math.isnan(measure(np.array(a, float), np.array(b, float)))


def test_arrays_of_two_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match=r"\(2,\) and \(3,\)"):
        pearson(np.zeros(2), np.zeros(3))


def exact_pearson(a: Scores, b: Scores) -> float:
    """By rational arithmetic, which neither underflows nor rounds."""
    a, b = ([Fraction(value) for value in values.tolist()] for values in (a, b))
    a, b = ([value - sum(values) / len(values) for value in values] for values in (a, b))
    covariance = sum(x * y for x, y in zip(a, b, strict=True))
    square = covariance**2 / (sum(x * x for x in a) * sum(y * y for y in b))
    return math.sqrt(square) if covariance > 0 else -math.sqrt(square)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e-90, 1e-30, 1.0, 1e90, 1e200, 1e307])
def test_very_small_and_very_large_values_have_their_correlation(scale: float) -> None:
    a = np.array([1, 2, 3, 4, 5.5]) * scale
    b = np.array([2, 1, 4, 3, -1.0])
    for x, y in ((a, b), (b, a), (a, b * scale / 2), (a, a[::-1])):
        expected = exact_pearson(x, y)
        assert -1 <= expected < 0
        assert pearson(x, y) == pytest.approx(expected, abs=1e-14)
        assert pearson_by_row(*map(CentredRows.of, (x[None], y[None])))[0] == pytest.approx(
            expected, abs=1e-14
        )


def test_scaling_changes_no_bit() -> None:
    a, b = np.random.default_rng(0).uniform(0, 5, (2, 250))
    centred = a - a.mean(), b - b.mean()
    plain = (centred[0] @ centred[1]) / np.sqrt(
        (centred[0] @ centred[0]) * (centred[1] @ centred[1])
    )
    assert pearson(a, b) == plain
    assert pearson(a * 2.0**-600, b * 2.0**500) == plain
