"""Importance: three measures against the libraries' own, whatever the order of the columns."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from semaniacs.features.regressors.ensemble import Boosting
from semaniacs.runs.contribution.importance import (
    Importances,
    gini_shares,
    measure_importance,
    most_correlated,
    spearman_matrix,
)
from semaniacs.runs.contribution.ledger import Ledger
from semaniacs.runs.contribution.study import Study
from semaniacs.runs.pipeline.recipe_parts import Ensemble, Regressor
from tests.runs.made_studies import COLUMNS, INFORMATIVE, make_study, with_column, with_order

FEW_TREES = Boosting("sklearn", n_estimators=20, learning_rate=0.2, random_state=3)

Measure = Callable[..., Importances]


@pytest.fixture
def measure(tmp_path: Path) -> Measure:
    """Measure with nothing in the ledger."""
    count = itertools.count()

    def call(study: Study) -> Importances:
        return measure_importance(study, Ledger(tmp_path / f"{next(count)}.jsonl"), 1, FEW_TREES)

    return call


@pytest.mark.parametrize("regressor", ["sklearn", "lightgbm"])
def test_the_informative_column_comes_first(regressor: str, measure: Measure) -> None:
    found = measure(make_study(regressor))
    rows = found.rows
    assert {row.feature for row in rows} == set(COLUMNS)
    shares = [row.gini for row in rows]
    assert sum(shares) == pytest.approx(1)
    assert min(shares) >= 0
    assert [row.gini for row in rows] == sorted((row.gini for row in rows), reverse=True)
    assert (rows[0].feature, rows[0].group) == ("content_1gram", "ngrams")
    assert rows[0].gini > 0.7
    assert rows[0].permutation > 0.5
    assert 0 < rows[0].spread < 0.3
    assert all(abs(row.permutation) < 0.05 for row in rows[1:])
    assert found.whole > 0.95


@pytest.mark.parametrize("regressor", ["sklearn", "blend"])
def test_the_order_of_the_columns_does_not_matter(regressor: str, measure: Measure) -> None:
    study = make_study(regressor)
    found = measure(study)
    for seed in range(2):
        order = tuple(np.random.default_rng(seed).permutation(COLUMNS).tolist())
        other = measure(with_order(study, order))
        assert other.rows == found.rows
        assert other.whole == found.whole


def test_a_column_of_one_value_is_worth_nothing(measure: Measure) -> None:
    for value in (0.5, np.nan):
        found = measure(with_column(make_study(), "det_1", value))
        (row,) = (row for row in found.rows if row.feature == "det_1")
        assert (row.gini, row.nearest) == (0, None)
        assert row.permutation == row.spread == 0
        assert np.isnan(row.correlation)
        assert all(other.nearest != "det_1" for other in found.rows)


def test_gini_is_scikit_learns() -> None:
    from sklearn.ensemble import GradientBoostingRegressor

    study = make_study()
    settings = FEW_TREES.get_params()
    del settings["library"], settings["objective"]
    model = GradientBoostingRegressor(**settings).fit(study.training, study.gold)
    found = gini_shares(FEW_TREES, study.training, study.gold)
    np.testing.assert_allclose(found, model.feature_importances_, rtol=1e-12)


def test_shapley_values_of_a_linear_fusion_are_its_weights(measure: Measure) -> None:
    """Ridge alone is a weighted sum: a part is the weight times the distance from the median."""
    study = make_study()
    run = replace(study.run, head=Ensemble((Regressor.of("ridge", alpha=1e-9),)))
    calm = {name: np.clip(matrix, 0.3, 0.7) for name, matrix in study.test.items()}  # no clipping
    study = replace(study, run=run, test=calm)
    columns = sorted(COLUMNS)
    places = study.places(columns)
    training, (weights, *_) = study.training[:, places], np.linalg.lstsq(
        np.column_stack([study.training[:, places], np.ones(len(study.gold))]), study.gold
    )  # fmt: skip
    pairs = np.vstack([matrix[:, places] for matrix in study.scored().test.values()])
    parts = (pairs - np.median(training, axis=0)) * weights[:-1]
    found = measure(study)
    for name, expected in zip(columns, parts.T, strict=True):
        (row,) = (row for row in found.rows if row.feature == name)
        assert row.shapley == pytest.approx(np.abs(expected).mean(), abs=1e-6)
    ngrams = [columns.index(name) for name in ("content_1gram", "content_2gram")]
    (group,) = (one for one in found.groups if one.group == "ngrams")
    assert group.shapley == pytest.approx(np.abs(parts[:, ngrams].sum(axis=1)).mean(), abs=1e-6)


def test_correlation_is_scipys() -> None:
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(80, 5))
    matrix[:, 1] = np.round(matrix[:, 0])  # with ties
    matrix[:, 2] = -np.exp(matrix[:, 0])
    found = spearman_matrix(matrix)
    np.testing.assert_allclose(found, spearmanr(matrix).statistic, atol=1e-12)
    assert found[0, 2] == pytest.approx(-1)
    close = most_correlated("abcde", found)
    assert (close["a"], close["c"]) == (("c", found[0, 2]), ("a", found[2, 0]))
    assert close["b"][0] in ("a", "c")


def test_unscored_pairs_take_no_part(measure: Measure) -> None:
    study = make_study()
    unlike = study.test["two"].copy()
    unlike[:10, INFORMATIVE] = 99.0  # of the pairs that nobody scored
    other = replace(study, test={**study.test, "two": unlike})
    assert measure(other).rows == measure(study).rows
