"""A run on a task as matrices that ablation and importance fit many times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from semaniacs.features.registry import describe_missing, get_feature
from semaniacs.features.regressors.ensemble import Ensemble
from semaniacs.features.regressors.fitted import Matrix
from semaniacs.runs.pipeline.fitting import check, fit_features, missing_columns
from semaniacs.runs.pipeline.recipe_parts import SAMPLE
from semaniacs.runs.pipeline.run import AnyRun, Run, no_features
from semaniacs.runs.pipeline.task_run import prepare_training
from semaniacs.runs.pipeline.training_data import read_tests
from semaniacs.runs.pipeline.translate_pairs import Translating
from semaniacs.sts.data.catalog import Task, get_task
from semaniacs.sts.data.fetch import load_gold
from semaniacs.sts.data.pairs import Scores
from semaniacs.sts.errors import StsError, require
from semaniacs.sts.progress import note, track
from semaniacs.sts.tensors import digest

LAST_YEAR = 2015
"""Choices are made on tasks of this year and earlier; later ones are only for reports."""


@dataclass(frozen=True)
class Study:
    """Features and gold that a fusion run is fitted to and tested on.

    Attributes:
        run, columns: the recipe, and the names of the k features.
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

    @property
    def origin(self) -> dict[str, Any]:
        """Names and digests that the JSON files begin with."""
        return {
            "task": self.task,
            "run": self.run.name,
            "recipe": self.run.recipe,
            "run_digest": self.run.digest,
            "seed": self.run.seed,
            "inputs": self.digest,
        }


def prepare_study(run: AnyRun, task: Task, data: Path | None, translator: str | None) -> Study:
    """Compute the matrices of a fusion run on a task; tuned encoders are cached.

    Args:
        run, data: the recipe, and the folder of the official files.
        task: of 2015 or earlier, or the sample.
        translator: name of a translator; None is the memory, then Apertium.

    Raises:
        StsError: the run has no fusion, or the task is one that results are reported on.
    """
    if not run.columns:
        raise no_features(run.name)
    if task.year > LAST_YEAR and task.name != SAMPLE:
        raise StsError(
            f"task {task.name!r} is for reporting; study one of {LAST_YEAR} or earlier, "
            "such as --task sts2015, or what you learn is fitted to the test"
        )
    check(run, translator)
    require("sklearn", "lightgbm", *(("jax", "optax") if run.main.vectors.tunings else ()))
    translating = Translating(translator, data)
    tests = read_tests(run, task, data, translating)
    recipe, training = prepare_training(run, task, data, translating, tests)
    for line in describe_missing(missing_columns(recipe.main)):
        note(f"warning: {line}")
    features, matrix = fit_features(recipe, training)
    described = track(tests, "features of the test sets", "data sets")
    return Study(
        recipe.main,
        tuple(recipe.columns),
        matrix,
        training.scored.gold,
        {pairs.name: features.compute(pairs) for pairs in described},
        {d.name: load_gold(d, data, len(p)) for d, p in zip(task.datasets, tests, strict=True)},
        task.name,
    )


def task_to_study(task: Task) -> Task:
    """Return the task, or that of :data:`LAST_YEAR` if results are reported on the task."""
    return task if task.year <= LAST_YEAR else get_task(f"sts{LAST_YEAR}")
