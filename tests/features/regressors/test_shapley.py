"""Explanations against exact Shapley values, a linear model and the axioms."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import factorial
from typing import Any

import numpy as np
import pytest

from semaniacs.features.regressors import shapley as explaining
from semaniacs.features.regressors.ensemble import Boosting, Ensemble
from semaniacs.features.regressors.fitted import FittedEnsemble
from semaniacs.features.regressors.shapley import explain

BOTH = pytest.mark.parametrize("regressor", ["sklearn", "lightgbm"])


def make_data(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Six columns: the gold follows the first two and their product, the last has no value."""
    rng = np.random.default_rng(seed)
    matrix = rng.random((n, 6))
    gold = np.clip(3 * matrix[:, 0] + 4 * matrix[:, 0] * matrix[:, 1] - 0.5, 0, 5)
    matrix[:, 5] = np.nan
    return matrix, gold


TRAINING, GOLD = make_data(200, seed=0)
UNSEEN, _ = make_data(40, seed=1)


def make(regressor: Any) -> Ensemble:
    """A fusion whose trees see every column, so that features act together."""
    return Ensemble(
        [
            Boosting(
                regressor, n_estimators=15, learning_rate=0.3, min_samples_leaf=5, max_features=1.0
            )
        ]
    )


@pytest.fixture(scope="module")
def fitted() -> dict[str, FittedEnsemble]:
    return {
        regressor: make(regressor).fit(TRAINING, GOLD).fitted_
        for regressor in ("sklearn", "lightgbm")
    }


@pytest.fixture(params=["sklearn", "lightgbm"])
def fusion(request: pytest.FixtureRequest, fitted: dict[str, FittedEnsemble]) -> FittedEnsemble:
    return fitted[request.param]


class Formula:
    """A fusion that is a formula, and counts the rows of each call."""

    def __init__(self, reference: np.ndarray, formula: Callable[[np.ndarray], np.ndarray]) -> None:
        self.reference = reference
        self.formula = formula
        self.calls: list[int] = []

    def predict(self, matrix: np.ndarray) -> np.ndarray:
        self.calls.append(len(matrix))
        return self.formula(matrix)


def exact_shapley(fusion: Any, row: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Shapley values by their definition: a weighted sum over every coalition."""
    k = len(row)

    def value(coalition: tuple[int, ...]) -> float:
        mixed = reference.copy()
        mixed[list(coalition)] = row[list(coalition)]
        return float(fusion.predict(mixed[None])[0])

    values = np.zeros(k)
    for feature in range(k):
        others = [j for j in range(k) if j != feature]
        for size in range(k):
            weight = factorial(size) * factorial(k - size - 1) / factorial(k)
            for coalition in combinations(others, size):
                values[feature] += weight * (value((*coalition, feature)) - value(coalition))
    return values


# What must add up


def test_contributions_add_up_to_the_score(fusion: FittedEnsemble) -> None:
    holes = UNSEEN.copy()
    holes[::3, 0] = holes[1::3, 4] = np.nan
    for repeats in (1, 8):
        explanation = explain(fusion, holes, repeats=repeats)
        np.testing.assert_array_equal(explanation.scores, fusion.predict(holes))
        total = explanation.base + explanation.contributions.sum(axis=1)
        np.testing.assert_allclose(total, explanation.scores, rtol=0, atol=1e-9)
        assert np.abs(explanation.contributions).max() <= 5


def test_the_base_is_the_score_of_the_medians(fusion: FittedEnsemble) -> None:
    medians = np.append(np.median(TRAINING[:, :5], axis=0), np.nan)
    explanation = explain(fusion, medians[None])
    assert explanation.base == explanation.scores[0] == fusion.predict(medians[None])[0]
    assert not explanation.contributions.any()


# Outside oracles


def test_a_linear_model_is_explained_exactly() -> None:
    rng = np.random.default_rng(3)
    weights, reference, matrix = rng.normal(size=7), rng.normal(size=7), rng.normal(size=(9, 7))
    explanation = explain(Formula(reference, lambda m: m @ weights), matrix, repeats=1)
    np.testing.assert_allclose(explanation.contributions, weights * (matrix - reference))
    assert explanation.base == pytest.approx(weights @ reference)


def test_a_product_of_two_is_shared_evenly() -> None:
    product = Formula(np.zeros(2), lambda m: m[:, 0] * m[:, 1])
    contributions = explain(product, np.array([[2.0, 2.0]]), repeats=1).contributions
    np.testing.assert_array_equal(contributions, [[2, 2]])


@BOTH
def test_many_orders_come_to_the_exact_shapley_values(regressor: Any) -> None:
    fusion = make(regressor).fit(TRAINING[:, :4], GOLD).fitted_
    rows = UNSEEN[:5, :4]
    reference = np.median(TRAINING[:, :4], axis=0)
    exact = np.stack([exact_shapley(fusion, row, reference) for row in rows])
    found = explain(fusion, rows, repeats=2000).contributions
    np.testing.assert_allclose(found, exact, atol=0.02)
    few = np.abs(explain(fusion, rows, repeats=4).contributions - exact).max()
    assert np.abs(found - exact).max() < few < 1


# The other axioms


@BOTH
def test_a_column_that_no_tree_asks_for_gets_nothing(regressor: Any) -> None:
    training = TRAINING.copy()
    training[:, 3] = 0.25  # constant, so that nothing can be split on it
    fusion = make(regressor).fit(training, GOLD).fitted_
    contributions = explain(fusion, UNSEEN).contributions
    assert fusion.importances[3] == 0
    assert not contributions[:, [3, 5]].any()
    assert contributions[:, 0].any()


def test_a_missing_value_gets_nothing(fusion: FittedEnsemble) -> None:
    holes = UNSEEN.copy()
    holes[:, 1] = np.nan
    contributions = explain(fusion, holes).contributions
    assert not contributions[:, 1].any()
    assert contributions[:, 0].any()


# The same pair in another file, another seed, other sizes


def test_a_pair_is_explained_alike_in_every_file(
    fusion: FittedEnsemble, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = explain(fusion, UNSEEN).contributions
    alone = [explain(fusion, row[None]).contributions[0] for row in UNSEEN[:4]]
    np.testing.assert_array_equal(whole[:4], alone)
    backwards = explain(fusion, UNSEEN[::-1]).contributions
    np.testing.assert_array_equal(backwards[::-1], whole)
    monkeypatch.setattr(explaining, "ROWS_AT_ONCE", 50)  # less than the steps of one pair
    np.testing.assert_array_equal(explain(fusion, UNSEEN[:4]).contributions, whole[:4])


def test_no_pair_and_one_column(fitted: dict[str, FittedEnsemble]) -> None:
    none = explain(fitted["sklearn"], np.empty((0, 6)))
    assert none.scores.shape == (0,)
    assert none.contributions.shape == (0, 6)
    one = explain(Formula(np.array([1.0]), lambda m: 2 * m[:, 0]), np.array([[3.0]]), repeats=1)
    assert (one.base, one.contributions.tolist()) == (2, [[4]])


def test_what_cannot_be_explained_is_refused(fitted: dict[str, FittedEnsemble]) -> None:
    with pytest.raises(ValueError, match="repeats is 0, expected 1 or more"):
        explain(fitted["sklearn"], UNSEEN, repeats=0)
    with pytest.raises(ValueError, match="5 features, but Ensemble is expecting 6"):
        explain(fitted["sklearn"], UNSEEN[:, :5])
