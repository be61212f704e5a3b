"""Scores that conflicts lower, the map of quantiles, and boosting of a probability."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from semaniacs.features.regressors.ensemble import Boosting, Ensemble
from semaniacs.features.regressors.fitted import ConflictColumns, Conflicts
from semaniacs.features.regressors.quantile_map import KNOTS, QuantileMap, quantiles_of
from semaniacs.features.regressors.saved_ensemble import load_ensemble, save_ensemble
from semaniacs.runs.pipeline.recipe_parts import LabelsAsGrades
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.errors import ValuesError
from semaniacs.sts.scoring.classification import roc_auc

LOWERED = Conflicts(
    columns=(0, 2), weights=(0.5, 0.25), rest=1, power=2.0, length=3, words=8.0, decay=2.0
)
FOUR, SIXTEEN = np.log1p([4.0, 16.0])
ROWS = np.array(
    [
        [0.0, 1.0, 0.0, FOUR],
        [1.0, 1.0, 0.0, FOUR],  # half of the score is taken
        [1.0, 0.5, 0.0, FOUR],  # half of a quarter
        [0.4, 1.0, 1.0, FOUR],  # a fifth, then a quarter of what is left
        [1.0, 1.0, 0.0, SIXTEEN],  # of a sentence twice as long a quarter as much
        [np.nan, 1.0, 1.0, FOUR],  # what is missing is no conflict
        [1.0, np.nan, 1.0, FOUR],  # nor is there one where nothing is known to agree
    ]
)


def test_each_conflict_takes_its_share() -> None:
    np.testing.assert_allclose(LOWERED.factors(ROWS), [1, 0.5, 0.875, 0.8 * 0.75, 0.875, 0.75, 1])


def test_an_ensemble_is_lowered_at_last_and_saved_with_it(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    matrix, gold = rng.random((40, 4)), rng.random(40) * 5
    plain = Ensemble([Boosting()]).fit(matrix, gold).fitted_
    lowered = Ensemble([Boosting()], conflicts=(LOWERED,)).fit(matrix, gold).fitted_
    expected = plain.predict(matrix) * LOWERED.factors(matrix)
    np.testing.assert_allclose(lowered.predict(matrix), expected)
    assert (expected < plain.predict(matrix)).all()
    save_ensemble(tmp_path / "e.safetensors", lowered, ("a", "b", "c", "d"))
    again, _ = load_ensemble(tmp_path / "e.safetensors")
    assert again.conflicts == (LOWERED,)
    np.testing.assert_array_equal(again.predict(matrix), lowered.predict(matrix))


def test_a_recipe_names_the_columns_that_are_there() -> None:
    named = ConflictColumns((("x", 0.5), ("y", 0.4), ("z", 0.3)), "r", 4.0, "n", 8.0, 2.0)
    found = named.among(["r", "z", "n", "x"])
    assert found == Conflicts((3, 1), (0.5, 0.3), 0, 4.0, 2, 8.0, 2.0)
    assert named.among(["x", "y"]) is None
    assert named.among(["r", "n"]) is None


def test_labels_become_grades() -> None:
    gold = np.array([5.0, 0, 0, 5, 0, 5])
    pairs = Pairs("labelled", tuple("abcdef"), tuple("ghijkl"), gold)
    taken = LabelsAsGrades(every=3, same=4.5, other=2.0).grades(pairs)
    assert (taken.left, taken.right) == (("a", "d"), ("g", "j"))
    np.testing.assert_array_equal(taken.gold, [4.5, 4.5])
    every = LabelsAsGrades(every=1, same=4.5, other=2.0).grades(pairs)
    np.testing.assert_array_equal(every.gold, [4.5, 2, 2, 4.5, 2, 4.5])


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


RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 3))
Y = 5.0 * (X[:, 0] + 0.3 * RNG.normal(size=300) > 0)


def test_scores_are_probabilities_times_five() -> None:
    from lightgbm import Booster

    fitted = Boosting(objective="logistic", n_estimators=30).fit(X, Y)
    booster = Booster(model_str=fitted.fitted_.text.tobytes().decode())
    assert np.allclose(fitted.predict(X), 5 * booster.predict(X), atol=1e-12)
    assert roc_auc(Y > 0, fitted.predict(X)) > 0.9


def test_a_saved_one_scores_the_same(tmp_path: Path) -> None:
    ensemble = Ensemble((Boosting(objective="logistic", n_estimators=10),)).fit(X, Y).fitted_
    save_ensemble(tmp_path / "e.safetensors", ensemble, ("a", "b", "c"))
    again, _ = load_ensemble(tmp_path / "e.safetensors")
    assert np.array_equal(again.predict(X), ensemble.predict(X))


def test_scikit_learn_has_no_such_objective() -> None:
    with pytest.raises(ValuesError, match="'logistic' is LightGBM's"):
        Boosting(library="sklearn", objective="logistic").fit(X, Y)
