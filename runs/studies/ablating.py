"""The cells of an ablation: fusions of some groups of features, next to the whole fusion."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Literal

import numpy as np

from runs.studies.ledger import Ledger, Value, each_once, or_nan, or_none
from runs.studies.matrices import digest_of_text, made_by
from runs.studies.study import Study
from sts.data.pairs import Scores
from sts.scoring.bootstrap import Difference, paired_bootstrap
from sts.scoring.correlation import pearson

RESAMPLES = 2000
CONFIDENCE = 0.95
WEIGHTED = "weighted mean"
"""What the official average is called in a column of data sets."""

Kind = Literal["without", "alone", "cumulative"]
Columns = tuple[str, ...]
Predictions = Mapping[str, Scores]


@dataclass(frozen=True)
class Figure:
    """A correlation next to that of the whole fusion; NaN where it is undefined.

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
class Measured:
    """A fusion of some columns: by data set, and all together."""

    datasets: Mapping[str, Figure]
    weighted_mean: Figure


@dataclass(frozen=True)
class Cell:
    """One fusion of the ablation.

    Attributes:
        kind: how it was put together.
        group: what was left out, left in or, in ``cumulative``, added last.
        columns: what the fusion was fitted on.
        measured: how it did.
    """

    kind: Kind
    group: str
    columns: Columns
    measured: Measured

    @property
    def score(self) -> float:
        """The weighted mean."""
        return self.measured.weighted_mean.score


@dataclass(frozen=True)
class Ablation:
    """The whole fusion and every cell: ``without`` with the largest loss first,
    ``alone`` with the best score first, ``cumulative`` in the order of adding.
    """

    whole: Measured
    cells: tuple[Cell, ...]

    def of(self, kind: Kind) -> list[Cell]:
        """The cells of one kind, in order."""
        return [cell for cell in self.cells if cell.kind == kind]


def ablate(study: Study, ledger: Ledger, jobs: int = 1) -> Ablation:
    """Measure every cell that the ledger does not hold yet.

    Args:
        study: the matrices.
        ledger: where finished cells are kept.
        jobs: processes, see :func:`runs.studies.workers.each`. The result does not depend on it.
    """
    bench = _Bench(study, ledger, jobs)
    groups = {name: tuple(columns) for name, columns in study.groups.items()}
    others = {g: tuple(c for c in study.columns if c not in groups[g]) for g in groups}
    measured = bench.measure([study.columns, *others.values(), *groups.values()])
    without = [Cell("without", g, c, measured[c]) for g, c in others.items()]
    alone = _best_first([Cell("alone", g, c, measured[c]) for g, c in groups.items()])
    grown = _grown(study, [cell.group for cell in alone])
    measured |= bench.measure(list(grown.values()))
    cumulative = [Cell("cumulative", g, c, measured[c]) for g, c in grown.items()]
    cells = (*reversed(_best_first(without)), *alone, *cumulative)
    return Ablation(measured[study.columns], cells)


def _best_first(cells: Sequence[Cell]) -> list[Cell]:
    """By weighted mean, the undefined last, equal ones by name."""

    def place(cell: Cell) -> tuple[bool, float, str]:
        undefined = math.isnan(cell.score)
        return undefined, 0.0 if undefined else -cell.score, cell.group

    return sorted(cells, key=place)


def _grown(study: Study, order: Sequence[str]) -> dict[str, Columns]:
    """The columns of each group and of all before it, in the order of the study.

    The last are the whole fusion's, to the letter: the order of the columns
    decides which of them a tree may see.
    """
    grown, sofar = {}, set[str]()
    for group in order:
        sofar.update(study.groups[group])
        grown[group] = tuple(name for name in study.columns if name in sofar)
    return grown


@dataclass(frozen=True)
class _Bench:
    """Where sets of columns are measured, or looked up."""

    study: Study
    ledger: Ledger
    jobs: int

    def measure(self, wanted: Sequence[Columns]) -> dict[Columns, Measured]:
        """Every set of columns, each once."""
        work = partial(measure, self.study, self.whole())
        found = each_once(
            work, wanted, self.ledger, self.key, jobs=self.jobs, label="ablation", unit="fusion"
        )
        return {columns: _measured(value) for columns, value in found.items()}

    def whole(self) -> Predictions:
        """The predictions of the whole fusion."""
        found = each_once(
            partial(predict_whole, self.study), ["predictions"], self.ledger, self.key,
            jobs=1, label="whole fusion", unit="fit",
        )  # fmt: skip
        return {name: np.array(scores) for name, scores in found["predictions"].items()}

    def key(self, what: object) -> str:
        """sha256 of everything that a result rests on."""
        how = (RESAMPLES, CONFIDENCE, self.study.run.seed)
        return digest_of_text([self.study.digest, made_by(), how, what])


def predict_whole(study: Study, _: str) -> Value:
    """The predictions of the whole fusion, as the ledger keeps them."""
    return {name: scores.tolist() for name, scores in study.predict(study.columns).items()}


def measure(study: Study, whole: Predictions, columns: Columns) -> Value:
    """A fusion of the columns next to the whole one: a :class:`Measured` as the ledger keeps it.

    A data set in which a fusion gives all pairs one score has no correlation;
    then the weighted mean is undefined as well.
    """
    predicted = study.predict(columns)
    gold = study.test_gold
    defined = [name for name in gold if _defined(predicted[name], whole[name], gold[name])]
    figures = dict.fromkeys((*gold, WEIGHTED), UNDEFINED)
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
            figures[WEIGHTED] = _figure(compared.weighted_mean)
    return {name: without_nan(figure) for name, figure in figures.items()}


def _defined(predicted: Scores, whole: Scores, gold: Scores) -> bool:
    scored = ~np.isnan(gold)
    return not any(math.isnan(pearson(p[scored], gold[scored])) for p in (predicted, whole))


def _figure(found: Difference) -> Figure:
    return Figure(found.a, found.value, found.low, found.high)


def without_nan(figure: Figure) -> Value:
    """The figure for JSON: what is undefined is None."""
    return {name: or_none(number) for name, number in asdict(figure).items()}


def _measured(value: Value) -> Measured:
    figures = {
        name: Figure(**{key: or_nan(number) for key, number in figure.items()})
        for name, figure in value.items()
    }
    return Measured(figures, figures.pop(WEIGHTED))
