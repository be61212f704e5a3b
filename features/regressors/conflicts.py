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
    """Lowers a score by score · Π (1 − weight · cₖ · aᵖ · min(1, words / n)).

    cₖ in [0, 1] says how sure a conflict is, a in [0, 1] how much of the rest agrees, and n is the
    number of words of the shorter sentence: one detail of a long sentence is less of its meaning.

    Attributes:
        columns: places of the columns of conflict in a matrix.
        rest: place of the column that says how much agrees.
        weight: the share of the score that one sure conflict takes where all else agrees.
        power: p; the higher it is, the more must agree.
        length: place of the column ln(1 + n).
        words: up to which length a conflict takes its whole weight.
    """

    columns: tuple[int, ...]
    rest: int
    weight: float
    power: float
    length: int
    words: float

    def factors(self, matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n,) in [0, 1], by which the scores of an (n, k) matrix are multiplied.

        A value that is missing is no conflict.
        """
        sure = np.nan_to_num(matrix[:, list(self.columns)], nan=0.0)
        agreeing = np.nan_to_num(matrix[:, self.rest], nan=0.0) ** self.power
        lengths = np.maximum(np.expm1(np.nan_to_num(matrix[:, self.length], nan=0.0)), 1.0)
        share = self.weight * agreeing * np.minimum(1.0, self.words / lengths)
        lowered: NDArray[np.float64] = np.prod(1 - sure * share[:, None], axis=1)
        return lowered


@dataclass(frozen=True)
class ConflictColumns:
    """The features by which :class:`Conflicts` lowers a score."""

    columns: tuple[str, ...]
    rest: str
    weight: float
    power: float
    length: str
    words: float

    def among(self, columns: Sequence[str]) -> Conflicts | None:
        """The same by their places in a matrix of these columns; None if they cannot be judged."""
        places = tuple(columns.index(name) for name in self.columns if name in columns)
        if not places or not {self.rest, self.length} <= set(columns):
            return None
        rest, length = columns.index(self.rest), columns.index(self.length)
        return Conflicts(places, rest, self.weight, self.power, length, self.words)
