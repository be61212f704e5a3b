"""Prepares a study: the command line, which tasks may be studied, and the matrices of a run.

The matrices are cached in a file under a key of everything that they depend on.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from pkgutil import iter_modules

from embeddings import loading
from embeddings.formats.fingerprint import fingerprint
from features import families
from features.columns import describe_missing
from runs.options import add_jobs, new_parser
from runs.pipeline.run import SAMPLE, Run
from runs.pipeline.task_run import prepare_training
from runs.pipeline.translate_pairs import Translating
from runs.pipeline.tuning.out_of_fold import Matrix
from runs.pipeline.tuning.training_data import TrainingData
from runs.recipes.by_name import DEFAULT, get_run
from runs.studies.contribution.study import Study
from sts import cache
from sts.command_line import seed
from sts.data.catalog import get_task
from sts.data.fetch import load_gold
from sts.data.pairs import Pairs
from sts.data.schema import Task
from sts.errors import DataError, StsError
from sts.extras import require
from sts.files import check_writable, write_bytes
from sts.progress import note, track
from sts.tensors import FORMAT, open_tensors, to_bytes

CODE = (
    "runs.pipeline.ensemble_run:EnsembleRun",
    *(f"{families.__name__}.{module.name}" for module in iter_modules(families.__path__)),
)
"""What computes the matrices, for their key."""

LAST_YEAR = 2015
"""Choices are made on tasks of this year and earlier; later ones are looked at to report."""

_TEST = "test/"


@dataclass(frozen=True)
class Matrices:
    """What a fusion is fitted to and tested on.

    Attributes:
        training: (n, k) of the scored training pairs.
        test: (m, k) of each data set, in the order of the task.
    """

    training: Matrix
    test: Mapping[str, Matrix]


def prepare_study(
    run: Run, task: Task, data: Path | None, translator: str | None, folder: Path | None = None
) -> Study:
    """The matrices of a fusion run on a task.

    Args:
        run: the recipe.
        task: of 2015 or earlier, or the sample.
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
    run, training = prepare_training(run, task, data, translating, tests)
    missing = run.missing()
    for line in describe_missing(missing):
        note(f"warning: {line}")
    key = matrices_key(run, training, tests, tuple(missing))
    make = partial(compute_matrices, run, training, tests)
    matrices = read_or_make(folder / "matrices.safetensors", key, make) if folder else make()
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


def read_or_make(path: Path, key: str, make: Callable[[], Matrices]) -> Matrices:
    """The matrices of that key: from the file if it holds them, else made and written to it.

    A file of another key, or a damaged one, is replaced.
    """
    found = _read(path, key) if path.is_file() else None
    if found is None:
        found = make()
        write_bytes(path, _to_bytes(found, key))
    return found


def _to_bytes(matrices: Matrices, key: str) -> bytes:
    tensors = {"training": matrices.training}
    tensors |= {_TEST + name: matrix for name, matrix in matrices.test.items()}
    metadata = {
        "format": FORMAT,
        "key": key,
        "datasets": "\n".join(matrices.test),  # the file sorts its tensors
        "sha256": cache.digest(tensors),
    }
    return to_bytes(tensors, metadata)


def _read(path: Path, key: str) -> Matrices | None:
    """The matrices in the file, or None if it holds others or is damaged."""
    try:
        tensors, metadata = open_tensors(path)
    except DataError as error:
        note(f"{error}; computing the matrices again")
        return None
    if metadata.get("format") != FORMAT or metadata.get("key") != key:
        return None
    if metadata["sha256"] != cache.digest(tensors):
        note(f"{path}: its numbers have changed; computing the matrices again")
        return None
    names = metadata["datasets"].split("\n")
    return Matrices(tensors["training"], {name: tensors[_TEST + name] for name in names})


def compute_matrices(run: Run, training: TrainingData, tests: Sequence[Pairs]) -> Matrices:
    """Tune the encoders of a run and compute its features; the first time this takes minutes."""
    features, matrix = run.fit_features(training)
    described = track(tests, "features of the test sets", "data sets")
    return Matrices(matrix, {pairs.name: features.compute(pairs) for pairs in described})


def check_studied(task: Task) -> None:
    """Refuse an official task that results are reported on; the sample is none.

    Raises:
        StsError: the task is later than :data:`LAST_YEAR`.
    """
    if task.year > LAST_YEAR and task.name != SAMPLE:
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
    parser = new_parser(f"runs.studies {name}", description, example="--data DIR")
    parser.add_argument("--run", default=run, help=f"recipe (default: {run})")
    parser.add_argument(
        "--task", default="sts2015", help="2015, an earlier year or sample (default: sts2015)"
    )
    parser.add_argument(
        "--output", type=Path, default=Path("output"), help="folder (default: output)"
    )
    parser.add_argument("--seed", type=seed, default=0, help="of everything drawn (default: 0)")
    parser.add_argument("--translator", help="for the round trips of the test sentences")
    if parallel:
        add_jobs(parser)
    options = parser.parse_args()
    require("matplotlib")  # for the charts, at the end
    return options


def study_from(options: argparse.Namespace) -> tuple[Study, Path]:
    """The study that the options of the command line name, and the folder for its files."""
    run, task = get_run(options.run).with_seed(options.seed), get_task(options.task)
    folder = options.output / task.name / run.name
    check_writable(folder)
    return prepare_study(run, task, options.data, options.translator, folder), folder
