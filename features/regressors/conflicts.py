"""Scores lowered where two sentences say nearly the same words and contradict each other.

Regressors learn from pairs that people graded, among which such pairs are rare: who took the same
words for the same meaning was right. So what the columns of conflict say is applied after them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Conflicts:
    """Lowers a score by score · Π (1 − wₖ · cₖ · aᵖ · min(1, words / n)ᵈ).

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
        share = agreeing * np.minimum(1.0, self.words / lengths) ** self.decay
        taken = sure * np.array(self.weights) * share[:, None]
        lowered: NDArray[np.float64] = np.prod(1 - taken, axis=1)
        return lowered


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
