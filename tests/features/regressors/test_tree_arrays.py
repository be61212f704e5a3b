"""Boosted trees as arrays, against scikit-learn's own prediction."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor

from semaniacs.features.regressors.ensemble import boosting_trees
from semaniacs.features.regressors.saved_ensemble import Trees

STUMP = Trees(
    roots=np.array([0, 3], np.int32),
    left=np.array([1, -1, -1, -1], np.int32),
    right=np.array([2, -1, -1, -1], np.int32),
    column=np.array([1, -2, -2, -2], np.int16),
    threshold=np.array([1.5, 0, 0, 0], np.float32),
    value=np.array([9.0, -1.0, 1.0, 0.25]),
    start=np.array([2.0]),
    gain=np.array([0.0, 1.0]),
)


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
    trees = boosting_trees(model)
    unseen = 2 * rng.standard_normal((200, 6))
    for rows in (matrix, unseen, unseen[:1]):
        np.testing.assert_allclose(trees.predict(rows), model.predict(rows), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(trees.gain, model.feature_importances_)


@pytest.mark.parametrize("options", MODELS)
def test_predictions_at_the_thresholds_are_scikit_learns(options: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    model = fit(rng, rng.standard_normal((120, 3)), **options)
    trees = boosting_trees(model)
    inner = trees.left >= 0
    at = np.unique(trees.threshold[inner]).astype(np.float64)
    assert len(at) > 10
    # float32 is what scikit-learn compares, so a little above in float64 may still go left
    at = np.concatenate([at, model_thresholds(model)])
    near = [at, np.nextafter(at, -9), np.nextafter(at, 9), at + 1e-9, at - 1e-9, at + 1e-6]
    near.append(at.astype(np.float32).astype(np.float64))
    for values in near:
        matrix = np.stack([values, rng.permutation(values), rng.permutation(values)], axis=1)
        np.testing.assert_allclose(trees.predict(matrix), model.predict(matrix), rtol=0, atol=1e-12)


def model_thresholds(model: Any) -> np.ndarray:
    """scikit-learn's own thresholds, in float64."""
    trees = [estimator.tree_ for estimator in model.estimators_[:, 0]]
    return np.unique(np.concatenate([t.threshold[t.children_left >= 0] for t in trees]))


@pytest.mark.parametrize(
    "damage",
    [
        {"left": np.array([0, -1, -1, -1], np.int32)},  # its own parent: a walk without end
        {"right": np.array([4, -1, -1, -1], np.int32)},  # a node that is not there
        {"roots": np.array([0, 9], np.int32)},
        {"column": np.array([2, -2, -2, -2], np.int16)},  # of two columns
        {"value": np.array([1.0])},
    ],
)
def test_damaged_trees_are_refused(damage: dict[str, np.ndarray]) -> None:
    with pytest.raises(ValueError, match="no trees"):
        Trees(**vars(STUMP) | damage)


def test_tensors_make_the_same_trees() -> None:
    rng = np.random.default_rng(0)
    matrix = rng.standard_normal((60, 4))
    trees = boosting_trees(fit(rng, matrix))
    again = Trees.of_tensors(trees.tensors())
    np.testing.assert_array_equal(again.predict(matrix), trees.predict(matrix))
    for name in ("roots", "left", "right"):
        np.testing.assert_array_equal(getattr(again, name), getattr(trees, name))
    assert {name: str(t.dtype) for name, t in trees.tensors().items()} == {
        "column": "int8",
        "threshold": "float32",
        "value": "float64",
        "start": "float64",
        "gain": "float64",
    }


def test_trees_are_packed_as_by_hand() -> None:
    packed = STUMP.tensors()
    assert packed["column"].tolist() == [1, -1, -1, -1]
    assert packed["threshold"].tolist() == [1.5]
    assert packed["value"].tolist() == [-1.0, 1.0, 0.25]


def test_trees_of_many_columns_are_packed() -> None:
    matrix = np.random.default_rng(0).standard_normal((200, 300))
    model = GradientBoostingRegressor(n_estimators=5, random_state=0).fit(matrix, matrix[:, 299])
    trees = boosting_trees(model)
    again = Trees.of_tensors(trees.tensors())
    np.testing.assert_array_equal(again.predict(matrix), trees.predict(matrix))
    assert again.splits[128:].any()


@pytest.mark.parametrize(
    "damage",
    [
        {"column": np.array([1, -1], np.int8)},  # a split with one child
        {"column": np.array([1, -1, -1, 1, -1, -1], np.int8)},  # a split without a threshold
        {"column": np.array([-1, -1], np.int8)},  # fewer leaves than values
        {"value": np.zeros(9)},
    ],
)
def test_damaged_packed_trees_are_refused(damage: dict[str, np.ndarray]) -> None:
    with pytest.raises(ValueError, match=r"no trees|assign"):
        Trees.of_tensors(STUMP.tensors() | damage)


def test_nodes_in_another_order_are_not_packed() -> None:
    """The left child must come next; packed, the two would be exchanged without a word."""
    other = Trees(**vars(STUMP) | {"left": STUMP.right, "right": STUMP.left})
    with pytest.raises(ValueError, match="preorder"):
        other.tensors()


def test_by_hand() -> None:
    # 2 to start with; column 1 up to 1.5 takes 1 away, above adds 1; a lone leaf adds 0.25
    matrix = np.array([[9.0, 1.0], [-9.0, 1.5], [0.0, 1.5001]])
    np.testing.assert_array_equal(STUMP.predict(matrix), [1.25, 1.25, 3.25])
    assert STUMP.predict(np.empty((0, 2))).shape == (0,)


def test_equal_gold_scores_need_no_tree() -> None:
    matrix = np.random.default_rng(0).standard_normal((30, 2))
    model = GradientBoostingRegressor(n_estimators=3).fit(matrix, np.full(30, 3.5))
    np.testing.assert_allclose(boosting_trees(model).predict(matrix), 3.5, rtol=0, atol=1e-12)
