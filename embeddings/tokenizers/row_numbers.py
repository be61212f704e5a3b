"""Text to row numbers of a table: sentences, their row numbers, and the tokenizer of words.

Many sentences are stored end to end, as row numbers, or as UTF-8 as a file or a column of Arrow
holds it.

An unknown word is cut into known pieces, the longest first, as WordPiece does (Schuster
and Nakajima, 2012; Devlin et al., 2019): "unfriended" may become unfriend + ##ed. A word
with a character that no piece covers takes one of a few hashed rows, so that no word is
dropped and two sentences that share a rare name still share a vector. (Hokamp and Arora,
2016, 3.6, give all unknown words the vector of one rare word.)
"""

from __future__ import annotations

import json
import sys
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from semaniacs.sts.data.pairs import sentences_of
from semaniacs.sts.errors import StsError
from semaniacs.sts.text.tokenizer import words

INSIDE = "##"
"""The mark of a piece that does not begin a word."""

LONGEST = 100  # words of more characters than this are hashed

Ids = NDArray[np.int32]

_NEWLINE, _RETURN = b"\n\r"


class Ragged(NamedTuple):
    """The row numbers of many sentences, end to end (words,), and offsets (n + 1,) where each begins."""

    flat: Ids
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, sequences: Sequence[Sequence[int]]) -> Ragged:
        """Join one list of row numbers per sentence."""
        lengths = np.fromiter(map(len, sequences), np.int64, len(sequences))
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        return cls(np.fromiter(chain.from_iterable(sequences), np.int32, offsets[-1]), offsets)

    @classmethod
    def joined(cls, parts: Sequence[Ragged]) -> Ragged:
        """The sentences of all parts, one after the other."""
        lengths = np.concatenate([part.lengths for part in parts])
        flat = np.concatenate([part.flat for part in parts])
        return cls(flat, np.concatenate([[0], np.cumsum(lengths)]))

    @property
    def lengths(self) -> NDArray[np.int64]:
        """(n,) number of words of each sentence."""
        return np.diff(self.offsets)

    def take(self, sentences: NDArray[np.int64]) -> Ragged:
        """The sentences with these indices, in the order given."""
        lengths = self.lengths[sentences]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        shift = np.repeat(self.offsets[sentences] - offsets[:-1], lengths)
        return Ragged(self.flat[np.arange(offsets[-1]) + shift], offsets)


Decode = Callable[[bytes, int], str]
"""The string of some bytes, and the number of the sentence, for an error."""


class Utf8Sentences(Sequence[str]):
    """A sequence of n strings that are decoded only where one is asked for.

    ``data`` are bytes (uint8) in which each sentence is from its place in ``begins`` to that in ``ends``
    (n,). ``decode`` raises an error that names the sentence; ``first`` is the number of the first one.
    """

    def __init__(
        self,
        data: NDArray[np.uint8],
        begins: NDArray[np.int64],
        ends: NDArray[np.int64],
        decode: Decode,
        first: int = 0,
    ) -> None:
        self.data, self.begins, self.ends = data, begins, ends
        self.decode, self.first = decode, first

    @classmethod
    def lines(cls, text: bytes, decode: Decode, first: int = 0) -> Utf8Sentences:
        """The lines of a text; they end in ``\\n`` or ``\\r\\n``, of which the last may have neither."""
        data = np.frombuffer(text, np.uint8)
        ends = np.flatnonzero(data == _NEWLINE)
        if len(data) and data[-1] != _NEWLINE:
            ends = np.append(ends, len(data))
        begins = np.append(0, ends + 1)[: len(ends)]
        ends = ends - ((ends > begins) & (data[ends - 1] == _RETURN))
        return cls(data, begins, ends, decode, first)

    @classmethod
    def of_column(cls, column: Any) -> Utf8Sentences | None:
        """The strings of a column of Arrow, or of pandas over Arrow; None if it is something else.

        One that lacks a value is something else too. Nothing is copied but what several chunks hold.
        """
        arrow = sys.modules.get("pyarrow")
        if isinstance(column, cls) or arrow is None:
            return column if isinstance(column, cls) else None
        column = getattr(column, "array", column)
        if hasattr(column, "__arrow_array__"):
            column = column.__arrow_array__()
        if not isinstance(column, arrow.Array | arrow.ChunkedArray) or column.null_count:
            return None
        kind = column.type.value_type if arrow.types.is_dictionary(column.type) else column.type
        if kind not in (arrow.string(), arrow.large_string(), arrow.string_view()):
            return None
        column = column.cast(arrow.large_string())
        if isinstance(column, arrow.ChunkedArray):
            column = column.combine_chunks()
        _, offsets, letters = column.buffers()
        there = slice(column.offset, column.offset + len(column) + 1)
        bounds = np.frombuffer(offsets or bytes(8), np.int64)[there]
        data = np.frombuffer(letters or b"", np.uint8)
        return cls(data, bounds[:-1], bounds[1:], _cell)

    def __len__(self) -> int:
        return len(self.begins)

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> Utf8Sentences: ...

    def __getitem__(self, place: int | slice) -> str | Utf8Sentences:
        if isinstance(place, slice):
            begins, ends = self.begins[place], self.ends[place]
            first = self.first + place.indices(len(self))[0]
            return Utf8Sentences(self.data, begins, ends, self.decode, first)
        raw = self.data[self.begins[place] : self.ends[place]].tobytes()
        return self.decode(raw, self.first + range(len(self))[place])

    def batches(self, size: int) -> Iterator[Utf8Sentences]:
        """``size`` sentences at a time."""
        return (self[start : start + size] for start in range(0, len(self), size))

    def beyond_ascii(self) -> list[int]:
        """Return the numbers of the sentences that hold characters beyond ASCII."""
        begin, end = (self.begins[0], self.ends[-1]) if len(self) else (0, 0)
        places = begin + np.flatnonzero(self.data[begin:end] >= 0x80)
        return [*map(int, np.unique(np.searchsorted(self.begins, places, side="right") - 1))]


