"""Copies: texts that are the same but for white space. Each is encoded once and none is lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

BLANK = -1
"""In place of the number of a text, for a blank row."""


class Copies:
    """Which rows hold the same text. It takes some 150 bytes of memory a distinct text.

    Args:
        texts: of each row; read once.

    Attributes:
        text_of: (rows,) the number of the distinct text of each row, in the order of their first
            rows; −1 for a blank row.
        first: (texts,) the first row of each.
        counts: (texts,) how many rows hold each.
        lengths: (texts,) characters of each, white space counted as one.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        numbers: dict[bytes, int] = {}
        text_of: list[int] = []
        lengths: list[int] = []
        for text in texts:
            words = " ".join(text.split())
            if not words:
                text_of.append(BLANK)
                continue
            digest = blake2b(words.encode("utf-8", "surrogatepass"), digest_size=16).digest()
            number = numbers.setdefault(digest, len(numbers))
            if number == len(lengths):
                lengths.append(len(words))
            text_of.append(number)
        self.text_of = np.array(text_of, np.int64)
        self.lengths = np.array(lengths, np.int64)
        filled = np.flatnonzero(self.text_of != BLANK)
        _, first = np.unique(self.text_of[filled], return_index=True)
        self.first = filled[first]
        self.counts: NDArray[np.int64] = np.bincount(self.text_of[filled], minlength=len(lengths))

    @property
    def blank(self) -> int:
        """How many rows are blank."""
        return int((self.text_of == BLANK).sum())

    def repeated(self) -> NDArray[np.int64]:
        """The rows whose text stands in an earlier one."""
        rows = np.flatnonzero(self.text_of != BLANK)
        again: NDArray[np.int64] = rows[self.first[self.text_of[rows]] != rows]
        return again

    def distinct(self, texts: Iterable[str]) -> Iterator[str]:
        """The distinct texts, in their order, from the same rows read again."""
        wanted = iter(self.first.tolist())
        row = next(wanted, None)
        for place, text in enumerate(texts):
            if place == row:
                yield text
                row = next(wanted, None)
