"""Importance: three measures against the libraries' own, whatever the order of the columns."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy.stats import spearmanr

from semaniacs.features.regressors.ensemble import Boosting
from semaniacs.runs.contribution.ablation import ablate
from semaniacs.runs.contribution.importance import (
    Importances,
    gini_shares,
    measure_importance,
    most_correlated,
    spearman_matrix,
)
from semaniacs.runs.contribution.ledger import Ledger
from semaniacs.runs.contribution.study import Study
from tests.runs.made_studies import COLUMNS, make_study, with_order

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


def test_the_order_of_the_columns_does_not_matter(measure: Measure) -> None:
    study = make_study("blend")
    found = measure(study)
    for seed in range(2):
        order = tuple(np.random.default_rng(seed).permutation(COLUMNS).tolist())
        other = measure(with_order(study, order))
        assert other.rows == found.rows
        assert other.whole == found.whole


def test_gini_is_scikit_learns() -> None:
    from sklearn.ensemble import GradientBoostingRegressor

    study = make_study()
    settings = FEW_TREES.get_params()
    del settings["library"], settings["objective"]
    model = GradientBoostingRegressor(**settings).fit(study.training, study.gold)
    found = gini_shares(FEW_TREES, study.training, study.gold)
    np.testing.assert_allclose(found, model.feature_importances_, rtol=1e-12)


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


# Ablation on small matrices whose answer is known; and an ablation that was stopped


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "ablation.jsonl")


class Counting(Study):
    """A study that counts its fits, and can be stopped at one of them."""

    fitted: ClassVar[list[tuple[str, ...]]] = []
    stop: ClassVar[int] = 99

    def predict(self, columns: Sequence[str]) -> Any:
        if len(self.fitted) == self.stop:
            raise KeyboardInterrupt
        self.fitted.append(tuple(columns))
        return super().predict(columns)


def test_the_informative_group_is_missed_most(ledger: Ledger) -> None:
    study = make_study()
    found = ablate(study, ledger)
    assert found.whole.weighted_mean.score > 0.95
    without, alone, cumulative = (found.of(kind) for kind in ("without", "alone", "cumulative"))
    groups = {group: tuple(columns) for group, columns in study.groups.items()}
    assert {cell.group: cell.columns for cell in alone} == groups
    for cell in without:
        assert set(cell.columns) == set(study.columns) - set(groups[cell.group])
    assert without[0].group == alone[0].group == cumulative[0].group == "ngrams"
    assert alone[0].score > 0.95
    assert without[0].score < 0.5
    lost = without[0].result.weighted_mean
    assert lost.low < lost.difference < lost.high < -0.4
    for cell in without[1:]:
        assert abs(cell.result.weighted_mean.difference) < 0.05
    assert [c.score for c in without] == sorted(c.score for c in without)
    assert [c.score for c in alone] == sorted((c.score for c in alone), reverse=True)


def test_a_stopped_ablation_resumes(ledger: Ledger, tmp_path: Path) -> None:
    study = Counting(**vars(make_study()))
    Counting.stop = 4
    with pytest.raises(KeyboardInterrupt):
        ablate(study, ledger)
    Counting.stop = 99
    done = Counting.fitted.copy()
    assert len(done) == 4
    found = ablate(study, Ledger(ledger.path))
    assert len(Counting.fitted) == 8
    assert not set(Counting.fitted[4:]) & set(done[1:])
    assert found == ablate(study, Ledger(tmp_path / "fresh.jsonl"))
