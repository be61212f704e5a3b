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
from typing import Literal

import numpy as np

from runs.contribution.ledger import Ledger, Value, each_once
from runs.contribution.study import Study
from sts.cache import digest
from sts.data.pairs import Scores
from sts.scoring.bootstrap import paired_bootstrap
from sts.scoring.correlation import pearson

RESAMPLES = 2000
CONFIDENCE = 0.95
VERSION = 2
"""Version of the results in a ledger; raise it when their meaning changes."""

Kind = Literal["without", "alone", "cumulative"]
Columns = tuple[str, ...]
Predictions = Mapping[str, Scores]


@dataclass(frozen=True)
class Figure:
    """Correlation beside that of the whole fusion; NaN where it is undefined.

    Attributes:
        score: Pearson's r of a data set, or the weighted mean of a task.
        difference: score minus that of the whole fusion: below 0 if something is lost.
        low, high: paired bootstrap interval of the difference.
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
    """One fusion of the ablation.

    Attributes:
        kind: choice of its columns.
        group: left out, kept or, in ``cumulative``, added last.
        columns: fitted ones.
        result: its quality.
    """

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
    """Compute every cell that the ledger does not have yet.

    Args:
        study: the matrices.
        ledger: finished cells.
        jobs: number of processes; the result does not depend on it.
    """

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
    without = _best_first([Cell("without", g, c, results[c]) for g, c in others.items()])
    alone = _best_first([Cell("alone", g, c, results[c]) for g, c in groups.items()])
    # In the order of the study, which decides the columns that a tree may see: so the last union
    # is exactly the whole fusion.
    unions, columns = {}, set[str]()
    for cell in alone:
        columns.update(cell.columns)
        unions[cell.group] = tuple(name for name in study.columns if name in columns)
    results |= compute(list(unions.values()))
    cumulative = [Cell("cumulative", g, c, results[c]) for g, c in unions.items()]
    return Ablation(results[study.columns], (*reversed(without), *alone, *cumulative))


def _best_first(cells: Sequence[Cell]) -> list[Cell]:
    """Sort by weighted mean, the undefined last, equal ones by name."""

    def place(cell: Cell) -> tuple[bool, float, str]:
        undefined = math.isnan(cell.score)
        return undefined, 0.0 if undefined else -cell.score, cell.group

    return sorted(cells, key=place)


def _read(value: Value) -> FusionFigures:
    """Return the figures of a fusion from the ledger."""
    datasets = {name: Figure(**figure) for name, figure in value["datasets"].items()}
    return FusionFigures(datasets, Figure(**value["weighted_mean"]))


def compare_with_whole(study: Study, whole: Predictions, columns: Columns) -> Value:
    """Compare a fusion of the columns with the whole one: :class:`FusionFigures` as a dictionary.

    A data set for which a fusion gives all pairs one score has no correlation; then the
    weighted mean is undefined as well.
    """
    predicted, gold = study.predict(columns), study.test_gold
    defined = [name for name in gold if _defined((predicted[name], whole[name]), gold[name])]
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


def _defined(predictions: Sequence[Scores], gold: Scores) -> bool:
    scored = ~np.isnan(gold)
    return not any(math.isnan(pearson(p[scored], gold[scored])) for p in predictions)
