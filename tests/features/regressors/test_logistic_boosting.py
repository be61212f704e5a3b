"""Boosting of a probability, against LightGBM itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from features.regressors.ensemble import Boosting, Ensemble
from features.regressors.saved_ensemble import load_ensemble, save_ensemble
from sts.errors import ValuesError
from sts.scoring.classification import roc_auc

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
