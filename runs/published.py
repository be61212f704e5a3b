"""Figures that others published, to stand next to ours. Pearson; averages as named."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Published:
    """One published result.

    Attributes:
        system: whose it is.
        task: our name of the task.
        run: the run of ours that does the same, or ``""``.
        datasets: Pearson by data set.
        average: the average that was published, and ``averaged``, what it is.
        source: where the figures stand.
    """

    system: str
    task: str
    run: str
    datasets: dict[str, float]
    average: float
    averaged: str
    source: str


_TABLE_2 = "Hokamp and Arora (2016), Table 2"
_TABLE_3 = "Hokamp and Arora (2016), Table 3"
_NAMES_2016 = ("answer-answer", "headlines", "plagiarism", "postediting", "question-question")


def _table_2(system: str, run: str, pearson: tuple[float, ...], average: float) -> Published:
    datasets = dict(zip(_NAMES_2016, pearson, strict=True))
    return Published(system, "sts2016", run, datasets, average, "weighted mean", _TABLE_2)


def _table_3(system: str, run: str, news: float, multisource: float, mean: float) -> Published:
    datasets = {"news": news, "multisource": multisource}
    return Published(system, "sts2016-es-en", run, datasets, mean, "weighted mean", _TABLE_3)


PUBLISHED = (
    _table_2("DCU task-internal", "task-internal", (0.627, 0.719, 0.808, 0.809, 0.516), 0.699),
    _table_2("DCU synthetic", "synthetic", (0.688, 0.687, 0.819, 0.809, 0.506), 0.7133),
    _table_2("DCU fusion", "fusion", (0.583, 0.764, 0.814, 0.847, 0.566), 0.717),
    _table_2("median of all systems", "", (0.480, 0.764, 0.789, 0.812, 0.571), 0.689),
    _table_2("best system of each column", "", (0.692, 0.827, 0.841, 0.867, 0.747), 0.778),
    _table_3("DCU task-internal", "task-internal", 0.894, 0.769, 0.832),
    _table_3("DCU synthetic", "synthetic", 0.897, 0.793, 0.846),
    _table_3("best system of each column", "", 0.912, 0.819, 0.863),
)
"""Table 2 and Table 3 of the paper."""
