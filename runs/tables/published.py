"""Figures that others published, to stand next to ours. Pearson; averages as named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Kind = Literal["paper", "median", "winner", "best"]


@dataclass(frozen=True)
class Published:
    """One published result.

    Attributes:
        system: whose it is.
        task: our name of the task.
        kind: a run of the paper, the median, the winner, or the best of each column.
        run: the run of ours that does the same, or ``""``.
        datasets: Pearson by data set; one that is not known is left out.
        average: the average that was published, and ``averaged``, what it is.
        source: where the figures stand.
    """

    system: str
    task: str
    kind: Kind
    run: str
    datasets: Mapping[str, float]
    average: float
    averaged: str
    source: str


_TABLE_2 = "Hokamp and Arora (2016), Table 2"
_TABLE_3 = "Hokamp and Arora (2016), Table 3"
_NAMES_2016 = ("answer-answer", "headlines", "plagiarism", "postediting", "question-question")


def _table_2(
    system: str, kind: Kind, run: str, pearson: tuple[float, ...], average: float
) -> Published:
    datasets = dict(zip(_NAMES_2016, pearson, strict=True))
    return Published(system, "sts2016", kind, run, datasets, average, "weighted mean", _TABLE_2)


def _table_3(
    system: str, kind: Kind, run: str, pearson: tuple[float, float], mean: float
) -> Published:
    datasets = dict(zip(("news", "multisource"), pearson, strict=True))
    return Published(system, "sts2016-es-en", kind, run, datasets, mean, "weighted mean", _TABLE_3)


def _winner(
    system: str, task: str, datasets: Mapping[str, float], average: float, source: str
) -> Published:
    return Published(system, task, "winner", "", datasets, average, "weighted mean", source)


PUBLISHED = (
    _winner(
        "UKP (winner)",
        "sts2012",
        {},
        0.6773,
        "Bär et al. (2012), run 2, by the ranking of Agirre et al. (2012)",
    ),
    _winner(
        "UMBC (winner), without SMT",
        "sts2013",
        {},
        0.737,
        "Han et al. (2013), PairingWords, over the other three sets",
    ),
    _winner(
        "DLS@CU (winner)",
        "sts2014",
        {},
        0.761,
        "Sultan et al. (2014), run 2",
    ),
    _winner(
        "DLS@CU (winner)",
        "sts2015",
        {
            "answers-forums": 0.739,
            "answers-students": 0.7725,
            "belief": 0.7491,
            "headlines": 0.825,
            "images": 0.8644,
        },
        0.8015,
        "the official ranking of SemEval-2015 Task 2, DLS@CU-S1",
    ),
    _table_2(
        "DCU task-internal", "paper", "task-internal", (0.627, 0.719, 0.808, 0.809, 0.516), 0.699
    ),
    _table_2("DCU synthetic", "paper", "synthetic", (0.688, 0.687, 0.819, 0.809, 0.506), 0.7133),
    _table_2("DCU fusion", "paper", "fusion", (0.583, 0.764, 0.814, 0.847, 0.566), 0.717),
    _table_2("median of all systems", "median", "", (0.480, 0.764, 0.789, 0.812, 0.571), 0.689),
    _winner(
        "Samsung Poland EN1 (winner)",
        "sts2016",
        dict(zip(_NAMES_2016, (0.692, 0.827, 0.841, 0.835, 0.687), strict=True)),
        0.778,
        "Agirre et al. (2016)",
    ),
    _table_2("best system of each column", "best", "", (0.692, 0.827, 0.841, 0.867, 0.747), 0.778),
    _table_3("DCU task-internal", "paper", "task-internal", (0.894, 0.769), 0.832),
    _table_3("DCU synthetic", "paper", "synthetic", (0.897, 0.793), 0.846),
    _winner(
        "UWB (winner)",
        "sts2016-es-en",
        {"news": 0.906, "multisource": 0.819},
        0.863,
        "Brychcín and Svoboda (2016)",
    ),
    _table_3("best system of each column", "best", "", (0.912, 0.819), 0.863),
)
"""Tables 2 and 3 of the paper, and the systems that won each year."""


def published_on(task: str) -> list[Published]:
    """What was published on a task, in the order of the tables."""
    return [other for other in PUBLISHED if other.task == task]
