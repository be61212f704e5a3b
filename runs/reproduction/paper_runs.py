"""The paper's four runs beside the paper's figures (Hokamp and Arora, 2016, Table 2)."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from semaniacs.runs.pipeline.task_run import evaluate, predict, write
from semaniacs.runs.recipes import get_run
from semaniacs.runs.tables.published import published_on
from semaniacs.sts.data.catalog import Task, get_task
from semaniacs.sts.errors import MissingResourceError, require
from semaniacs.sts.files import write_bytes
from semaniacs.sts.progress import note

FOUR = ("raw", "task-internal", "synthetic", "fusion-gbr")
"""Starting vectors, both of the paper's tunings, and its fusion."""

OTHERWISE = (
    "Differences from the paper: the starting vectors are distilled from a sentence transformer, so "
    "raw is strong already and tuning gains little; round trips are by Apertium."
)

WEIGHTED = "weighted mean"


@dataclass(frozen=True)
class Reproduction:
    """Pearson's r by run, then by data set and :data:`WEIGHTED`: ours and the paper's.

    A run that this machine cannot make has no figures of ours.
    """

    task: Task
    ours: Mapping[str, Mapping[str, float]]
    papers: Mapping[str, Mapping[str, float]]

    @property
    def rows(self) -> list[str]:
        """Names of the data sets, and of the weighted mean."""
        return [*(dataset.name for dataset in self.task.datasets), WEIGHTED]

    def __str__(self) -> str:
        width = max(map(len, self.rows))
        lines = [" " * width, " " * width, *(f"{row:{width}}" for row in self.rows)]
        for run in FOUR:
            for whose, figures in (("ours", self.ours), ("paper", self.papers)):
                if whose == "paper" and run not in self.papers:
                    continue
                cells = [figures.get(run, {}).get(row) for row in self.rows]
                shown = ["–" if cell is None else f"{cell:.3f}" for cell in cells]
                column = [run if whose == "ours" else "", whose, *shown]
                lines = [f"{line}{cell:>15}" for line, cell in zip(lines, column, strict=True)]
        return "\n".join([*lines, "", OTHERWISE])

    def picture(self) -> bytes:
        """Return bars of our figures with lines at the paper's, as PNG; needs matplotlib."""
        from matplotlib.figure import Figure  # without pyplot: no window, no global state

        figure = Figure(figsize=(7, 4), layout="constrained")
        axes = figure.subplots()
        shown = [run for run in FOUR if run in self.ours]
        wide = 0.8 / len(shown)
        for number, run in enumerate(shown):
            places = np.arange(len(self.rows)) + (number - (len(shown) - 1) / 2) * wide
            axes.bar(places, [self.ours[run][row] for row in self.rows], wide * 0.9, label=run)
            if run in self.papers:
                lines = [self.papers[run][row] for row in self.rows]
                axes.hlines(lines, places - wide / 2, places + wide / 2, "#333333", linewidth=2)
        axes.set_xticks(range(len(self.rows)), self.rows, rotation=20, size=8)
        axes.set_ylabel("Pearson's r")
        beside = ", lines the paper's" if self.papers else ""
        axes.set_title(f"{self.task.name}: bars are ours{beside}")
        axes.grid(axis="y", alpha=0.3)
        axes.set_axisbelow(True)
        figure.legend(loc="outside lower center", ncols=len(shown))
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", dpi=120, metadata={"Software": None})
        return buffer.getvalue()

    def write_picture(self, path: Path) -> None:
        """Write :meth:`picture` to a file; without matplotlib, print a note instead."""
        try:
            require("matplotlib")
        except MissingResourceError as error:
            note(f"{path.name} is left out: {error}")
        else:
            write_bytes(path, self.picture())


def reproduce(task_name: str, data: Path | None, output: Path) -> Reproduction:
    """Score a task with the paper's four runs and write their files, as ``semaniacs submit`` does."""
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
        ours[name] = {one: dataset.pearson for one, dataset in score.datasets.items()}
        ours[name][WEIGHTED] = score.weighted_mean
    papers = {
        other.run: {**other.datasets, WEIGHTED: other.average}
        for other in published_on(task.name)
        if other.kind == "paper"
    }
    return Reproduction(task, ours, papers)
