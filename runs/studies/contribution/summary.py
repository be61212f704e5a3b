"""What ablation and importance found of a run, in the few numbers that a report shows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from runs.studies.contribution.ablation import ablate
from runs.studies.contribution.importance import FeatureImportance, measure_importance
from runs.studies.contribution.study import Study
from runs.studies.ledger import Ledger


@dataclass(frozen=True)
class Loss:
    """How much the weighted mean loses without something; low and high are its interval or NaN."""

    name: str
    loss: float
    low: float
    high: float


@dataclass(frozen=True)
class StudySummary:
    """What :mod:`runs.studies.contribution.ablation` and :mod:`runs.studies.contribution.importance` found for a run.

    Attributes:
        task: the name of the task that was studied.
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


def summarise(study: Study, folder: Path, jobs: int) -> StudySummary:
    """Study what is not in the ledgers of the folder yet, which takes minutes the first time.

    Args:
        study: the matrices.
        folder: of ``ablation.jsonl`` and ``importance.jsonl``, which keep finished work.
        jobs: processes, see :func:`runs.studies.workers.each`.
    """
    ablation = ablate(study, Ledger(folder / "ablation.jsonl"), jobs)
    importance = measure_importance(study, Ledger(folder / "importance.jsonl"), jobs)
    figures = {cell.group: cell.result.weighted_mean for cell in ablation.of("without")}
    return StudySummary(
        study.task,
        study.digest,
        tuple(Loss(name, -f.difference, -f.high, -f.low) for name, f in figures.items()),
        tuple((cell.group, cell.score) for cell in ablation.of("alone")),
        tuple((cell.group, cell.score) for cell in ablation.of("cumulative")),
        tuple(sorted(map(_permutation_loss, importance.rows), key=_largest_first)),
    )


def _permutation_loss(row: FeatureImportance) -> Loss:
    loss, spread = row.permutation, row.spread
    return Loss(row.feature, loss, loss - spread, loss + spread)


def _largest_first(loss: Loss) -> tuple[bool, float, str]:
    return math.isnan(loss.loss), -loss.loss, loss.name
