"""How candidates for the fusion are tried: the folds, the candidates and their figures."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import pearsonr

from features.regressors.ridge import Ridge
from runs.studies import model_selection
from runs.studies.model_selection import (
    COLUMNS,
    PARTS,
    Scored,
    candidates,
    folds,
    measure,
    predict_fold,
    table,
)


def scored(name: str, year: int, seed: int, n: int = 40) -> Scored:
    """A data set whose gold follows two of its columns."""
    rng = np.random.default_rng(seed)
    matrix = rng.random((n, len(COLUMNS)))
    gold = np.clip(4 * matrix[:, COLUMNS.index("dynamax")] + matrix[:, 0], 0, 5)
    return Scored(name, year, name.endswith("-train"), matrix, gold)


SETS = [
    scored("MSRvid-train", 2012, 0),
    scored("MSRvid", 2012, 1),
    scored("surprise.OnWN", 2012, 2),
    scored("FNWN", 2013, 3),
    scored("headlines", 2013, 4),
    scored("headlines", 2014, 5),
    scored("images", 2014, 6),
    scored("belief", 2015, 7),
]


def test_folds_never_score_what_they_learn_from() -> None:
    made = folds(SETS)
    for fold in made:
        assert fold.test
        assert not set(fold.training) & set(fold.test)
        assert 0 not in fold.test  # the train part is learned from alone
        for place in fold.test:
            learned = [SETS[i] for i in fold.training]
            if fold.kind == "year":
                assert all(s.year < SETS[place].year or s.trains_only for s in learned)
            if fold.kind == "data set":
                assert fold.test == (place,)
                assert SETS[place].name not in [
                    s.name.removesuffix("-train") for s in learned if s.trains_only
                ]
            if fold.kind == "genre":
                assert SETS[place].genre not in {s.genre for s in learned}
    for kind in ("year", "data set", "genre"):
        tested = sorted(place for fold in made if fold.kind == kind for place in fold.test)
        assert tested == list(range(1, len(SETS)))  # each once


def test_genres() -> None:
    found = {s.name: s.genre for s in SETS}
    assert found["MSRvid-train"] == found["MSRvid"] == found["images"] == "captions"
    assert found["surprise.OnWN"] == found["FNWN"] == "glosses"
    assert found["headlines"] == "headlines"


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every part a line of its own penalty."""
    lines = {name: Ridge(alpha=10.0**n) for n, name in enumerate(PARTS)}
    monkeypatch.setattr(model_selection, "PARTS", lines)


def test_figures_are_weighted_means_of_pearson(quick: None) -> None:
    predicted = {fold: predict_fold(SETS, fold) for fold in folds(SETS)}
    scores = measure(SETS, predicted)
    year = next(f for f in predicted if f.kind == "year" and SETS[f.test[0]].year == 2014)
    own = [pearsonr(predicted[year]["forest"][str(i)], SETS[i].gold).statistic for i in year.test]
    assert scores["forest"]["2014"] == pytest.approx(np.mean(own))  # sets of one size
    shown = table(scores)
    assert shown.count("\n") == len(scores) + 1
    assert f"{scores['forest']['2014']:.4f}" in shown


def test_candidates_by_hand() -> None:
    said = {name: np.full(2, float(n)) for n, name in enumerate(PARTS)}
    said |= {name: np.array([1.0, 2.0]) for name in model_selection.ANCHORS}
    found = candidates(said)
    mean = found["mean of LightGBM, forest, kernel"]
    np.testing.assert_allclose(mean, (0 + 2 + 3) / 3)
    np.testing.assert_allclose(found["… pulled 0.4 to dynamax"] - mean, [0.4, 0.8])
    assert not any("weighted" in name for name in found)
    assert any("weighted" in name for name in candidates(said | {model_selection.WEIGHTED: mean}))
