"""What every tokenizer can do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol


class Tokenizer(Protocol):
    """Turns text into row numbers of a table and knows what each row stands for.

    Attributes:
        buckets: how many hashed rows follow the known ones.
    """

    buckets: int

    @property
    def known(self) -> Sequence[str]:
        """The entry of each row; the hashed rows, which follow, have none."""

    @property
    def rows(self) -> dict[str, int]:
        """The row number of each entry."""

    def __len__(self) -> int:
        """Number of rows of the table."""

    def __contains__(self, entry: str) -> bool: ...

    def ids(self, text: str) -> list[int]:
        """The row numbers of a sentence, in its order."""

    def identity(self) -> str:
        """Everything that decides :meth:`ids`, as text: equal for equal tokenizers alone."""

    def unknown_rate(self, texts: Iterable[str]) -> float:
        """Fraction of the running tokens that have no row of their own, in [0, 1]."""
