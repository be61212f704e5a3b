"""Fitted ensembles as arrays that score without any library that fits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semaniacs.sts.data.pairs import clip
from semaniacs.sts.tensors import Tensors


@dataclass(frozen=True)
class Conflicts:
    """Lower a score by score · Π (1 − wₖ · cₖ · aᵖ · min(1, words / n)ᵈ).

    cₖ in [0, 1] says how sure a conflict is, a in [0, 1] how much of the rest agrees, and n is the
    number of words of the shorter sentence: one detail of a long sentence is less of its meaning.

    Attributes:
        columns: places of the columns of conflict in a matrix.
        weights: wₖ, the share of the score that each takes, if it is sure and all else agrees.
        rest: place of the column that says how much agrees.
        power: p; the higher it is, the more must agree.
        length: place of the column ln(1 + n).
        words: up to which length a conflict takes its whole weight.
        decay: d; the higher it is, the less is taken from longer sentences.
    """

    columns: tuple[int, ...]
    weights: tuple[float, ...]
    rest: int
    power: float
    length: int
    words: float
    decay: float

    def factors(self, matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n,) in [0, 1], by which the scores of an (n, k) matrix are multiplied.

        A value that is missing is no conflict.
        """
        sure = np.nan_to_num(matrix[:, list(self.columns)], nan=0.0)
        agreeing = np.nan_to_num(matrix[:, self.rest], nan=0.0) ** self.power
        lengths = np.maximum(np.expm1(np.nan_to_num(matrix[:, self.length], nan=0.0)), 1.0)
        agreeing[lengths < 2] = 1.0  # a word alone has no rest: yes, no
        share = agreeing * np.minimum(1.0, self.words / lengths) ** self.decay
        taken = sure * np.array(self.weights) * share[:, None]
        left: NDArray[np.float64] = np.prod(1 - taken, axis=1)
        return left


LEAST = 0.3
"""Share of a score that stays however much contradicts: opposites speak of the same thing."""


@dataclass(frozen=True)
class ConflictColumns:
    """The features by which :class:`Conflicts` lowers a score, each with its weight."""

    weights: tuple[tuple[str, float], ...]
    rest: str
    power: float
    length: str
    words: float
    decay: float

    def among(self, columns: Sequence[str]) -> Conflicts | None:
        """Return them by their places in a matrix of these columns; None if they cannot be judged."""
        there = {columns.index(name): w for name, w in self.weights if name in columns}
        if not there or not {self.rest, self.length} <= set(columns):
            return None
        return Conflicts(
            columns=tuple(there),
            weights=tuple(there.values()),
            rest=columns.index(self.rest),
            power=self.power,
            length=columns.index(self.length),
            words=self.words,
            decay=self.decay,
        )


Column = NDArray[np.float64]
Matrix = NDArray[np.float64]

REGRESSOR_KINDS = ("boosting",)
"""The names of regressors in recipes; REGRESSORS in ensemble.py has the class of each."""


class Scorer(ABC):
    """A fitted regressor: a record of arrays."""

    @abstractmethod
    def predict(self, matrix: Matrix) -> Column:
        """Scores (n,), not clipped, of an (n, k) matrix without NaN."""

    @abstractmethod
    def check(self, columns: int) -> None:
        """Raise a ValueError if arrays do not fit each other or a matrix of so many columns."""

    def expect(self, shape: tuple[int, ...], kinds: str, *names: str) -> None:
        """Raise a ValueError unless the named arrays have this shape and a type, and are finite."""
        for name in names:
            array = getattr(self, name)
            if array.shape != shape or array.dtype.name not in kinds.split():
                raise ValueError(f"{name} is {array.dtype} {array.shape}; expected {kinds} {shape}")
            if not np.isfinite(array).all():
                raise ValueError(f"{name} holds numbers that are NaN or infinite")

    def tensors(self) -> Tensors:
        """The arrays by name, to be saved."""
        return {name: value for name, value in vars(self).items() if isinstance(value, np.ndarray)}


