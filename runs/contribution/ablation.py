"""Ablation: the fusion without each group of features, with each alone, and group by group.

``without`` leaves one group out, ``alone`` keeps one group, and ``cumulative`` adds the groups in
the order of their score alone, the best first. Each fusion is compared with the whole one on the
same resampled pairs. A ledger stores every finished fusion, so an ablation that was stopped
resumes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Literal, get_args

import numpy as np

from semaniacs.runs.contribution.ledger import Ledger, Value, each_once
from semaniacs.runs.contribution.study import Study
from semaniacs.runs.tables.format import signed, text_table
from semaniacs.sts.data.pairs import Scores
from semaniacs.sts.scoring.bootstrap import paired_bootstrap
from semaniacs.sts.scoring.correlation import pearson
from semaniacs.sts.tensors import digest

RESAMPLES = 2000
CONFIDENCE = 0.95
VERSION = 3
"""Version of the results in a ledger; raise it when their meaning changes."""

Kind = Literal["without", "alone", "cumulative"]
Columns = tuple[str, ...]


@dataclass(frozen=True)
class Figure:
    """Correlation beside that of the whole fusion; NaN where it is undefined.

    ``score`` is Pearson's r of a data set, or the weighted mean of a task. The difference, with its
    paired bootstrap interval, is below 0 if the fusion is worse than the whole one.
    """

    score: float = math.nan
    difference: float = math.nan
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True)
class FusionFigures:
    """Quality of a fusion of some columns: by data set, and on all together."""

    datasets: Mapping[str, Figure]
    weighted_mean: Figure


@dataclass(frozen=True)
class Cell:
    """One fusion: its columns were chosen by leaving out, keeping or last adding a group."""

    kind: Kind
    group: str
    columns: Columns
    result: FusionFigures

    @property
    def score(self) -> float:
        """Weighted mean."""
        return self.result.weighted_mean.score


@dataclass(frozen=True)
class Ablation:
    """The whole fusion and every cell.

    ``without`` begins with the largest loss, ``alone`` with the best score, and ``cumulative`` is
    in the order of adding.
    """

    whole: FusionFigures
    cells: tuple[Cell, ...]

    def of(self, kind: Kind) -> list[Cell]:
        """Return the cells of one kind, in order."""
        return [cell for cell in self.cells if cell.kind == kind]


def ablate(study: Study, ledger: Ledger, jobs: int = 1) -> Ablation:
    """Compute every cell that the ledger does not have yet; the number of jobs changes nothing."""

    def key(what: object) -> str:
        return digest((VERSION, study.digest, what, RESAMPLES, CONFIDENCE, study.run.seed))

    def predictions(_: str) -> Value:
        return {name: scores.tolist() for name, scores in study.predict(study.columns).items()}

    def compute(wanted: Sequence[Columns]) -> dict[Columns, FusionFigures]:
        compare = partial(compare_with_whole, study, whole)
        found = each_once(compare, wanted, ledger, key, jobs=jobs, label="ablation", unit="fusions")
        return {columns: _read(value) for columns, value in found.items()}

    first = each_once(
        predictions, ["predictions"], ledger, key, jobs=1, label="whole fusion", unit="fits"
    )
    whole = {name: np.array(scores) for name, scores in first["predictions"].items()}
    groups = {name: tuple(columns) for name, columns in study.groups.items()}
    others = {g: tuple(c for c in study.columns if c not in groups[g]) for g in groups}
    results = compute([study.columns, *others.values(), *groups.values()])
    without = [Cell("without", g, c, results[c]) for g, c in others.items()]
    alone = [Cell("alone", g, c, results[c]) for g, c in groups.items()]
    without.sort(key=_best_first, reverse=True)
    alone.sort(key=_best_first)
    # In the order of the study, which decides the columns that a tree may see: so the last union
    # is exactly the whole fusion.
    unions, columns = {}, set[str]()
    for cell in alone:
        columns.update(cell.columns)
        unions[cell.group] = tuple(name for name in study.columns if name in columns)
    results |= compute(list(unions.values()))
    cumulative = [Cell("cumulative", g, c, results[c]) for g, c in unions.items()]
    return Ablation(results[study.columns], (*without, *alone, *cumulative))


def _best_first(cell: Cell) -> tuple[bool, float, str]:
    """Return a key that sorts by weighted mean, the undefined last, equal ones by name."""
    undefined = math.isnan(cell.score)
    return undefined, 0.0 if undefined else -cell.score, cell.group


def _read(value: Value) -> FusionFigures:
    """Return the figures of a fusion from the ledger."""
    datasets = {name: Figure(**figure) for name, figure in value["datasets"].items()}
    return FusionFigures(datasets, Figure(**value["weighted_mean"]))


def compare_with_whole(study: Study, whole: Mapping[str, Scores], columns: Columns) -> Value:
    """Compare a fusion of the columns with the whole one: :class:`FusionFigures` as a dictionary.

    A data set for which a fusion gives all pairs one score has no correlation; then the
    weighted mean is undefined as well.
    """
    predicted, gold = study.predict(columns), study.test_gold
    defined = []
    for name, scores in gold.items():
        scored = ~np.isnan(scores)
        sides = (predicted[name], whole[name])
        if not any(math.isnan(pearson(side[scored], scores[scored])) for side in sides):
            defined.append(name)
    figures, mean = dict.fromkeys(gold, Figure()), Figure()
    if defined:
        compared = paired_bootstrap(
            {name: predicted[name] for name in defined},
            {name: whole[name] for name in defined},
            {name: gold[name] for name in defined},
            resamples=RESAMPLES,
            confidence=CONFIDENCE,
            seed=study.run.seed,
        )
        for name, found in compared.datasets.items():
            figures[name] = Figure(found.a, found.value, found.low, found.high)
        if len(defined) == len(gold):
            all_pairs = compared.weighted_mean
            mean = Figure(all_pairs.a, all_pairs.value, all_pairs.low, all_pairs.high)
    return asdict(FusionFigures(figures, mean))


def ablation_json(study: Study, found: Ablation) -> dict[str, Any]:
    """Return the content of ablation.json.

    It begins with :attr:`.Study.origin` and the settings of the intervals. ``pairs`` counts the
    scored pairs of each data set. ``whole`` and ``cells`` have their number of columns, and a
    :class:`Figure` for each of ``datasets`` and for ``weighted_mean``.
    """
    return study.origin | {
        "bootstrap": {"resamples": RESAMPLES, "confidence": CONFIDENCE, "seed": study.run.seed},
        "pairs": {name: int((~np.isnan(g)).sum()) for name, g in study.test_gold.items()},
        "groups": study.groups,
        "whole": {"columns": len(study.columns), **asdict(found.whole)},
        "cells": [
            {"kind": c.kind, "group": c.group, "columns": len(c.columns), **asdict(c.result)}
            for c in found.cells
        ],
    }


def ablation_tables(study: Study, found: Ablation) -> str:
    """Return one table per kind: the correlations, and the difference to the whole fusion."""

    def row(name: str, columns: int, result: FusionFigures) -> tuple[str, ...]:
        mean = result.weighted_mean
        scores = [f"{figure.score:.3f}" for figure in result.datasets.values()]
        interval = map(signed, (mean.difference, mean.low, mean.high))
        return (name, str(columns), *scores, f"{mean.score:.4f}", *interval)

    header = ("columns", *found.whole.datasets, "weighted mean", "difference", "low", "high")
    whole = row("all", len(study.columns), found.whole)
    return "\n\n".join(
        text_table(
            (kind, *header),
            [whole, *(row(c.group, len(c.columns), c.result) for c in found.of(kind))],
        )
        for kind in get_args(Kind)
    )
