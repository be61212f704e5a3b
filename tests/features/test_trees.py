"""Boosted trees as arrays, against scikit-learn's own prediction."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor

from features.trees import Trees

STUMP = Trees(
    roots=np.array([0, 3], np.int32),
    left=np.array([1, -1, -1, -1], np.int32),
    right=np.array([2, -1, -1, -1], np.int32),
    column=np.array([1, -2, -2, -2], np.int32),
    threshold=np.array([1.5, 0, 0, 0], np.float64),
    value=np.array([9.0, -1.0, 1.0, 0.25]),
    start=np.array([2.0]),
    gain=np.array([0.0, 1.0]),
)


def test_by_hand() -> None:
    # 2 to start with; column 1 up to 1.5 takes 1 away, above adds 1; a lone leaf adds 0.25
    matrix = np.array([[9.0, 1.0], [-9.0, 1.5], [0.0, 1.5001]])
    np.testing.assert_array_equal(STUMP.predict(matrix), [1.25, 1.25, 3.25])
    assert STUMP.predict(np.empty((0, 2))).shape == (0,)


def fit(rng: np.random.Generator, matrix: np.ndarray, **options: Any) -> Any:
    gold = np.clip(matrix @ rng.standard_normal(matrix.shape[1]) + 2.5, 0, 5)
    return GradientBoostingRegressor(n_estimators=30, random_state=0, **options).fit(matrix, gold)


MODELS = [
    {"max_depth": 1},
    {"max_depth": 4, "subsample": 0.5, "max_features": 0.3, "min_samples_leaf": 5},
    {"max_depth": None, "learning_rate": 0.7},
]


@pytest.mark.parametrize("options", MODELS)
@pytest.mark.parametrize("decimals", [0, 1, 15])
def test_predictions_are_scikit_learns(options: dict[str, Any], decimals: int) -> None:
    rng = np.random.default_rng(0)
    matrix = rng.standard_normal((120, 6)).round(decimals)
    model = fit(rng, matrix, **options)
    trees = Trees.from_sklearn(model)
    unseen = 2 * rng.standard_normal((200, 6))
    for rows in (matrix, unseen, unseen[:1]):
        np.testing.assert_allclose(trees.predict(rows), model.predict(rows), rtol=0, atol=1e-12)


@pytest.mark.parametrize("options", MODELS)
def test_predictions_at_the_thresholds_are_scikit_learns(options: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    model = fit(rng, rng.standard_normal((120, 3)), **options)
    trees = Trees.from_sklearn(model)
    inner = trees.left >= 0
    at = np.unique(trees.threshold[inner])
    assert len(at) > 10
    # float32 is what scikit-learn compares, so a little above in float64 may still go left
    near = [at, np.nextafter(at, -9), np.nextafter(at, 9), at + 1e-9, at - 1e-9, at + 1e-6]
    near.append(at.astype(np.float32).astype(np.float64))
    for values in near:
        matrix = np.stack([values, rng.permutation(values), rng.permutation(values)], axis=1)
        np.testing.assert_allclose(trees.predict(matrix), model.predict(matrix), rtol=0, atol=1e-12)


def test_equal_gold_scores_need_no_tree() -> None:
    matrix = np.random.default_rng(0).standard_normal((30, 2))
    model = GradientBoostingRegressor(n_estimators=3).fit(matrix, np.full(30, 3.5))
    np.testing.assert_allclose(Trees.from_sklearn(model).predict(matrix), 3.5, rtol=0, atol=1e-12)


def test_the_gain_is_scikit_learns_importance() -> None:
    rng = np.random.default_rng(0)
    model = fit(rng, rng.standard_normal((60, 4)))
    np.testing.assert_array_equal(Trees.from_sklearn(model).gain, model.feature_importances_)
    assert model.feature_importances_.sum() == pytest.approx(1.0)


def test_tensors_make_the_same_trees() -> None:
    rng = np.random.default_rng(0)
    matrix = rng.standard_normal((60, 4))
    trees = Trees.from_sklearn(fit(rng, matrix))
    again = Trees(**trees.tensors())
    np.testing.assert_array_equal(again.predict(matrix), trees.predict(matrix))
    assert {str(t.dtype) for t in trees.tensors().values()} == {"int32", "float64"}
