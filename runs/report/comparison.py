"""Whether one of two submissions is better, or the difference is due to the choice of pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from runs.tables.format import text_table
from sts.data.catalog import get_task
from sts.data.fetch import load_gold
from sts.data.pairs import Scores
from sts.data.schema import DataSet, Task
from sts.errors import DataError, StsError, UnknownNameError
from sts.files import parse_json, read_text
from sts.progress import note
from sts.scoring import submission
from sts.scoring.bootstrap import Comparison, Difference, paired_bootstrap
from sts.scoring.shared_task.system_files import check_defined

RESAMPLES = 10_000

_SHOWN = 6
"""Files that an error names; of the others it gives the number."""


class ComparedSubmissions(NamedTuple):
    """A task, the folders of two submissions to it, and how their correlations differ."""

    task: Task
    a: Path
    b: Path
    comparison: Comparison


def compare(
    a: Path, b: Path, task: str | None, data: Path | None, seed: int = 0, resamples: int = RESAMPLES
) -> ComparedSubmissions:
    """Compare the submissions in two folders by a paired bootstrap.

    Args:
        a, b: folders with a file of scores for each data set, see :func:`find_file`.
        task: its name; None reads it from the ``results.json`` of the folders.
        data: the folder given with ``--data``.
        seed: of the resamples, 0 or more.
        resamples: how many.

    Raises:
        StsError: the task is unknown, or a file is missing, doubled or malformed.
    """
    if seed < 0:
        raise StsError(f"--seed {seed}: expected a whole number from 0")
    files = {folder: file_names(folder) for folder in (a, b)}
    chosen = get_task(task) if task is not None else task_of(files)
    systems = {folder: read_submission(folder, files[folder], chosen) for folder in (a, b)}
    gold = {d.name: load_gold(d, data, d.input.rows) for d in chosen.datasets}
    for folder, scores in systems.items():
        check_defined(folder, scores, gold)
    for folder, scores in systems.items():
        warn_off_scale(folder, files[folder], chosen, scores)
    comparison = paired_bootstrap(systems[a], systems[b], gold, resamples=resamples, seed=seed)
    return ComparedSubmissions(chosen, a, b, comparison)


def file_names(folder: Path) -> list[str]:
    """The names of the files of a folder, sorted.

    Raises:
        DataError: it is not a folder or cannot be read.
    """
    if not folder.is_dir():
        raise DataError(
            f"{folder}: not a folder; expected one with a file of scores for each data set, "
            "such as output/sts2016/fusion"
        )
    try:
        return sorted(path.name for path in folder.iterdir() if path.is_file())
    except OSError as error:
        raise DataError(f"{folder}: cannot be read ({error.strerror})") from None


def task_of(folders: Iterable[Path]) -> Task:
    """The one task that the ``results.json`` of the folders name; a folder may have none.

    Raises:
        DataError: none names a task, they name two, or one is malformed.
    """
    named = {f / "results.json": named_task(f / "results.json") for f in dict.fromkeys(folders)}
    found = {path: name for path, name in named.items() if name is not None}
    if not found:
        looked = ", ".join(map(str, named))
        raise DataError(f"no file says which task this is ({looked}); add --task, see --list")
    if len(set(found.values())) > 1:
        said = ", ".join(f"{path} is of {name}" for path, name in found.items())
        raise DataError(f"two tasks cannot be compared: {said}; choose one with --task")
    path, name = next(iter(found.items()))
    try:
        return get_task(name)
    except UnknownNameError as error:
        raise DataError(f"{path}: {error}; say which with --task") from None


def named_task(path: Path) -> str | None:
    """The task that a ``results.json`` names; None if the file is not there."""
    if not path.exists():
        return None
    try:
        return str(parse_json(read_text(path))["task"])
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(
            f"{path}: not a results.json of ours ({error!r}); say the task with --task"
        ) from None


def read_submission(folder: Path, files: list[str], task: Task) -> dict[str, Scores]:
    """The scores of a submission by data set, one for each input line.

    Raises:
        DataError: a file is missing, doubled or malformed.
    """
    paths = {dataset: folder / find_file(folder, files, dataset) for dataset in task.datasets}
    return {d.name: submission.read(path, d.input.rows) for d, path in paths.items()}


def warn_off_scale(
    folder: Path, files: list[str], task: Task, scores: Mapping[str, Scores]
) -> None:
    """Count the scores off the scale of each file on stderr."""
    for dataset in task.datasets:
        path = folder / find_file(folder, files, dataset)
        if warning := submission.off_scale(scores[dataset.name], path):
            note(f"warning: {warning}")


def find_file(folder: Path, files: list[str], dataset: DataSet) -> str:
    """The one of the files whose name ends in ``.NAME.txt``, whatever the team calls it.

    Raises:
        DataError: there is none, or there are several.
    """
    ending = f".{dataset.name}.txt"
    found = [name for name in files if name.endswith(ending)]
    if len(found) == 1:
        return found[0]
    if found:
        raise DataError(
            f"{folder}: {len(found)} files end in {ending!r}: {_named(found)}; "
            "expected one: give each submission a folder of its own"
        )
    raise DataError(
        f"{folder}: no file ends in {ending!r}; files there: {_named(files) or 'none'}; expected "
        f"one such as {submission.file_name(dataset.year, 'NAME', dataset.name)}, "
        "or choose another task with --task"
    )


def _named(names: list[str]) -> str:
    more = [f"and {len(names) - _SHOWN} more"] if len(names) > _SHOWN else []
    return ", ".join(names[:_SHOWN] + more)


def comparison_text(compared: ComparedSubmissions) -> str:
    """A line a data set, the weighted mean, and the conclusion in two sentences."""
    figures = compared.comparison
    rows = [_row(name, difference) for name, difference in figures.datasets.items()]
    rows.append(_row("weighted mean", figures.weighted_mean))
    table = text_table(("", "A", "B", "A - B", "95 % interval", "p"), rows)
    head = f"{compared.task.name}, Pearson\nA  {compared.a}\nB  {compared.b}"
    return "\n".join([head, "", table, "", *conclusion(figures.weighted_mean)])


def _row(name: str, difference: Difference) -> tuple[str, ...]:
    return (
        name,
        f"{difference.a:.4f}",
        f"{difference.b:.4f}",
        f"{difference.value:+.4f}",
        f"{difference.low:+.4f} to {difference.high:+.4f}",
        f"{difference.p_value:.4f}",
    )


def conclusion(mean: Difference) -> tuple[str, str]:
    """Whether the weighted means differ at 95 %, and in how many resamples the better one is."""
    interval = f"the 95 % interval, {mean.low:+.4f} to {mean.high:+.4f},"
    if mean.real:
        better = "A" if mean.low > 0 else "B"
        said = f"{better} is better by {abs(mean.value):.4f}: {interval} excludes 0."
    else:
        said = f"A and B cannot be told apart: {interval} includes 0."
    first, second, holds = "A", "B", mean.a_holds
    if mean.value < 0:
        first, second, holds = "B", "A", mean.b_holds
    return said, (
        f"{first} is at least as good as {second} in {holds:.2%} of {mean.resamples:,} resamples "
        "of the pairs; p is two-sided."
    )
