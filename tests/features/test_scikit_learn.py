"""scikit-learn's own checks of every estimator."""

from __future__ import annotations

from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

from semaniacs.features.regressors.ensemble import Boosting, Ensemble, SimpleRegression

SMALL = {"n_estimators": 30, "learning_rate": 0.2, "min_samples_leaf": 2, "max_features": 1.0}
ESTIMATORS = [
    Boosting("lightgbm", **SMALL),
    Boosting("sklearn", **SMALL),
    SimpleRegression(),
    Ensemble([Boosting(name, **SMALL) for name in ("sklearn", "lightgbm")], (0,), 0.4),
]


CLIPPED = "scores are clipped to [0, 5], and half of the targets of this check are negative"


def expected_failures(estimator: Any) -> dict[str, str]:
    """The checks that an estimator cannot pass, and why."""
    if isinstance(estimator, Ensemble):
        return {"check_regressors_train": CLIPPED}
    return {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(estimator)
