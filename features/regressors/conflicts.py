"""Scores lowered where two sentences say nearly the same words and contradict each other.

Regressors learn from pairs that people graded, among which such pairs are rare: who took the same
words for the same meaning was right. So what the columns of conflict say is applied after them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Conflicts:
    """Lowers a score by score · Π (1 − weight · cₖ · aᵖ).

    cₖ in [0, 1] says how sure a conflict is, and a in [0, 1] how much of the rest agrees.

    Attributes:
        columns: places of the columns of conflict in a matrix.
        rest: place of the column that says how much agrees.
        weight: the share of the score that one sure conflict takes where all else agrees.
        power: p; the higher it is, the more must agree.
    """

    columns: tuple[int, ...]
    rest: int
    weight: float
    power: float

    def factors(self, matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n,) in [0, 1], by which the scores of an (n, k) matrix are multiplied.

        A value that is missing is no conflict.
        """
        sure = np.nan_to_num(matrix[:, list(self.columns)], nan=0.0)
        agreeing = np.nan_to_num(matrix[:, self.rest], nan=0.0) ** self.power
        lowered: NDArray[np.float64] = np.prod(1 - self.weight * sure * agreeing[:, None], axis=1)
        return lowered
