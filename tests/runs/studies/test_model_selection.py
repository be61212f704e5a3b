"""How candidates for the ensembles are tried: their predictions and their figures."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from scipy.stats import pearsonr

from features.regressors.ridge import Ridge
from runs.recipes.ensemble2026 import FUSION
from runs.studies import model_selection
from runs.studies.ledger import Value
from runs.studies.model_selection import (
    ANCHORS,
    BLENDS,
    CHOSEN,
    OUT_OF_FOLD,
    PARTS,
    SEEN,
    WITHOUT,
    candidates,
    measure,
    predict_fold,
    seen_and_unseen,
    table,
)
from runs.studies.selection_folds import TUNED, Fold, Scored, TunedFeatures, folds
from sts.data.pairs import Pairs

COLUMNS = ("content_1gram", "dynamax", "paragram", "soft_match")
OWN = ("dynamax", "paraphrase2")
NAMES = (
    ("MSRvid-train", 2012),
    ("MSRvid", 2012),
    ("OnWN", 2013),
    ("images", 2014),
    ("belief", 2015),
)


def scored(name: str, year: int, seed: int, n: int = 40) -> Scored:
    """A data set whose gold follows two of its columns."""
    rng = np.random.default_rng(seed)
    features = rng.random((n, len(COLUMNS)))
    gold = np.clip(4 * features[:, COLUMNS.index("dynamax")] + features[:, 0], 0, 5)
    side = tuple(f"{name} {i}" for i in range(n))
    return Scored(Pairs(name, side, side, gold), year, features)


SETS = [scored(name, year, seed) for seed, (name, year) in enumerate(NAMES)]
NOISE = {i: np.random.default_rng(i).random((40, 2)) for i in range(len(SETS))}
GOLD = {i: np.stack([s.gold, s.gold], axis=1) for i, s in enumerate(SETS)}
"""Features of encoders that know the gold of the pairs that they describe."""


@pytest.fixture
def predicted(monkeypatch: pytest.MonkeyPatch) -> Mapping[Fold, Value]:
    """What is said in each fold, every part a Ridge of its own alpha."""
    lines = {name: Ridge(alpha=10.0**n) for n, name in enumerate(PARTS)}
    monkeypatch.setattr(model_selection, "PARTS", lines)
    every = folds(SETS)
    tuned = {
        fold.split: TunedFeatures(NOISE, NOISE | {i: GOLD[i] for i in fold.split.tuned_on})
        for fold in every
    }
    return {fold: predict_fold(SETS, COLUMNS, tuned, ANCHORS, fold) for fold in every}


def test_figures_are_weighted_means_of_pearson(predicted: Mapping[Fold, Value]) -> None:
    scores = measure(SETS, predicted, OWN, 0.7)
    year = next(f for f in predicted if f.kind == "year" and SETS[f.test[0]].year == 2014)
    said = predicted[year][OUT_OF_FOLD]["SVR"]
    own = [pearsonr(said[str(i)], SETS[i].gold).statistic for i in year.test]
    assert scores["SVR"]["2014"] == pytest.approx(np.mean(own))  # sets of one size
    shown = table(scores)
    assert shown.count("\n") == len(scores) + 1
    assert f"{scores['SVR']['2014']:.4f}" in shown
    assert "other data sets" not in scores["boosting (scikit-learn)"]


def test_features_of_encoders_that_saw_the_pairs_mislead(predicted: Mapping[Fold, Value]) -> None:
    scores = measure(SETS, predicted, OWN, 0.7)
    rows = {name: row["other genres"] for name, row in scores.items()}
    seen = next(name for name in rows if name.startswith("… paraphrase1, paraphrase2 of"))
    without = next(name for name in rows if name.startswith("… without"))
    assert rows["mean of LightGBM, extra trees, SVR"] > 0.95
    assert rows[without] > 0.95
    assert rows[seen] < min(rows[without], rows["mean of LightGBM, extra trees, SVR"]) - 0.01


def test_candidates_by_hand() -> None:
    numbers = {name: np.full(2, float(n)) for n, name in enumerate(PARTS)}
    numbers |= {name: np.array([1.0, 2.0]) for name in ANCHORS}
    numbers["paraphrase2"] = np.array([3.0, 0.0])
    said = {treatment: dict(numbers) for treatment in (OUT_OF_FOLD, WITHOUT, SEEN)}
    said[WITHOUT] |= dict.fromkeys(CHOSEN, np.zeros(2))
    for name in TUNED:
        del said[WITHOUT][name]
    found = candidates(said, OWN, 0.7)
    mean = found["mean of LightGBM, extra trees, SVR"]
    np.testing.assert_allclose(mean, (0 + 2 + 3) / 3)
    blend = "… blended with dynamax and paraphrase2, weight 0.4"
    np.testing.assert_allclose(found[blend] - mean, [0.8, 0.4])
    without = found["… blended as the run is, without paraphrase1, paraphrase2"]
    np.testing.assert_allclose(without, [0.7, 1.4])


def test_what_is_compared_is_what_runs() -> None:
    studied = [PARTS[name].get_params() for name in CHOSEN]
    assert studied == [part.make(0).get_params() for part in FUSION.regressors]
    assert FUSION.blend_weight in BLENDS


def test_how_well_tuned_cosines_follow_the_gold() -> None:
    every = folds(SETS)
    tuned = {
        fold.split: TunedFeatures(NOISE, NOISE | {i: GOLD[i] for i in fold.split.tuned_on})
        for fold in every
    }
    rows = [line.split("|") for line in seen_and_unseen(COLUMNS, SETS, every, tuned).splitlines()]
    assert [row[1].strip() for row in rows[2:]] == ["2012", "2013", "2014", "2015"]
    before, seen, out_of_fold, *test = map(float, rows[-2][2:-1])
    assert seen == 1  # GOLD
    gold = np.concatenate([SETS[i].gold for i in (0, 1, 2)])
    noise = np.concatenate([NOISE[i][:, 0] for i in (0, 1, 2)])
    assert out_of_fold == pytest.approx(pearsonr(noise, gold).statistic, abs=1e-4)
    paragram = SETS[3].features[:, COLUMNS.index("paragram")]
    assert test[0] == pytest.approx(pearsonr(paragram, SETS[3].gold).statistic, abs=1e-4)
    assert test[2] == pytest.approx(pearsonr(NOISE[3][:, 1], SETS[3].gold).statistic, abs=1e-4)
    assert abs(before) < 0.5
