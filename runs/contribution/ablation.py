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
from sts.scoring.bootstrap import Difference, paired_bootstrap
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

    score: float
    difference: float
    low: float
    high: float


UNDEFINED = Figure(math.nan, math.nan, math.nan, math.nan)


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
    compute = partial(_compute_cells, study, ledger, jobs, _whole_predictions(study, ledger))
    groups = {name: tuple(columns) for name, columns in study.groups.items()}
    others = {g: tuple(c for c in study.columns if c not in groups[g]) for g in groups}
    results = compute([study.columns, *others.values(), *groups.values()])
    without = [Cell("without", g, c, results[c]) for g, c in others.items()]
    alone = _best_first([Cell("alone", g, c, results[c]) for g, c in groups.items()])
    unions = _unions(study, [cell.group for cell in alone])
    results |= compute(list(unions.values()))
    cumulative = [Cell("cumulative", g, c, results[c]) for g, c in unions.items()]
    cells = (*reversed(_best_first(without)), *alone, *cumulative)
    return Ablation(results[study.columns], cells)


def _best_first(cells: Sequence[Cell]) -> list[Cell]:
    """Sort by weighted mean, the undefined last, equal ones by name."""

    def place(cell: Cell) -> tuple[bool, float, str]:
        undefined = math.isnan(cell.score)
        return undefined, 0.0 if undefined else -cell.score, cell.group

    return sorted(cells, key=place)


def _unions(study: Study, order: Sequence[str]) -> dict[str, Columns]:
    """Return the columns of each group and of all before it, in the order of the study.

    The order decides which of the columns a tree may see; in this one the last union is exactly
    the whole fusion.
    """
    unions, columns = {}, set[str]()
    for group in order:
        columns.update(study.groups[group])
        unions[group] = tuple(name for name in study.columns if name in columns)
    return unions


def _compute_cells(
    study: Study, ledger: Ledger, jobs: int, whole: Predictions, wanted: Sequence[Columns]
) -> dict[Columns, FusionFigures]:
    """Return the figures of a fusion of every set of columns, each computed once."""
    found = each_once(
        partial(compare_with_whole, study, whole), wanted, ledger, partial(_key, study),
        jobs=jobs, label="ablation", unit="fusions",
    )  # fmt: skip
    return {
        columns: FusionFigures(
            {name: Figure(**figure) for name, figure in value["datasets"].items()},
            Figure(**value["weighted_mean"]),
        )
        for columns, value in found.items()
    }


def _whole_predictions(study: Study, ledger: Ledger) -> Predictions:
    """Return the predictions of the whole fusion."""
    found = each_once(
        partial(_predict_whole, study), ["predictions"], ledger, partial(_key, study),
        jobs=1, label="whole fusion", unit="fits",
    )  # fmt: skip
    return {name: np.array(scores) for name, scores in found["predictions"].items()}


def _predict_whole(study: Study, _: str) -> Value:
    return {name: scores.tolist() for name, scores in study.predict(study.columns).items()}


def _key(study: Study, what: object) -> str:
    """Return the sha256 of everything that a result depends on."""
    bootstrap = (RESAMPLES, CONFIDENCE, study.run.seed)
    return digest((VERSION, study.digest, what, bootstrap))


def compare_with_whole(study: Study, whole: Predictions, columns: Columns) -> Value:
    """Compare a fusion of the columns with the whole one: :class:`FusionFigures` as a dictionary.

    A data set for which a fusion gives all pairs one score has no correlation; then the
    weighted mean is undefined as well.
    """
    predicted = study.predict(columns)
    gold = study.test_gold
    defined = [name for name in gold if _defined(predicted[name], whole[name], gold[name])]
    figures, mean = dict.fromkeys(gold, UNDEFINED), UNDEFINED
    if defined:
        compared = paired_bootstrap(
            {name: predicted[name] for name in defined},
            {name: whole[name] for name in defined},
            {name: gold[name] for name in defined},
            resamples=RESAMPLES,
            confidence=CONFIDENCE,
            seed=study.run.seed,
        )
        figures |= {name: _figure(d) for name, d in compared.datasets.items()}
        if len(defined) == len(gold):
            mean = _figure(compared.weighted_mean)
    return asdict(FusionFigures(figures, mean))


def _defined(predicted: Scores, whole: Scores, gold: Scores) -> bool:
    scored = ~np.isnan(gold)
    return not any(math.isnan(pearson(p[scored], gold[scored])) for p in (predicted, whole))


def _figure(found: Difference) -> Figure:
    return Figure(found.a, found.value, found.low, found.high)
