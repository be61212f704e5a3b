"""What ablation and importance share: a run's matrices for a task that may be looked at."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from features.extractor import FeatureExtractor
from features.fusion import Fusion
from features.registry import get_feature
from runs.fitting import name_encoders, tune
from runs.pipeline import english_pairs, lesson_for
from runs.recipe import Run, make_fusion
from runs.registry import DEFAULT, get_run
from runs.translating import Translating
from sts.catalog import Task, get_task
from sts.errors import StsError
from sts.fetch import load_gold
from sts.metrics import TaskScore, score_task
from sts.pairs import Scores

LAST_YEAR = 2015
"""Choices are made on 2015 and earlier; later years are looked at to report, not to learn from."""

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Study:
    """A fusion run laid open.

    Attributes:
        run: the recipe.
        columns: the k features.
        training: matrix (n, k); gold: (n,).
        test: matrix (m, k) of each data set; test_gold: (m,) of each, NaN if unscored.
    """

    run: Run
    columns: tuple[str, ...]
    training: Matrix
    gold: Scores
    test: Mapping[str, Matrix]
    test_gold: Mapping[str, Scores]

    def fit(self, columns: Sequence[str]) -> Fusion:
        """The run's regressor on some of the columns."""
        assert self.run.fusion is not None
        return make_fusion(self.run.fusion, self.run.seed).fit(
            self.training[:, self.places(columns)], self.gold
        )

    def score(self, fusion: Fusion, columns: Sequence[str]) -> TaskScore:
        """How a fusion of these columns does on the test sets."""
        chosen = self.places(columns)
        predicted = {name: fusion.predict(matrix[:, chosen]) for name, matrix in self.test.items()}
        return score_task(predicted, self.test_gold)

    def places(self, columns: Sequence[str]) -> list[int]:
        """Index of each of the named columns."""
        return [self.columns.index(name) for name in columns]

    @property
    def groups(self) -> dict[str, list[str]]:
        """Columns by feature group, in the order of the columns."""
        grouped: dict[str, list[str]] = {}
        for name in self.columns:
            grouped.setdefault(get_feature(name).group, []).append(name)
        return grouped


def open_study(run: Run, task: Task, data: Path | None, translator: str | None) -> Study:
    """Compute the matrices of a fusion run on a task.

    Raises:
        StsError: the run fuses nothing, or the task is one that results are reported on.
    """
    if run.fusion is None:
        raise StsError(f"run {run.name!r} has no features to study; use --run {DEFAULT}")
    check_studied(task)
    translating = Translating(translator, data)
    english = english_pairs(task, data, translating)
    lesson = lesson_for(run, task, data, translating, english)
    encoders = [tune(run, tuning, lesson) for tuning in run.tunings]
    extractor = FeatureExtractor(run.columns, name_encoders(encoders, run.start), progress=True)
    scored = lesson.scored
    return Study(
        run,
        tuple(run.columns),
        extractor.transform(scored),
        scored.gold,
        {pairs.name: extractor.transform(pairs) for pairs in english},
        {d.name: load_gold(d, data, len(p)) for d, p in zip(task.datasets, english, strict=True)},
    )


def check_studied(task: Task) -> None:
    """Refuse a task that results are reported on."""
    if task.year > LAST_YEAR:
        raise StsError(
            f"task {task.name!r} is for reporting; study one of {LAST_YEAR} or earlier, "
            "such as --task sts2015, or what you learn is fitted to the test"
        )


def study_options(program: str, description: str | None, run: str = DEFAULT) -> argparse.Namespace:
    """The command line of a study."""
    parser = argparse.ArgumentParser(
        prog=f"python -m runs.{program}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--run", default=run, help=f"recipe (default: {run})")
    parser.add_argument("--task", default="sts2015", help="of 2015 or earlier (default: sts2015)")
    parser.add_argument("--data", type=Path, help="STS data folder; otherwise STS_DATA")
    parser.add_argument("--output", type=Path, default=Path("output"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--translator", help="for the round trips of the test sentences")
    return parser.parse_args()


def study_from(options: argparse.Namespace) -> tuple[Study, Path]:
    """The study that the options ask for, and the folder for its files."""
    run, task = get_run(options.run).with_seed(options.seed), get_task(options.task)
    study = open_study(run, task, options.data, options.translator)
    return study, options.output / task.name / run.name
