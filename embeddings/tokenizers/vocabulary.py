"""Tokenizers: text to row numbers of a table, by entries with hashed rows after them, or by words.

An unknown word is cut into known pieces, the longest first, as WordPiece does (Schuster
and Nakajima, 2012; Devlin et al., 2019): "unfriended" may become unfriend + ##ed. A word
with a character that no piece covers takes one of a few hashed rows, so that no word is
dropped and two sentences that share a rare name still share a vector. (Hokamp and Arora,
2016, 3.6, give all unknown words the vector of one rare word.)
"""

from __future__ import annotations

import json
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Protocol

from semaniacs.embeddings.tokenizers.ragged import Ragged
from semaniacs.sts.text.tokenizer import words

INSIDE = "##"
"""The mark of a piece that does not begin a word."""

LONGEST = 100
"""Words of more characters than this are hashed."""


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


class WordTokenizer(HashedVocabulary):
    """Known words have a row each; others are spelled from pieces, or hashed.

    Args:
        known: words, and pieces that begin with ``##``.
        buckets: number of rows shared by the words that cannot be spelled.
    """

    @cached_property
    def has_pieces(self) -> bool:
        """Return whether there are any pieces to spell unknown words with."""
        return any(word.startswith(INSIDE) for word in self.known)

    def rows_of(self, word: str) -> list[int]:
        """Row numbers of any lower-cased word: its own, its pieces', or a hashed one."""
        if len(word) > LONGEST:
            return [self.bucket(word)]
        known = self.rows.get(word)
        if known is not None:
            return [known]
        return self.spell(word) or [self.bucket(word)]

    def spell(self, word: str) -> list[int]:
        """Row numbers of a word's pieces, the longest first; empty if it cannot be spelled."""
        spelled: list[int] = []
        if not self.has_pieces:
            return spelled
        start = 0
        while start < len(word):
            mark = INSIDE if start else ""
            for end in range(len(word), start, -1):
                row = self.rows.get(mark + word[start:end])
                if row is not None:
                    break
            else:
                return []
            spelled.append(row)
            start = end
        return spelled

    def entries(self, text: str) -> list[str]:
        """The words of a sentence."""
        return words(text)

    def ids(self, text: str) -> list[int]:
        """Row numbers of the words of a sentence; empty only for a blank sentence."""
        return [row for word in words(text) for row in self.rows_of(word)]
