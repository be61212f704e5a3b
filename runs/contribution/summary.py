"""Results of ablation and importance in the few numbers that a report shows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from semaniacs.runs.contribution.ablation import ablate
from semaniacs.runs.contribution.importance import measure_importance
from semaniacs.runs.contribution.ledger import Ledger
from semaniacs.runs.contribution.study import Study


@dataclass(frozen=True)
class Loss:
    """Loss of the weighted mean without something; low and high are its interval, or NaN."""

    name: str
    loss: float
    low: float
    high: float


@dataclass(frozen=True)
class StudySummary:
    """Ablation and permutation importance of a run.

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


def summarise(study: Study, folder: Path, jobs: int) -> StudySummary:
    """Measure what the ledgers of the folder do not have yet, which takes minutes the first time."""
    ablation = ablate(study, Ledger(folder / "ablation.jsonl"), jobs)
    importance = measure_importance(study, Ledger(folder / "importance.jsonl"), jobs)
    figures = {cell.group: cell.result.weighted_mean for cell in ablation.of("without")}
    losses = [
        Loss(r.feature, r.permutation, r.permutation - r.spread, r.permutation + r.spread)
        for r in importance.rows
    ]
    losses.sort(key=lambda loss: (math.isnan(loss.loss), -loss.loss, loss.name))
    return StudySummary(
        study.task,
        study.digest,
        tuple(Loss(name, -f.difference, -f.high, -f.low) for name, f in figures.items()),
        tuple((cell.group, cell.score) for cell in ablation.of("alone")),
        tuple((cell.group, cell.score) for cell in ablation.of("cumulative")),
        tuple(losses),
    )
