"""Published figures of other systems: Pearson, and the weighted mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

Kind = Literal["paper", "median", "winner", "best"]


class Published(NamedTuple):
    """One published result.

    Attributes:
        system, task: its name, and our name of the task.
        kind: a run of the paper, the median, the winner, or the best of each column.
        datasets: Pearson by data set, as far as known.
        average, source: published weighted mean, and where.
        run: our run of the same kind, or ``""``.
    """

    system: str
    task: str
    kind: Kind
    datasets: Mapping[str, float]
    average: float
    source: str
    run: str = ""


_NAMES = {
    "sts2015": ("answers-forums", "answers-students", "belief", "headlines", "images"),
    "sts2016": ("answer-answer", "headlines", "plagiarism", "postediting", "question-question"),
    "sts2016-es-en": ("news", "multisource"),
}
_TABLES = {"sts2016": 2, "sts2016-es-en": 3}


def _paper(
    system: str, task: str, kind: Kind, pearson: tuple[float, ...], average: float, run: str = ""
) -> Published:
    """Return a line of the paper's table of a task."""
    datasets = dict(zip(_NAMES[task], pearson, strict=True))
    source = f"Hokamp and Arora (2016), Table {_TABLES[task]}"
    return Published(system, task, kind, datasets, average, source, run)


def _winner(
    system: str, task: str, pearson: tuple[float, ...], average: float, source: str
) -> Published:
    """Return the best system of a year; of the first years only the average is known."""
    datasets = dict(zip(_NAMES[task], pearson, strict=True)) if pearson else {}
    return Published(f"{system} (winner)", task, "winner", datasets, average, source)


_EN, _ES = "sts2016", "sts2016-es-en"
_BEST = "best system of each column"

PUBLISHED = (
    _winner("UKP", "sts2012", (), 0.6773,
            "Bär et al. (2012), run 2, by the ranking of Agirre et al. (2012)"),
    Published("UMBC (winner), without SMT", "sts2013", "winner", {}, 0.737,
              "Han et al. (2013), PairingWords, over the other three sets"),
    _winner("DLS@CU", "sts2014", (), 0.761, "Sultan et al. (2014), run 2"),
    _winner("DLS@CU", "sts2015", (0.739, 0.7725, 0.7491, 0.825, 0.8644), 0.8015,
            "the official ranking of SemEval-2015 Task 2, DLS@CU-S1"),
    _paper("DCU task-internal", _EN, "paper", (0.627, 0.719, 0.808, 0.809, 0.516), 0.699,
           "task-internal"),
    _paper("DCU synthetic", _EN, "paper", (0.688, 0.687, 0.819, 0.809, 0.506), 0.7133, "synthetic"),
    _paper("DCU fusion", _EN, "paper", (0.583, 0.764, 0.814, 0.847, 0.566), 0.717, "fusion-gbr"),
    _paper("median of all systems", _EN, "median", (0.480, 0.764, 0.789, 0.812, 0.571), 0.689),
    _winner("Samsung Poland EN1", _EN, (0.692, 0.827, 0.841, 0.835, 0.687), 0.778,
            "Agirre et al. (2016)"),
    _paper(_BEST, _EN, "best", (0.692, 0.827, 0.841, 0.867, 0.747), 0.778),
    _paper("DCU task-internal", _ES, "paper", (0.894, 0.769), 0.832, "task-internal"),
    _paper("DCU synthetic", _ES, "paper", (0.897, 0.793), 0.846, "synthetic"),
    _winner("UWB", _ES, (0.906, 0.819), 0.863, "Brychcín and Svoboda (2016)"),
    _paper(_BEST, _ES, "best", (0.912, 0.819), 0.863),
)  # fmt: skip
"""Tables 2 and 3 of the paper, and the systems that won each year."""


def published_on(task: str) -> list[Published]:
    """Return the published results of a task, in the order of the tables."""
    return [other for other in PUBLISHED if other.task == task]