@dataclass(frozen=True)
class OneColumn(Scorer):
    """A line through one column; ``coef`` and ``intercept`` are (1,)."""

    column: int
    coef: Column
    intercept: Column

    def predict(self, matrix: Matrix) -> Column:
        """Scores (n,), not clipped."""
        return matrix[:, self.column] * self.coef + self.intercept

    def check(self, columns: int) -> None:
        """Refuse a column that is not one of them."""
        self.expect((1,), "float64", "coef", "intercept")
        if not 0 <= self.column < columns:
            raise ValueError(f"column {self.column} of {columns}")


@dataclass(frozen=True)
class Part:
    """A fitted regressor of an ensemble, with the class and the arguments of its estimator."""

    kind: str
    options: Mapping[str, Any]
    scorer: Scorer


@dataclass(frozen=True)
class FittedEnsemble:
    """The mean of several regressors over feature columns, clipped to [0, 5].

    Attributes:
        width: k, the number of columns.
        used: the columns that some training pair had a value for.
        medians: of the used columns over the training pairs; they stand in for NaN.
        parts: the regressors, over the used columns.
        anchors: places of the columns the mean of whose simple regressions is blended in.
        blend_weight: weight w of that mean: (mean of the parts + w · it) / (1 + w).
        anchored: the regressions, one for each anchor that is used.
        conflicts: lower the score at last, to :data:`LEAST` of it at most.
    """

    width: int
    used: NDArray[np.int32]
    medians: Column
    parts: tuple[Part, ...]
    anchors: tuple[int, ...] = ()
    blend_weight: float = 0.0
    anchored: tuple[OneColumn, ...] = ()
    conflicts: tuple[Conflicts, ...] = ()

    def predict(self, matrix: Matrix) -> Column:
        """Scores (n,) in [0, 5] of an (n, k) matrix."""
        if matrix.shape[1] != self.width:
            raise ValueError(
                f"X has {matrix.shape[1]} features, but Ensemble is expecting "
                f"{self.width} features as input"
            )
        filled = self.fill(matrix)
        scores = np.mean([part.scorer.predict(filled) for part in self.parts], axis=0)
        if self.anchored:
            anchored = np.mean([line.predict(filled) for line in self.anchored], axis=0)
            scores = (scores + self.blend_weight * anchored) / (1 + self.blend_weight)
        left = np.prod([each.factors(matrix) for each in self.conflicts], axis=0)
        return np.asarray(clip(scores) * np.maximum(left, LEAST), np.float64)

    def check(self) -> None:
        """Raise a ValueError if parts do not fit each other."""
        columns = len(self.used)
        if self.used.dtype.kind not in "iu" or self.medians.dtype != np.float64:
            raise ValueError(f"used is {self.used.dtype}, medians are {self.medians.dtype}")
        if self.used.shape != self.medians.shape or not np.isfinite(self.medians).all():
            raise ValueError(f"medians of shape {self.medians.shape} for {columns} columns")
        places = [*self.used.tolist(), *self.anchors]
        for each in self.conflicts:
            places += [*each.columns, each.rest, each.length]
            if len(each.columns) != len(each.weights):
                raise ValueError("columns of conflict and weights differ in number")
        if not all(0 <= place < self.width for place in places):
            raise ValueError(f"a column that is not among the {self.width}")
        for scorer in (*(part.scorer for part in self.parts), *self.anchored):
            scorer.check(columns)

    def fill(self, matrix: Matrix) -> Matrix:
        """The used columns of an (n, k) matrix, medians in place of NaN."""
        used = matrix[:, self.used]
        return np.where(np.isnan(used), self.medians, used)

    @property
    def anchor_places(self) -> tuple[int, ...]:
        """The places among the used columns of the anchors that are used."""
        used = self.used.tolist()
        return tuple(used.index(place) for place in self.anchors if place in used)

    @property
    def reference(self) -> Column:
        """(k,) the medians of the training pairs; NaN for a column that was left out."""
        reference = np.full(self.width, np.nan)
        reference[self.used] = self.medians
        return reference

    @property
    def importances(self) -> Column:
        """(k,) mean share of the gain of each column, over the parts that are trees.

        Gini importance where the trees are scikit-learn's; 0 if no part is a tree.
        """
        gains = [part.scorer.gain for part in self.parts if hasattr(part.scorer, "gain")]
        shares = [gain / gain.sum() for gain in gains if gain.any()]  # no split, no gain
        importances = np.zeros(self.width)
        if shares:
            importances[self.used] = np.mean(shares, axis=0)
        return importances
