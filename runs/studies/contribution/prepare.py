"""Prepares a study: the command line, which tasks may be studied, and the matrices of a run."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from pkgutil import iter_modules

from embeddings import loading
from embeddings.formats.fingerprint import fingerprint
from features import families
from features.columns import describe_missing
from runs.pipeline.model import TrainingData
from runs.pipeline.run import Run
from runs.pipeline.translate_pairs import Translating
from runs.recipes.by_name import DEFAULT, get_run
from runs.studies.contribution.matrices import Matrices, read_or_make
from runs.studies.contribution.study import Study
from runs.studies.workers import EVERY_CORE, check_jobs
from sts import cache
from sts.data.catalog import get_task
from sts.data.fetch import load_gold
from sts.data.pairs import Pairs
from sts.data.schema import Task
from sts.errors import StsError
from sts.files import check_writable
from sts.progress import note

CODE = (
    "runs.pipeline.ensemble_run:EnsembleRun",
    *(f"{families.__name__}.{module.name}" for module in iter_modules(families.__path__)),
)
"""What computes the matrices, for their key."""

LAST_YEAR = 2015
"""Choices are made on tasks of this year and earlier; later ones are looked at to report."""


def prepare_study(
    run: Run, task: Task, data: Path | None, translator: str | None, folder: Path | None = None
) -> Study:
    """The matrices of a fusion run on a task.

    Args:
        run: the recipe.
        task: of 2015 or earlier.
        data: the folder given with ``--data``.
        translator: the name given with ``--translator``; None is the memory, then Apertium.
        folder: where the matrices are cached, as matrices.safetensors; None caches nothing.

    Raises:
        StsError: the run has no fusion, or the task is one that results are reported on.
    """
    run.require_features()
    check_studied(task)
    run.check(translator)
    translating = Translating(translator, data)
    tests = run.read_tests(task, data, translating)
    training = run.training_data(task, data, translating, tests)
    missing = run.missing()
    for line in describe_missing(missing):
        note(f"warning: {line}")
    key = matrices_key(run, training, tests, tuple(missing))
    path = folder / "matrices.safetensors" if folder is not None else None
    matrices = read_or_make(path, key, lambda: compute_matrices(run, training, tests))
    return Study(
        run,
        tuple(run.columns),
        matrices.training,
        training.scored.gold,
        matrices.test,
        {d.name: load_gold(d, data, len(p)) for d, p in zip(task.datasets, tests, strict=True)},
        task.name,
    )


def matrices_key(
    run: Run, training: TrainingData, tests: Sequence[Pairs], missing: Sequence[str] = ()
) -> str:
    """The cache key of recipe, sentences, training gold, round trips, vectors and code.

    Args:
        run, training, tests: what the matrices are computed from.
        missing: columns that cannot be computed on this machine.
    """
    return cache.key(
        *CODE,
        inputs={
            "training": (training.sets, training.back_translated, training.round_trips),
            "test": [pairs.without_gold() for pairs in tests],
            "start": fingerprint(loading.load_static(run.start)),
            "missing": sorted(missing),
        },
        configuration=run,
    )


def compute_matrices(run: Run, training: TrainingData, tests: Sequence[Pairs]) -> Matrices:
    """Tune the encoders of a run and compute its features; the first time this takes minutes."""
    features, matrix = run.fit_features(training)
    return Matrices(matrix, {pairs.name: features.compute(pairs) for pairs in tests})


def check_studied(task: Task) -> None:
    """Refuse a task that results are reported on.

    Raises:
        StsError: the task is later than :data:`LAST_YEAR`.
    """
    if task.year > LAST_YEAR:
        raise StsError(
            f"task {task.name!r} is for reporting; study one of {LAST_YEAR} or earlier, "
            "such as --task sts2015, or what you learn is fitted to the test"
        )


def task_to_study(task: Task) -> Task:
    """The task itself, or that of :data:`LAST_YEAR` if results are reported on the task."""
    return task if task.year <= LAST_YEAR else get_task(f"sts{LAST_YEAR}")


def study_options(
    name: str, description: str | None, run: str = DEFAULT, *, parallel: bool = False
) -> argparse.Namespace:
    """The command line of the study ``name``; a parallel one takes ``--jobs``."""
    parser = argparse.ArgumentParser(
        prog=f"python -m runs.studies {name}",
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


def study_from(options: argparse.Namespace) -> tuple[Study, Path]:
    """The study that the options of the command line name, and the folder for its files."""
    run, task = get_run(options.run).with_seed(options.seed), get_task(options.task)
    folder = options.output / task.name / run.name
    check_writable(folder)
    return prepare_study(run, task, options.data, options.translator, folder), folder
