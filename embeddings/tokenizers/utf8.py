"""Sentences as UTF-8 bytes, end to end: what a file or a column of Arrow holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

_NEWLINE, _RETURN = b"\n\r"


class Utf8Sentences(Sequence[str]):
    """A sequence of n strings that are decoded only where one is asked for.

    Args:
        data: bytes (uint8) that hold all sentences, one after the other.
        begins, ends: (n,) where each sentence begins and ends in ``data``.
        errors: ``surrogatepass`` if lone surrogates are to be read too, as a Python string may
            hold them; ``strict`` for UTF-8.

    Raises:
        UnicodeDecodeError: a sentence that is read is not UTF-8.
    """

    def __init__(
        self,
        data: NDArray[np.uint8],
        begins: NDArray[np.int64],
        ends: NDArray[np.int64],
        errors: str = "strict",
    ) -> None:
        self.data, self.begins, self.ends, self.errors = data, begins, ends, errors

    @classmethod
    def of(cls, sentences: Sequence[str]) -> Utf8Sentences:
        """The same sentences."""
        if isinstance(sentences, cls):
            return sentences
        joined = "\n".join(sentences).encode("utf-8", "surrogatepass")
        lines = cls.lines(joined, "surrogatepass", windows=False)
        return lines if len(lines) == len(sentences) else cls._one_by_one(sentences)

    @classmethod
    def _one_by_one(cls, sentences: Sequence[str]) -> Utf8Sentences:
        """Sentences that may hold newlines."""
        encoded = [sentence.encode("utf-8", "surrogatepass") for sentence in sentences]
        offsets = np.cumsum([0, *map(len, encoded)])
        data = np.frombuffer(b"".join(encoded), np.uint8)
        return cls(data, offsets[:-1], offsets[1:], "surrogatepass")

    @classmethod
    def lines(
        cls, text: bytes | memoryview, errors: str = "strict", *, windows: bool = True
    ) -> Utf8Sentences:
        """The lines of a text, the last of which need not end in a newline.

        Args:
            text: UTF-8.
            errors: see the class.
            windows: whether a line may end in ``\\r\\n`` as well as in ``\\n``.
        """
        data = np.frombuffer(text, np.uint8)
        ends = np.flatnonzero(data == _NEWLINE)
        if (len(data) and data[-1] != _NEWLINE) or not windows:
            ends = np.append(ends, len(data))
        begins = np.concatenate([[0], ends[:-1] + 1])[: len(ends)]
        if windows:
            ends = ends - ((ends > begins) & (data[ends - 1] == _RETURN))
        return cls(data, begins, ends, errors)

    def __len__(self) -> int:
        return len(self.begins)

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> Utf8Sentences: ...

    def __getitem__(self, place: int | slice) -> str | Utf8Sentences:
        if isinstance(place, slice):
            return Utf8Sentences(self.data, self.begins[place], self.ends[place], self.errors)
        raw = self.data[self.begins[place] : self.ends[place]]
        return raw.tobytes().decode("utf-8", self.errors)

    def code_points(self) -> tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.int64]]:
        """Code points of all sentences, (n,) where each begins in them, and (n,) where it ends."""
        first, last = (self.begins[0], self.ends[-1]) if len(self) else (0, 0)
        data = self.data[first:last]
        text = data.tobytes().decode("utf-8", self.errors)
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        before = np.concatenate([[0], np.cumsum(data & 0xC0 != 0x80)])
        return codes, before[self.begins - first], before[self.ends - first]
