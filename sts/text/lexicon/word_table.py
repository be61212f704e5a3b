"""Sorted words in a file, found by bisection, so that opening it parses nothing."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from semaniacs.sts.files import write_bytes
from semaniacs.sts.tensors import FORMAT, Tensors, read_tensors, to_bytes

MANY = 5000
"""Lookups after which a dictionary is made, which takes a tenth of a second."""


class WordTable:
    """Words in the order of their UTF-8 bytes, and columns of values beside them.

    Args:
        tensors: ``letters`` (uint8), the words end to end, ``ends`` (n + 1,) int32, where each
            begins and ends, and the columns.
    """

    def __init__(self, tensors: Tensors) -> None:
        self.tensors = tensors
        self._letters = tensors["letters"].tobytes()
        self._ends = memoryview(tensors["ends"].tobytes()).cast("i")
        self._rows = range(len(self._ends) - 1)
        self._lookups = 0

    @classmethod
    def open(cls, path: Path) -> WordTable:
        """Open a file that :func:`write_words` wrote.

        Raises:
            DataError: it is missing or damaged.
        """
        return cls(read_tensors(path, ("letters", "ends"))[0])

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, word: str) -> int:
        """Return the row of a word, or -1 if it is not listed."""
        self._lookups += 1
        if self._lookups > MANY:
            return self._index.get(word, -1)
        wanted = word.encode("utf-8", "surrogatepass")
        row = bisect_left(self._rows, wanted, key=self._bytes_in)
        return row if row < len(self) and self._bytes_in(row) == wanted else -1

    @cached_property
    def _index(self) -> dict[str, int]:
        return {self.word(row): row for row in self._rows}

    def word(self, row: int) -> str:
        """Return the word in a row."""
        return self._bytes_in(row).decode("utf-8", "surrogatepass")

    def _bytes_in(self, row: int) -> bytes:
        return self._letters[self._ends[row] : self._ends[row + 1]]


def word_tensors(words: Sequence[str]) -> Tensors:
    """Return the tensors of a :class:`WordTable` for words that are sorted by :func:`byte_order`."""
    encoded = [word.encode("utf-8", "surrogatepass") for word in words]
    ends = np.cumsum([0, *map(len, encoded)]).astype(np.int32)
    return {"letters": np.frombuffer(b"".join(encoded), np.uint8), "ends": ends}


def write_words(path: Path, words: Sequence[str], columns: Mapping[str, np.ndarray]) -> None:
    """Write words, sorted by :func:`byte_order`, and their columns to a file."""
    tensors = word_tensors(words) | dict(columns)
    write_bytes(path, to_bytes(tensors, {"format": FORMAT}))


def byte_order(word: str) -> bytes:
    """Return the key by which the words of a table are sorted."""
    return word.encode("utf-8", "surrogatepass")
