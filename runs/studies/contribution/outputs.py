"""What ablation and importance give: JSON, CSV, charts, printed tables, a summary for reports."""

from __future__ import annotations

import math
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

import numpy as np

from runs.studies.contribution.ablation import (
    CONFIDENCE,
    RESAMPLES,
    Ablation,
    Figure,
    FusionFigures,
    Kind,
    ablate,
)
from runs.studies.contribution.importance import (
    BOOSTER,
    REPEATS,
    Importances,
    measure_importance,
)
from runs.studies.contribution.study import Loss, Study, StudySummary
from runs.studies.ledger import Ledger
from runs.tables.charts import Panel, heat_map, panel_chart
from runs.tables.format import Row, csv_text, signed, text_table
from runs.tables.pages import write_json
from sts.files import write_bytes, write_text

# --- ablation


def write_ablation(study: Study, found: Ablation, folder: Path) -> None:
    """Write ablation.json, ablation.csv and ablation.png into the folder."""
    write_json(folder / "ablation.json", ablation_json(study, found))
    write_text(folder / "ablation.csv", csv_text(ABLATION_HEADER, ablation_rows(study, found)))
    write_bytes(folder / "ablation.png", ablation_chart(study, found))


def ablation_json(study: Study, found: Ablation) -> dict[str, Any]:
    """The content of ablation.json.

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
    return _origin(study) | {
        "bootstrap": {"resamples": RESAMPLES, "confidence": CONFIDENCE, "seed": study.run.seed},
        "pairs": {name: int((~np.isnan(g)).sum()) for name, g in study.test_gold.items()},
        "groups": study.groups,
        "whole": {"columns": len(study.columns), **asdict(found.whole)},
        "cells": [
            {"kind": c.kind, "group": c.group, "columns": len(c.columns), **asdict(c.result)}
            for c in found.cells
        ],
    }


def _origin(study: Study) -> dict[str, Any]:
    """What the figures of a study rest on, as both files begin."""
    return {
        "task": study.task,
        "run": study.run.name,
        "recipe": study.run.recipe,
        "run_digest": study.run.digest,
        "seed": study.run.seed,
        "inputs": study.digest,
    }


ABLATION_HEADER = ("kind", "group", "columns", "dataset", "score", "difference", "low", "high")


def ablation_rows(study: Study, found: Ablation) -> list[Row]:
    """A line a cell and data set, and one of its weighted mean; the whole fusion first."""
    whole = [("whole", "all", study.columns, found.whole)]
    cells = [(c.kind, c.group, c.columns, c.result) for c in found.cells]
    return [
        (kind, group, str(len(columns)), name, *_shown(figure))
        for kind, group, columns, result in (*whole, *cells)
        for name, figure in (*result.datasets.items(), (WEIGHTED, result.weighted_mean))
    ]


def _shown(figure: Figure) -> tuple[str, ...]:
    """Score, difference and ends of the interval."""
    return (f"{figure.score:.4f}", *map(signed, (figure.difference, figure.low, figure.high)))


def ablation_tables(study: Study, found: Ablation) -> str:
    """A table of each kind: the correlations, and the difference to the whole fusion."""
    names = tuple(found.whole.datasets)
    header = ("columns", *names, WEIGHTED, "difference", "low", "high")
    whole = ("all", *_table_cells(len(study.columns), found.whole))
    parts = []
    for kind in get_args(Kind):
        rows = [(c.group, *_table_cells(len(c.columns), c.result)) for c in found.of(kind)]
        parts.append(text_table((kind, *header), [whole, *rows]))
    return "\n\n".join(parts)


def _table_cells(columns: int, result: FusionFigures) -> tuple[str, ...]:
    scores = (f"{figure.score:.3f}" for figure in result.datasets.values())
    return (str(columns), *scores, *_shown(result.weighted_mean))


WEIGHTED = "weighted mean"
"""The name of the official average among those of the data sets."""

PANEL_TITLES = {
    "without": "without the group",
    "alone": "the group alone",
    "cumulative": "group by group",
}


def ablation_chart(study: Study, found: Ablation) -> bytes:
    """The difference to the whole fusion and its interval, a panel a kind, as PNG."""
    panels = []
    for kind in get_args(Kind):
        figures = [cell.result.weighted_mean for cell in found.of(kind)]
        plus = "+ " if kind == "cumulative" else ""
        names = [f"{plus}{cell.group}" for cell in found.of(kind)]
        differences = [figure.difference for figure in figures]
        intervals = [(figure.low, figure.high) for figure in figures]
        panels.append(Panel(PANEL_TITLES[kind], names, differences, intervals, dots=True))
    title = f"{study.run.name} on {study.task}: weighted mean, difference to all features"
    return panel_chart(panels, title=title)


# --- importance

IMPORTANCE_HEADER = (
    "feature", "group", "gini", "gain", "splits", "permutation", "spread", "shapley", "nearest",
    "correlation",
)  # fmt: skip

GROUP_HEADER = ("group", "features", "gini", "gain", "splits", "shapley")

NOT_SHARED = ("library", "random_state")
"""Settings that the two boosters do not share, or that the run gives."""


def write_importance(study: Study, found: Importances, folder: Path) -> None:
    """Write importance.{json,csv,png} and correlation.{csv,png} into the folder."""
    write_json(folder / "importance.json", importance_json(study, found))
    write_text(folder / "importance.csv", csv_text(IMPORTANCE_HEADER, importance_rows(found)))
    write_bytes(folder / "importance.png", importance_chart(study, found))
    write_text(folder / "correlation.csv", correlation_csv(found))
    title = f"{study.run.name} on {study.task}: Spearman correlation over the training pairs"
    heat = heat_map(found.features, found.correlation, title=title)
    write_bytes(folder / "correlation.png", heat)


def importance_table(found: Importances) -> str:
    """The tables that are printed: a line per group, then a line per feature."""
    groups = [
        (
            one.group,
            str(one.features),
            *(f"{value:.4f}" for value in (one.gini, one.gain, one.splits, one.shapley)),
        )
        for one in found.groups
    ]
    features = text_table(IMPORTANCE_HEADER, importance_rows(found))
    return f"{text_table(GROUP_HEADER, groups)}\n\n{features}"


def importance_rows(found: Importances) -> list[Row]:
    """A line a feature, as in the table and the CSV."""
    return [
        (
            row.feature,
            row.group,
            *(f"{share:.4f}" for share in (row.gini, row.gain, row.splits)),
            signed(row.permutation),
            f"{row.spread:.4f}",
            f"{row.shapley:.4f}",
            row.nearest or "none",
            signed(row.correlation, 3),
        )
        for row in found.rows
    ]


def correlation_csv(found: Importances) -> str:
    """The whole matrix: a line and a column a feature, by group and name."""
    rows = [
        (name, *(f"{value:.4f}" for value in values))
        for name, values in zip(found.features, found.correlation, strict=True)
    ]
    return csv_text(("feature", *found.features), rows)


def importance_json(study: Study, found: Importances) -> dict[str, Any]:
    """The content of importance.json; what is undefined is null.

    - ``task``, ``run``: names; ``recipe``, ``run_digest``, ``seed``: of the run.
    - ``inputs``: sha256 of recipe, columns, matrices and gold.
    - ``boosters``: the settings that both libraries' boosters share.
    - ``repeats``: of the shuffles.
    - ``weighted_mean``: of the run's fusion, with nothing shuffled. It is fitted to the
      columns sorted by name, so that it does not depend on their order; a library that
      draws columns draws others than in the run's own order, and the figure differs a
      little from the run's.
    - ``groups``: a list of the attributes of :class:`GroupImportance`.
    - ``features``: a list, the largest Gini importance first, of the attributes of
      :class:`FeatureImportance`.
    """
    return _origin(study) | {
        "boosters": {k: v for k, v in BOOSTER.get_params().items() if k not in NOT_SHARED},
        "repeats": REPEATS,
        "weighted_mean": found.whole,
        "groups": [asdict(one) for one in found.groups],
        "features": [asdict(row) | {"nearest": row.nearest or None} for row in found.rows],
    }


def importance_chart(study: Study, found: Importances) -> bytes:
    """A panel a measure, the features in the same order in each, as PNG."""
    names = [row.feature for row in found.rows]
    losses = [row.permutation for row in found.rows]
    ends = [(r.permutation - r.spread, r.permutation + r.spread) for r in found.rows]
    panels = [
        Panel("Gini (scikit-learn)", names, [row.gini for row in found.rows]),
        Panel("gain (LightGBM)", names, [row.gain for row in found.rows]),
        Panel("splits (LightGBM)", names, [row.splits for row in found.rows]),
        Panel("loss when shuffled", names, losses, ends),
        Panel("mean absolute Shapley value", names, [row.shapley for row in found.rows]),
    ]
    return panel_chart(panels, title=f"{study.run.name} on {study.task}: importance of features")


# --- summary


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
