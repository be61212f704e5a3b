"""Studies made by hand, whose answer is known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from semaniacs.runs.contribution.study import Study
from semaniacs.runs.pipeline.recipe_parts import Ensemble, Regressor
from semaniacs.runs.pipeline.run import Run

COLUMNS = ("number_count", "content_1gram", "det_2", "number_match", "det_1", "content_2gram")
INFORMATIVE = COLUMNS.index("content_1gram")


SMALL: dict[str, Any] = {
    "n_estimators": 12,
    "learning_rate": 0.4,
    "max_depth": 2,
    "min_samples_leaf": 5,
    "max_features": 1.0,
}
BOOSTINGS = {
    library: Regressor.of("boosting", library=library, **SMALL)
    for library in ("sklearn", "lightgbm")
}
REGRESSORS = {
    "sklearn": (BOOSTINGS["sklearn"],),
    "lightgbm": (BOOSTINGS["lightgbm"],),
    "blend": (
        BOOSTINGS["lightgbm"],
        BOOSTINGS["sklearn"],
    ),
}


def make_study(parts: str = "sklearn") -> Study:
    """Random columns, one of which is the gold with a little noise."""
    rng = np.random.default_rng(7)

    def draw(n: int) -> tuple[Any, Any]:
        gold = rng.uniform(0, 5, n)
        matrix = rng.uniform(0, 1, (n, len(COLUMNS)))
        matrix[:, INFORMATIVE] = gold / 5 + rng.normal(0, 0.02, n)
        return matrix, gold

    training, gold = draw(200)
    tests = {name: draw(60) for name in ("one", "two")}
    tests["two"][1][:10] = np.nan  # unscored pairs
    return Study(
        Run("by-hand", "a study", columns=COLUMNS, head=Ensemble(REGRESSORS[parts])),
        COLUMNS,
        training,
        gold,
        {name: matrix for name, (matrix, _) in tests.items()},
        {name: scores for name, (_, scores) in tests.items()},
    )


def with_order(study: Study, columns: tuple[str, ...]) -> Study:
    """The study with its columns in another order."""
    chosen = study.places(columns)
    return replace(
        study,
        run=replace(study.run, columns=columns),
        columns=columns,
        training=study.training[:, chosen],
        test={name: matrix[:, chosen] for name, matrix in study.test.items()},
    )
