"""A list of entries with a row each, followed by hashed rows for everything else."""

from __future__ import annotations

import json
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterable
from functools import cached_property


class HashedVocabulary(ABC):
    """Rows of a table: the entries in the order given, then rows that all others share.

    Args:
        known: the entries, each once.
        buckets: number of rows for what is not listed; CRC-32 chooses among them.

    Raises:
        ValueError: there is no bucket, or an entry is listed twice.
    """

    def __init__(self, known: Iterable[str], buckets: int) -> None:
        self.known = tuple(known)
        self.buckets = buckets
        if buckets < 1:
            raise ValueError("a vocabulary needs at least one bucket for what is not listed")
        if len(self.rows) != len(self.known):
            raise ValueError("a vocabulary lists each entry once")

    @abstractmethod
    def entries(self, text: str) -> list[str]:
        """The words, trigrams or pieces of a sentence, in its order; none if it is blank."""

    def ids(self, text: str) -> list[int]:
        """The row number of each entry of a sentence."""
        return [self.rows[e] if e in self.rows else self.bucket(e) for e in self.entries(text)]

    def unknown_rate(self, texts: Iterable[str]) -> float:
        """Fraction of running entries that have no row of their own, as in Table 5 of the paper."""
        running = [entry for text in texts for entry in self.entries(text)]
        return sum(entry not in self.rows for entry in running) / max(1, len(running))

    def __len__(self) -> int:
        """Number of rows of the table: entries and buckets."""
        return len(self.known) + self.buckets

    def __contains__(self, entry: str) -> bool:
        return entry in self.rows

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row number of each entry."""
        return {entry: row for row, entry in enumerate(self.known)}

    def identity(self) -> str:
        """The entries and the number of buckets, as JSON; subclasses add what else matters."""
        return json.dumps([self.known, self.buckets])

    def bucket(self, text: str) -> int:
        """The hashed row of an entry that is not listed."""
        return len(self.known) + zlib.crc32(text.encode("utf-8", "surrogatepass")) % self.buckets
