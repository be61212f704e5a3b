"""JSON and printed tables of ablation and importance, and their summary for reports."""

from __future__ import annotations

import math
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

import numpy as np

from runs.contribution.ablation import (
    CONFIDENCE,
    RESAMPLES,
    Ablation,
    Figure,
    FusionFigures,
    Kind,
    ablate,
)
from runs.contribution.importance import (
    BOOSTER,
    REPEATS,
    FeatureImportance,
    GroupImportance,
    Importances,
    measure_importance,
)
from runs.contribution.ledger import Ledger
from runs.contribution.study import Loss, Study, StudySummary
from runs.tables.format import json_text, signed, text_table
from sts.files import write_text

WEIGHTED = "weighted mean"
"""Name of the official average among those of the data sets."""

IMPORTANCE_HEADER = (
    "feature", "group", "gini", "gain", "splits", "permutation", "spread", "shapley", "nearest",
    "correlation",
)  # fmt: skip
GROUP_HEADER = ("group", "features", "gini", "gain", "splits", "shapley")

NOT_SHARED = ("library", "random_state")
"""Settings that the two boosters do not share, or that the run gives."""


def _origin(study: Study) -> dict[str, Any]:
    """Return the names and digests that both JSON files begin with."""
    return {
        "task": study.task,
        "run": study.run.name,
        "recipe": study.run.recipe,
        "run_digest": study.run.digest,
        "seed": study.run.seed,
        "inputs": study.digest,
    }


# Ablation


def write_ablation(study: Study, found: Ablation, folder: Path) -> None:
    """Write ablation.json into the folder."""
    write_text(folder / "ablation.json", json_text(ablation_json(study, found)))


def ablation_json(study: Study, found: Ablation) -> dict[str, Any]:
    """Return the content of ablation.json; undefined numbers are null.

    - ``task``, ``run``, ``recipe``, ``run_digest``, ``seed``: of the run.
    - ``inputs``: sha256 of recipe, columns, matrices and gold.
    - ``bootstrap``: ``resamples``, ``confidence`` and ``seed`` of the intervals.
    - ``pairs``: number of scored pairs by data set.
    - ``groups``: names of the columns by group.
    - ``whole``: number of ``columns``, and a :class:`Figure` for each of ``datasets`` and for
      ``weighted_mean``; its difference is 0.
    - ``cells``: the same with ``kind`` and ``group``, in the order of :class:`Ablation`.
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


def _shown(figure: Figure) -> tuple[str, ...]:
    """Return the score, the difference and the ends of the interval."""
    return (f"{figure.score:.4f}", *map(signed, (figure.difference, figure.low, figure.high)))


def ablation_tables(study: Study, found: Ablation) -> str:
    """Return one table per kind: the correlations, and the difference to the whole fusion."""
    header = ("columns", *found.whole.datasets, WEIGHTED, "difference", "low", "high")
    whole = ("all", *_table_cells(len(study.columns), found.whole))
    parts = []
    for kind in get_args(Kind):
        rows = [(c.group, *_table_cells(len(c.columns), c.result)) for c in found.of(kind)]
        parts.append(text_table((kind, *header), [whole, *rows]))
    return "\n\n".join(parts)


def _table_cells(columns: int, result: FusionFigures) -> tuple[str, ...]:
    scores = (f"{figure.score:.3f}" for figure in result.datasets.values())
    return (str(columns), *scores, *_shown(result.weighted_mean))


# Importance


def write_importance(study: Study, found: Importances, folder: Path) -> None:
    """Write importance.json into the folder."""
    write_text(folder / "importance.json", json_text(importance_json(study, found)))


def importance_table(found: Importances) -> str:
    """Return the printed tables: one row per group, then one row per feature."""
    groups = [
        (one.group, str(one.features), *_shares(one), f"{one.shapley:.4f}") for one in found.groups
    ]
    features = [
        (
            row.feature,
            row.group,
            *_shares(row),
            signed(row.permutation),
            f"{row.spread:.4f}",
            f"{row.shapley:.4f}",
            row.nearest or "none",
            signed(row.correlation, 3),
        )
        for row in found.rows
    ]
    return f"{text_table(GROUP_HEADER, groups)}\n\n{text_table(IMPORTANCE_HEADER, features)}"


def _shares(row: GroupImportance | FeatureImportance) -> tuple[str, ...]:
    return tuple(f"{share:.4f}" for share in (row.gini, row.gain, row.splits))


def importance_json(study: Study, found: Importances) -> dict[str, Any]:
    """Return the content of importance.json; undefined numbers are null.

    - ``task``, ``run``, ``recipe``, ``run_digest``, ``seed``: of the run.
    - ``inputs``: sha256 of recipe, columns, matrices and gold.
    - ``boosters``: settings that both libraries' boosters share.
    - ``repeats``: number of shuffles of each feature.
    - ``weighted_mean``: of the run's ensemble with nothing shuffled, fitted to the columns sorted
      by name; a library that draws columns may differ a little from the run's own order.
    - ``groups``, ``features``: lists of :class:`GroupImportance` and :class:`FeatureImportance`,
      the largest Gini importance first.
    - ``correlation``: Spearman's rho of each feature with each other over the training pairs.
    """
    return _origin(study) | {
        "boosters": {k: v for k, v in BOOSTER.get_params().items() if k not in NOT_SHARED},
        "repeats": REPEATS,
        "weighted_mean": found.whole,
        "groups": [asdict(one) for one in found.groups],
        "features": [asdict(row) | {"nearest": row.nearest or None} for row in found.rows],
        "correlation": {
            name: dict(zip(found.features, values, strict=True))
            for name, values in zip(
                found.features, found.correlation.round(4).tolist(), strict=True
            )
        },
    }


# Summary


def summarise(study: Study, folder: Path, jobs: int) -> StudySummary:
    """Measure what the ledgers of the folder do not have yet, which takes minutes the first time.

    Args:
        study: the matrices.
        folder: with ``ablation.jsonl`` and ``importance.jsonl``.
        jobs: number of processes; -1 is one per core.
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