def utf8_of(sentences: Sequence[str], begin: int, end: int) -> Utf8Sentences:
    """Return ``sentences[begin:end]`` in bytes; an StsError names a value that is no string."""
    if isinstance(sentences, Utf8Sentences):
        return sentences[begin:end]
    try:
        raw = [text.encode("utf-8", "surrogatepass") for text in sentences[begin:end]]
    except (AttributeError, TypeError):
        sentences_of(sentences)
        raise
    bounds = np.cumsum([0, *map(len, raw)])
    data = np.frombuffer(b"".join(raw), np.uint8)
    return Utf8Sentences(
        data, bounds[:-1], bounds[1:], lambda sentence, _: sentence.decode("utf-8", "surrogatepass")
    )


def _cell(raw: bytes, row: int) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        found = f"byte 0x{raw[error.start]:02x} is not UTF-8"
        raise StsError(f"sentences[{row}]: {found}; expected a string") from None


class Tokenizer(ABC):
    """Turns text into row numbers of a table, and knows the text of each row.

    Attributes:
        known: entry of each row, in the order of the rows.
        rows: row number of each entry.
        buckets: number of hashed rows, which follow and have no entry.
    """

    known: tuple[str, ...]
    rows: dict[str, int]
    buckets = 0

    def __len__(self) -> int:
        return len(self.known) + self.buckets

    def __contains__(self, entry: str) -> bool:
        return entry in self.rows

    @abstractmethod
    def ids(self, text: str) -> list[int]:
        """Return the row numbers of a sentence, in its order."""

    def ids_of_many(self, texts: Sequence[str]) -> Ragged:
        """Return the row numbers of many sentences; equal to those of :meth:`ids`."""
        return Ragged.of([self.ids(text) for text in texts])

    @abstractmethod
    def identity(self) -> str:
        """Return everything that decides :meth:`ids`, as text: equal for equal tokenizers alone."""


class HashedVocabulary(Tokenizer):
    """Rows of a table: the known entries in the order given, then rows that all others share.

    CRC-32 chooses among the ``buckets``. A ValueError if there is none, or an entry is listed twice.
    """

    def __init__(self, known: Iterable[str], buckets: int) -> None:
        self.known = tuple(known)
        self.rows = {entry: row for row, entry in enumerate(self.known)}
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


def other_spelling(word: str) -> str:
    """Return a word with ss for ß, or with ß for ss: capitals have no ß."""
    return word.replace("ß", "ss") if "ß" in word else word.replace("ss", "ß")


class WordTokenizer(HashedVocabulary):
    """Known words have a row each, in either spelling of ß; others are spelled from known pieces, which
    begin with ``##``, or hashed.
    """

    @cached_property
    def has_pieces(self) -> bool:
        """Return whether there are any pieces to spell unknown words with."""
        return any(word.startswith(INSIDE) for word in self.known)

    def rows_of(self, word: str) -> list[int]:
        """Row numbers of any lower-cased word: its own, its pieces', or a hashed one."""
        if len(word) > LONGEST:
            return [self.bucket(word)]
        for spelling in (word, other_spelling(word)):
            known = self.rows.get(spelling)
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
