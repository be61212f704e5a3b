"""Tokenizers: text to row numbers of a table, and a list of entries with hashed rows after it."""

from __future__ import annotations

import json
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Protocol

from semaniacs.embeddings.tokenizers.ragged import Ragged


class Tokenizer(Protocol):
    """Turns text into row numbers of a table and knows the text of each row.

    Attributes:
        buckets: number of hashed rows after the known ones.
    """

    buckets: int

    @property
    def known(self) -> Sequence[str]:
        """Entry of each row; the hashed rows, which follow, have none."""

    @property
    def rows(self) -> dict[str, int]:
        """Row number of each entry."""

    def __len__(self) -> int:
        """Return the number of rows of the table."""

    def __contains__(self, entry: str) -> bool: ...

    def ids(self, text: str) -> list[int]:
        """Return the row numbers of a sentence, in its order."""

    def ids_of_many(self, texts: Sequence[str]) -> Ragged:
        """Return the row numbers of many sentences; equal to those of :meth:`ids`."""

    def identity(self) -> str:
        """Return everything that decides :meth:`ids`, as text: equal for equal tokenizers alone."""


class HashedVocabulary(ABC):
    """Rows of a table: the entries in the order given, then rows that all others share.

    Args:
        known: the entries, each once.
        buckets: number of rows for entries that are not listed; CRC-32 chooses among them.

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
        """Return the words, trigrams or pieces of a sentence, in its order; none if it is blank."""

    def ids(self, text: str) -> list[int]:
        """Return the row number of each entry of a sentence."""
        return [self.row(entry) for entry in self.entries(text)]

    def ids_of_many(self, texts: Sequence[str]) -> Ragged:
        """Return the row numbers of many sentences; equal to those of :meth:`ids`."""
        return Ragged.of([self.ids(text) for text in texts])

    def __len__(self) -> int:
        """Return the number of rows of the table: entries and buckets."""
        return len(self.known) + self.buckets

    def __contains__(self, entry: str) -> bool:
        return entry in self.rows

    @cached_property
    def rows(self) -> dict[str, int]:
        """Row number of each entry."""
        return {entry: row for row, entry in enumerate(self.known)}

    def row(self, entry: str) -> int:
        """Return the row of an entry: its own, or a hashed one."""
        own = self.rows.get(entry)
        return self.bucket(entry) if own is None else own

    def identity(self) -> str:
        """Return the entries and the number of buckets, as JSON; subclasses add what else matters."""
        return json.dumps([self.known, self.buckets])

    def bucket(self, text: str) -> int:
        """Return the hashed row of an entry that is not listed."""
        return len(self.known) + zlib.crc32(text.encode("utf-8", "surrogatepass")) % self.buckets
