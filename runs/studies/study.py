"""What ablation and importance share: a run's matrices for a task that may be looked at."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from embeddings import loading
from features.extractor import FeatureExtractor, describe_missing
from features.registry import get_feature
from features.regressors.ensemble import Ensemble
from runs.pipeline.fitting import Lesson, fit_features, name_encoders
from runs.pipeline.recipe import Run, make_ensemble
from runs.pipeline.task_run import check_anchor, english_pairs, lesson_for
from runs.pipeline.translate_pairs import Translating
from runs.recipes.registry import DEFAULT, get_run
from runs.studies.matrices import (
    Matrices,
    Matrix,
    digest_of,
    digest_of_arrays,
    digest_of_text,
    kept,
)
from runs.studies.workers import EVERY_CORE, check_jobs
from sts.data.catalog import get_task
from sts.data.fetch import load_gold
from sts.data.pairs import Pairs, Scores
from sts.data.records import Task
from sts.errors import StsError
from sts.files import check_writable
from sts.progress import note
from sts.scoring.task_score import TaskScore, score_task

LAST_YEAR = 2015
"""Choices are made on 2015 and earlier; later years are looked at to report, not to learn from."""


@dataclass(frozen=True)
class Study:
    """A fusion run laid open.

    Attributes:
        run: the recipe.
        columns: the k features.
        training: matrix (n, k); gold: (n,).
        test: matrix (m, k) of each data set; test_gold: (m,) of each, NaN if unscored.
        task: the name of what is tested on.
    """

    run: Run
    columns: tuple[str, ...]
    training: Matrix
    gold: Scores
    test: Mapping[str, Matrix]
    test_gold: Mapping[str, Scores]
    task: str = "by-hand"

    def fit(self, columns: Sequence[str]) -> Ensemble:
        """The run's regressor on some of the columns."""
        assert self.run.fusion is not None
        return make_ensemble(self.run, columns).fit(
            self.training[:, self.places(columns)], self.gold
        )

    def score(self, fusion: Ensemble, columns: Sequence[str]) -> TaskScore:
        """How a fusion of these columns does on the test sets."""
        chosen = self.places(columns)
        predicted = {name: fusion.predict(matrix[:, chosen]) for name, matrix in self.test.items()}
        return score_task(predicted, self.test_gold)

    def predict(self, columns: Sequence[str]) -> dict[str, Scores]:
        """What a fusion of these columns says of the test sets: (m,) scores of each.

        Columns without any value, or no columns, teach nothing: every score is the mean gold.
        """
        chosen = self.places(columns)
        if np.isnan(self.training[:, chosen]).all():
            middle = float(self.gold.mean())
            return {name: np.full(len(matrix), middle) for name, matrix in self.test.items()}
        fusion = self.fit(columns)
        return {name: fusion.predict(matrix[:, chosen]) for name, matrix in self.test.items()}

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

    def scored(self) -> Study:
        """The same without the test pairs that nobody scored."""
        has_gold = {name: ~np.isnan(gold) for name, gold in self.test_gold.items()}
        return replace(
            self,
            test={name: matrix[has_gold[name]] for name, matrix in self.test.items()},
            test_gold={name: gold[has_gold[name]] for name, gold in self.test_gold.items()},
        )

    @cached_property
    def digest(self) -> str:
        """sha256 of the recipe, the columns, the matrices and the gold."""
        arrays = {"training": self.training, "gold": self.gold}
        arrays |= {f"test/{name}": matrix for name, matrix in self.test.items()}
        arrays |= {f"gold/{name}": gold for name, gold in self.test_gold.items()}
        return digest_of_text([self.run.digest, self.columns, digest_of_arrays(arrays)])


def open_study(
    run: Run, task: Task, data: Path | None, translator: str | None, folder: Path | None = None
) -> Study:
    """The matrices of a fusion run on a task.

    Args:
        run: the recipe.
        task: of 2015 or earlier.
        data: the folder given with ``--data``.
        translator: the name given with ``--translator``; None is the memory, then Apertium.
        folder: where the matrices are kept, as matrices.safetensors, and read from again
            if nothing that they rest on has changed; None keeps nothing.

    Raises:
        StsError: the run fuses nothing, or the task is one that results are reported on.
    """
    if run.fusion is None:
        raise StsError(f"run {run.name!r} has no features to study; use --run {DEFAULT}")
    check_studied(task)
    check_anchor(run)
    translating = Translating(translator, data)
    english = english_pairs(task, data, translating)
    lesson = lesson_for(run, task, data, translating, english)
    missing = missing_features(run)
    for line in describe_missing(missing):
        note(f"warning: {line}")
    digest = digest_of(run, lesson, english, tuple(missing))
    path = folder / "matrices.safetensors" if folder is not None else None
    matrices = kept(path, digest, lambda: compute_matrices(run, lesson, english))
    return Study(
        run,
        tuple(run.columns),
        matrices.training,
        lesson.scored.gold,
        matrices.test,
        {d.name: load_gold(d, data, len(p)) for d, p in zip(task.datasets, english, strict=True)},
        task.name,
    )


def compute_matrices(run: Run, lesson: Lesson, english: Sequence[Pairs]) -> Matrices:
    """Tune the run's encoders and compute its features; the first time this takes minutes."""
    extractor, matrix = fit_features(run, lesson)
    return Matrices(matrix, {pairs.name: extractor.transform(pairs) for pairs in english})


def missing_features(run: Run) -> dict[str, str]:
    """Columns that cannot be computed here, with the command that brings what they need."""
    untuned = [loading.load_static(run.start)] * len(run.tunings)
    return FeatureExtractor(run.columns, name_encoders(untuned, run.start)).missing()


def check_studied(task: Task) -> None:
    """Refuse a task that results are reported on."""
    if task.year > LAST_YEAR:
        raise StsError(
            f"task {task.name!r} is for reporting; study one of {LAST_YEAR} or earlier, "
            "such as --task sts2015, or what you learn is fitted to the test"
        )


def study_options(
    program: str, description: str | None, run: str = DEFAULT, *, parallel: bool = False
) -> argparse.Namespace:
    """The command line of a study; a parallel one takes ``--jobs``."""
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
    if parallel:
        parser.add_argument(
            "--jobs", type=int, default=EVERY_CORE, help="processes (default: one a core)"
        )
    options = parser.parse_args()
    if parallel:
        check_jobs(options.jobs)
    return options


def signed(number: float, digits: int = 4) -> str:
    """A number with its sign; what is undefined is ``nan``."""
    return "nan" if np.isnan(number) else f"{number:+.{digits}f}"


def study_from(options: argparse.Namespace) -> tuple[Study, Path]:
    """The study that the options ask for, and the folder for its files."""
    run, task = get_run(options.run).with_seed(options.seed), get_task(options.task)
    folder = options.output / task.name / run.name
    check_writable(folder)
    return open_study(run, task, options.data, options.translator, folder), folder
