"""Two values that exclude each other, one of each sentence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Difference(NamedTuple):
    """Two values that exclude each other, one on each side.

    Attributes:
        left, right: the words of the left and of the right sentence.
        grade: in (0, 1], how far apart they are.
    """

    left: str
    right: str
    grade: float

    def __str__(self) -> str:
        """For a report: "3 million dollars ≠ 3 billion dollars"."""
        return f"{self.left} ≠ {self.right}"


def worst(differences: Iterable[Difference]) -> float:
    """The largest grade; 0 if there is no difference."""
    return max((difference.grade for difference in differences), default=0.0)
