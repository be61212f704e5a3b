"""A list of entries with a row each, followed by hashed rows for everything else."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from functools import cached_property


class HashedVocabulary:
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
