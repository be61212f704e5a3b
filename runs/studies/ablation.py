"""What each group of features brings: the fusion without it, with it alone, and group by group.

``without`` leaves one group out, ``alone`` leaves one group in, and
``cumulative`` adds the groups in the order of their score alone, the best
first. Each fusion is compared with the whole one on the same resampled pairs.
Every finished fusion is kept: started again, the command goes on where it was.

Writes ablation.csv, ablation.json and ablation.png to OUTPUT/TASK/RUN, beside
matrices.safetensors and ablation.jsonl, which hold what need not be computed
again, and prints the tables. :func:`as_json` says what is in ablation.json.
"""

from __future__ import annotations

import json
from typing import Any, get_args

import numpy as np

from runs.studies.ablating import (
    CONFIDENCE,
    RESAMPLES,
    WEIGHTED,
    Ablation,
    Columns,
    Figure,
    Kind,
    Measured,
    ablate,
    without_nan,
)
from runs.studies.ledger import Ledger, Value
from runs.studies.study import Study, signed, study_from, study_options
from runs.tables.charts import Panel, panel_chart
from runs.tables.format import Row, csv_text, text_table
from sts.command_line import run_tool
from sts.files import write_bytes, write_text


def as_json(study: Study, found: Ablation) -> dict[str, Any]:
    """What ablation.json holds.

    A *figure* is ``{"score", "difference", "low", "high"}``, see :class:`Figure`;
    what is undefined is null. The keys:

    - ``task``, ``run``: names; ``recipe``, ``run_digest``, ``seed``: of the run.
    - ``inputs``: sha256 of recipe, columns, matrices and gold.
    - ``bootstrap``: ``resamples``, ``confidence`` and ``seed`` of the intervals.
    - ``pairs``: scored pairs by data set.
    - ``groups``: the names of the columns by group.
    - ``whole``: ``columns`` (a number), ``datasets`` (a figure each) and
      ``weighted_mean`` (a figure; its difference is 0).
    - ``cells``: a list of the same with ``kind`` and ``group`` in front, in the order
      of :class:`Ablation`.
    """
    run = study.run
    return {
        "task": study.task,
        "run": run.name,
        "recipe": repr(run),
        "run_digest": run.digest,
        "seed": run.seed,
        "inputs": study.digest,
        "bootstrap": {"resamples": RESAMPLES, "confidence": CONFIDENCE, "seed": run.seed},
        "pairs": {name: int((~np.isnan(g)).sum()) for name, g in study.test_gold.items()},
        "groups": study.groups,
        "whole": _figures(found.whole, study.columns),
        "cells": [
            {"kind": c.kind, "group": c.group, **_figures(c.measured, c.columns)}
            for c in found.cells
        ],
    }


def _figures(measured: Measured, columns: Columns) -> Value:
    return {
        "columns": len(columns),
        "datasets": {name: without_nan(figure) for name, figure in measured.datasets.items()},
        "weighted_mean": without_nan(measured.weighted_mean),
    }


CSV_HEADER = ("kind", "group", "columns", "dataset", "score", "difference", "low", "high")


def csv_rows(study: Study, found: Ablation) -> list[Row]:
    """A line a cell and data set, and one of its weighted mean; the whole fusion first."""
    whole = [("whole", "all", study.columns, found.whole)]
    cells = [(c.kind, c.group, c.columns, c.measured) for c in found.cells]
    return [
        (kind, group, str(len(columns)), name, *_shown(figure))
        for kind, group, columns, measured in (*whole, *cells)
        for name, figure in (*measured.datasets.items(), (WEIGHTED, measured.weighted_mean))
    ]


def _shown(figure: Figure) -> tuple[str, ...]:
    """Score, difference and ends of the interval."""
    return (f"{figure.score:.4f}", *map(signed, (figure.difference, figure.low, figure.high)))


def tables(study: Study, found: Ablation) -> str:
    """A table of each kind: the correlations, and the difference to the whole fusion."""
    names = tuple(found.whole.datasets)
    header = ("columns", *names, WEIGHTED, "difference", "low", "high")
    whole = ("all", *_cells(len(study.columns), found.whole))
    parts = []
    for kind in get_args(Kind):
        rows = [(c.group, *_cells(len(c.columns), c.measured)) for c in found.of(kind)]
        parts.append(text_table((kind, *header), [whole, *rows]))
    return "\n\n".join(parts)


def _cells(columns: int, measured: Measured) -> tuple[str, ...]:
    scores = (f"{figure.score:.3f}" for figure in measured.datasets.values())
    return (str(columns), *scores, *_shown(measured.weighted_mean))


TITLES = {
    "without": "without the group",
    "alone": "the group alone",
    "cumulative": "group by group",
}


def chart(study: Study, found: Ablation) -> bytes:
    """The difference to the whole fusion and its interval, a panel a kind."""
    panels = [
        Panel(
            TITLES[kind],
            [f"+ {c.group}" if kind == "cumulative" else c.group for c in found.of(kind)],
            [c.measured.weighted_mean.difference for c in found.of(kind)],
            [(c.measured.weighted_mean.low, c.measured.weighted_mean.high) for c in found.of(kind)],
            dots=True,
        )
        for kind in get_args(Kind)
    ]
    title = f"{study.run.name} on {study.task}: weighted mean, difference to all features"
    return panel_chart(panels, title=title)


def main() -> None:
    """Ablate, write, print."""
    options = study_options("ablation", __doc__, parallel=True)
    study, folder = study_from(options)
    found = ablate(study, Ledger(folder / "ablation.jsonl"), options.jobs)
    text = json.dumps(as_json(study, found), indent=2, ensure_ascii=False, allow_nan=False)
    write_text(folder / "ablation.json", f"{text}\n")
    write_text(folder / "ablation.csv", csv_text(CSV_HEADER, csv_rows(study, found)))
    write_bytes(folder / "ablation.png", chart(study, found))
    print(f"{study.run.name} on {study.task}\n\n{tables(study, found)}\n")
    print("difference: weighted mean minus that of all features, with its 95 % interval")


if __name__ == "__main__":
    run_tool(main)
