"""Compute the matrices of a study: the features of a run on the training and the test pairs."""

from __future__ import annotations

from pathlib import Path

from features.columns import describe_missing
from runs.contribution.study import Study
from runs.pipeline.fitting import check, fit_features, missing_columns
from runs.pipeline.records.recipe_parts import SAMPLE
from runs.pipeline.run import AnyRun
from runs.pipeline.task_run import prepare_training
from runs.pipeline.training_data import read_tests
from runs.pipeline.translate_pairs import Translating
from sts.data.catalog import get_task
from sts.data.fetch import load_gold
from sts.data.schema import Task
from sts.errors import StsError
from sts.progress import note, track

LAST_YEAR = 2015
"""Choices are made on tasks of this year and earlier; later ones are only for reports."""


def prepare_study(run: AnyRun, task: Task, data: Path | None, translator: str | None) -> Study:
    """Return the matrices of a fusion run on a task; tuned encoders are cached.

    Args:
        run: the recipe.
        task: of 2015 or earlier, or the sample.
        data: folder of the official files.
        translator: name of a translator; None is the memory, then Apertium.

    Raises:
        StsError: the run has no fusion, or the task is one that results are reported on.
    """
    run.require_features()
    check_studied(task)
    check(run, translator)
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


def check_studied(task: Task) -> None:
    """Refuse an official task that results are reported on.

    Raises:
        StsError: the task is later than :data:`LAST_YEAR`.
    """
    if task.year > LAST_YEAR and task.name != SAMPLE:
        raise StsError(
            f"task {task.name!r} is for reporting; study one of {LAST_YEAR} or earlier, "
            "such as --task sts2015, or what you learn is fitted to the test"
        )


def task_to_study(task: Task) -> Task:
    """Return the task, or that of :data:`LAST_YEAR` if results are reported on the task."""
    return task if task.year <= LAST_YEAR else get_task(f"sts{LAST_YEAR}")
