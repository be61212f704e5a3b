"""A run on a task as matrices that ablation and importance fit many times; and their summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from features.registry import get_feature
from features.regressors.fitted import Matrix
from runs.pipeline.run import Run
from sts.cache import digest
from sts.data.pairs import Scores

if TYPE_CHECKING:
    from features.regressors.ensemble import Ensemble


@dataclass(frozen=True)
class Study:
    """Features and gold that a fusion run is fitted to and tested on.

    Attributes:
        run: the recipe.
        columns: names of the k features.
        training: matrix (n, k); gold: (n,).
        test: matrix (m, k) of each data set; test_gold: (m,) of each, NaN if unscored.
        task: name of the task that it is tested on.
    """

    run: Run
    columns: tuple[str, ...]
    training: Matrix
    gold: Scores
    test: Mapping[str, Matrix]
    test_gold: Mapping[str, Scores]
    task: str = "by-hand"

    def fit(self, columns: Sequence[str]) -> Ensemble:
        """Fit the run's regressor to some of the columns."""
        return self.run.make_ensemble(columns).fit(
            self.training[:, self.places(columns)], self.gold
        )

    def predict(self, columns: Sequence[str]) -> dict[str, Scores]:
        """Return the predictions of a fusion of these columns, (m,) scores per test set.

        From no columns, or from columns without any value, every prediction is the mean gold
        score.
        """
        chosen = self.places(columns)
        if np.isnan(self.training[:, chosen]).all():
            mean = float(self.gold.mean())
            return {name: np.full(len(matrix), mean) for name, matrix in self.test.items()}
        fusion = self.fit(columns)
        return {name: fusion.predict(matrix[:, chosen]) for name, matrix in self.test.items()}

    def places(self, columns: Sequence[str]) -> list[int]:
        """Return the index of each named column."""
        return [self.columns.index(name) for name in columns]

    @property
    def groups(self) -> dict[str, list[str]]:
        """Names of the columns by feature group, in the order of the columns."""
        grouped: dict[str, list[str]] = {}
        for name in self.columns:
            grouped.setdefault(get_feature(name).group, []).append(name)
        return grouped

    def scored(self) -> Study:
        """Return the study without the test pairs that have no gold score."""
        has_gold = {name: ~np.isnan(gold) for name, gold in self.test_gold.items()}
        return replace(
            self,
            test={name: matrix[has_gold[name]] for name, matrix in self.test.items()},
            test_gold={name: gold[has_gold[name]] for name, gold in self.test_gold.items()},
        )

    @cached_property
    def digest(self) -> str:
        """sha256 of the recipe, the columns, the matrices and the gold."""
        arrays = (self.training, self.gold, self.test, self.test_gold)
        return digest((self.run.digest, self.columns, arrays))


@dataclass(frozen=True)
class Loss:
    """Loss of the weighted mean without something; low and high are its interval, or NaN."""

    name: str
    loss: float
    low: float
    high: float


@dataclass(frozen=True)
class StudySummary:
    """Results of ablation and importance in the few numbers that a report shows.

    Attributes:
        task: name of the studied task.
        inputs: sha256 of recipe, columns, matrices and gold.
        without: the loss without each group of features, the largest first.
        alone: (group, weighted mean) with each group alone, the best first.
        cumulative: (group, weighted mean) with that group and all that were added before it.
        permutation: the mean loss when a feature is shuffled among the pairs, the largest
            first, and one standard deviation to either side.
    """

    task: str
    inputs: str
    without: tuple[Loss, ...]
    alone: tuple[tuple[str, float], ...]
    cumulative: tuple[tuple[str, float], ...]
    permutation: tuple[Loss, ...]
