"""What ablation and importance found of a run, in the few numbers that a report shows."""

from __future__ import annotations

from dataclasses import dataclass


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
