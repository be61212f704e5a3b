"""The paper's four runs made again, beside what the paper has (Hokamp and Arora, 2016, Table 2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from runs.pipeline.task_run import evaluate, predict, write
from runs.recipes.by_name import get_run
from runs.tables.published import published_on
from sts.data.catalog import get_task
from sts.data.schema import Task
from sts.errors import MissingResourceError
from sts.progress import note
from sts.scoring.task_score import TaskScore

FOUR = ("raw", "task-internal", "synthetic", "fusion-gbr")
"""The starting vectors, both of the paper's tunings, and its fusion."""

OTHERWISE = (
    "What is not the paper's: the starting vectors are distilled from a sentence transformer, so "
    "raw is strong already and tuning gains little; round trips are Apertium's."
)

WEIGHTED = "weighted mean"


@dataclass(frozen=True)
class Reproduction:
    """The figures of the four runs.

    Attributes:
        task: which was scored.
        ours: Pearson's r by run, then by data set and :data:`WEIGHTED`; a run that this machine
            cannot make is not there.
        papers: the same of the paper, where it has the run.
    """

    task: Task
    ours: Mapping[str, Mapping[str, float]]
    papers: Mapping[str, Mapping[str, float]]

    @property
    def rows(self) -> list[str]:
        """The data sets, and the weighted mean."""
        return [*(dataset.name for dataset in self.task.datasets), WEIGHTED]

    def __str__(self) -> str:
        columns = [
            (run, whose) for run in FOUR for whose in ("ours", "paper") if self._has(run, whose)
        ]
        width = max(map(len, self.rows))
        heads = ["".join(f"{(run if whose == 'ours' else ''):>15}" for run, whose in columns),
                 "".join(f"{whose:>15}" for _, whose in columns)]  # fmt: skip
        lines = [f"{'':{width}}{head}" for head in heads]
        for row in self.rows:
            cells = [self._figures(whose).get(run, {}).get(row) for run, whose in columns]
            shown = ("–" if cell is None else f"{cell:.3f}" for cell in cells)
            lines.append(f"{row:{width}}" + "".join(f"{cell:>15}" for cell in shown))
        return "\n".join([*lines, "", OTHERWISE])

    def _figures(self, whose: str) -> Mapping[str, Mapping[str, float]]:
        return self.ours if whose == "ours" else self.papers

    def _has(self, run: str, whose: str) -> bool:
        return whose == "ours" or run in self.papers

    def picture(self) -> bytes:
        """Return bars of all figures, as PNG; needs matplotlib."""
        from runs.tables.charts import grouped_chart

        bars = {run: [self.ours[run][row] for row in self.rows] for run in FOUR if run in self.ours}
        marks = {run: [self.papers[run][row] for row in self.rows] for run in self.papers}
        title = f"{self.task.name}: bars are ours" + (", lines the paper's" if marks else "")
        return grouped_chart(self.rows, bars, marks, title=title)


def reproduce(task_name: str, data: Path | None, output: Path) -> Reproduction:
    """Make the paper's four runs on a task and write their files.

    Args:
        task_name: as for ``semaniacs submit``.
        data: the folder of the official files.
        output: receives what ``semaniacs submit`` writes of each run.

    Raises:
        UnknownNameError: no such task.
    """
    task, ours = get_task(task_name), {}
    for number, name in enumerate(FOUR, start=1):
        note(f"{number} of {len(FOUR)}: {name}")
        try:
            outcome = predict(get_run(name), task, data)
        except MissingResourceError as error:
            note(f"{name} is left out: {error}")
            continue
        score = evaluate(outcome, data)
        write(outcome, score, output)
        ours[name] = _pearson(score)
    papers = {
        other.run: {**other.datasets, WEIGHTED: other.average}
        for other in published_on(task.name)
        if other.kind == "paper"
    }
    return Reproduction(task, ours, papers)


def _pearson(score: TaskScore) -> dict[str, float]:
    found = {name: dataset.pearson for name, dataset in score.datasets.items()}
    return {**found, WEIGHTED: score.weighted_mean}
