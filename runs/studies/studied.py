"""What the studies of a run found, for its report: made again only if something has changed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from runs.pipeline.recipe import Run
from runs.studies.ablating import ablate
from runs.studies.ledger import Ledger
from runs.studies.study import LAST_YEAR, open_study
from runs.studies.weighing import Importance, measure
from sts.data.catalog import get_task
from sts.data.records import Task
from sts.errors import MissingResourceError


@dataclass(frozen=True)
class Loss:
    """What the weighted mean loses without something; low and high are its interval or NaN."""

    name: str
    loss: float
    low: float
    high: float


@dataclass(frozen=True)
class Studied:
    """What :mod:`runs.studies.ablation` and :mod:`runs.studies.importance` found for a run.

    Attributes:
        task: that was studied, see :func:`studied_task`.
        inputs: sha256 of recipe, columns, matrices and gold.
        without: the loss without each group of features, the largest first.
        alone: (group, weighted mean) with each group alone, the best first.
        grown: (group, weighted mean) with that group and all that were added before it.
        shuffled: the mean loss when a feature is shuffled among the pairs, the largest
            first, and one standard deviation to either side.
    """

    task: str
    inputs: str
    without: tuple[Loss, ...]
    alone: tuple[tuple[str, float], ...]
    grown: tuple[tuple[str, float], ...]
    shuffled: tuple[Loss, ...]


def studied_task(task: Task) -> Task:
    """The task itself, or the last one that choices may rest on if results are reported on it."""
    return task if task.year <= LAST_YEAR else get_task(f"sts{LAST_YEAR}")


def studies_of(
    run: Run, task: Task, data: Path | None, translator: str | None, output: Path, jobs: int
) -> Studied | None:
    """The studies behind the report of a run, which take minutes the first time.

    Args:
        run, task, data, translator: of the report.
        output: folder in which the studies keep what need not be computed again.
        jobs: processes, see :func:`runs.studies.workers.each`.

    Returns:
        None if the run has no features, or if the data sets to study are not here.
    """
    if run.fusion is None:
        return None
    other = studied_task(task)
    folder = output / other.name / run.name
    try:
        study = open_study(run, other, data, translator, folder)
    except MissingResourceError:
        return None
    ablation = ablate(study, Ledger(folder / "ablation.jsonl"), jobs)
    weighed = measure(study, Ledger(folder / "importance.jsonl"), jobs)
    figures = {cell.group: cell.measured.weighted_mean for cell in ablation.of("without")}
    return Studied(
        study.task,
        study.digest,
        tuple(Loss(name, -f.difference, -f.high, -f.low) for name, f in figures.items()),
        tuple((cell.group, cell.score) for cell in ablation.of("alone")),
        tuple((cell.group, cell.score) for cell in ablation.of("cumulative")),
        tuple(sorted(map(_shuffled, weighed.rows), key=_largest_first)),
    )


def _shuffled(row: Importance) -> Loss:
    loss, spread = row.permutation, row.spread
    return Loss(row.feature, loss, loss - spread, loss + spread)


def _largest_first(loss: Loss) -> tuple[bool, float, str]:
    return math.isnan(loss.loss), -loss.loss, loss.name
