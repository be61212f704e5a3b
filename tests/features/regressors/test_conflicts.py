"""Scores that conflicts lower: by hand, saved and loaded, in an ensemble."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from features.regressors.ensemble import Ensemble, Ridge
from features.regressors.fitted import ConflictColumns, Conflicts
from features.regressors.saved_ensemble import load_ensemble, save_ensemble
from runs.pipeline.recipe_parts import LabelsAsGrades
from sts.data.pairs import Pairs

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
    plain = Ensemble([Ridge()]).fit(matrix, gold).fitted_
    lowered = Ensemble([Ridge()], conflicts=LOWERED).fit(matrix, gold).fitted_
    expected = plain.predict(matrix) * LOWERED.factors(matrix)
    np.testing.assert_allclose(lowered.predict(matrix), expected)
    assert (expected < plain.predict(matrix)).all()
    save_ensemble(tmp_path / "e.safetensors", lowered, ("a", "b", "c", "d"))
    again, _ = load_ensemble(tmp_path / "e.safetensors")
    assert again.conflicts == LOWERED
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
