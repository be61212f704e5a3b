"""Out-of-fold scores: no model has seen a pair that shares a sentence with those it scores."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.model_selection import LeaveOneGroupOut, cross_val_predict

from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.errors import StsError
from semaniacs.sts.scoring.correlation import pearson
from semaniacs.sts.scoring.cross_validation import (
    FEWEST,
    check_gold,
    cross_validate,
    out_of_fold_scores,
    shuffled,
)

GROUPS = np.arange(FEWEST) % 3
GOLD = np.random.default_rng(0).uniform(0, 5, FEWEST)
PAIRS = Pairs(
    "three topics",
    tuple(f"topic {group}" for group in GROUPS),
    tuple(f"answer {number}" for number in range(FEWEST)),
    GOLD,
)
NOTHING = np.zeros((FEWEST, 1))


@pytest.mark.parametrize("folds", [3, 4, 10])
def test_at_most_one_fold_for_each_group(folds: int) -> None:
    found = out_of_fold_scores(DummyRegressor, NOTHING, PAIRS, folds=folds, seed=1)
    expected = cross_val_predict(
        DummyRegressor(), NOTHING, GOLD, groups=GROUPS, cv=LeaveOneGroupOut()
    )
    np.testing.assert_allclose(found, expected)
    validated = cross_validate(DummyRegressor, NOTHING, PAIRS, GOLD, folds=folds, seed=1)
    assert (validated.pairs, validated.folds, validated.pearson_before) == (FEWEST, 3, 1)
    assert validated.pearson == pytest.approx(pearson(expected, GOLD))
    assert str(validated).endswith("Keep that one.")
    assert "help" not in str(replace(validated, pearson_before=-1.0))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gold": np.full(FEWEST, 2.0)}, "every pair has the gold score 2; expected different"),
        ({"gold": GROUPS % 2}, "the gold scores are 0 and 1 alone"),
    ],
)
def test_what_cannot_be_validated(change: dict[str, Any], message: str) -> None:
    columns = {"left": PAIRS.left, "right": PAIRS.right, "gold": GOLD} | change
    with pytest.raises(StsError, match=message):
        check_gold(Pairs("x", **columns))


def test_answers_to_one_reference_are_held_out_by_answer() -> None:
    pairs = Pairs("x", ("one topic",) * FEWEST, PAIRS.right, np.asarray(GOLD, float))
    found = cross_validate(DummyRegressor, NOTHING, pairs, NOTHING[:, 0], folds=3, seed=0)
    assert found.folds == 3
    assert len(shuffled(pairs)) == 0  # an answer beside its reference is no unrelated pair


def test_pairs_just_enough_and_one_too_few() -> None:
    few = PAIRS.select(np.arange(FEWEST) > 0)
    with pytest.raises(StsError, match=f"{FEWEST - 1} pairs to fit to; expected {FEWEST} or more"):
        check_gold(few, to_fit=True)
