"""What an index holds: entries with their ids, distinct texts, and a vector for each of these.

Entries of equal text, but for white space, share a row, which has the text and the vector once: an index of many copies
is as small as its distinct texts, and copies cannot crowd out other hits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embeddings.search.column_store import Bytes, ColumnStore
from embeddings.table import Vectors

Id = int | str
IdKind = Literal["numbers", "int", "str"]
"""``numbers``: nothing is stored, and the first entry is 1."""

COLUMNS = ("vectors", "rows", "texts", "texts_ends", "ids", "ids_ends")

NO_ROW = -1
"""The row of an entry without a vector: it is blank, or none of its signs is a word."""


class Hit(NamedTuple):
    """A sentence that was found.

    Attributes:
        id: as it was given; by default the number of its line, from 1.
        score: cosine with the query, in [-1, 1].
        text: of the sentence; None in an index of vectors alone.
        copies: ids of the other sentences that have the same text, but for white space.
        corpus_id: place among all sentences of the index, from 0, as in
            ``sentence_transformers.util.semantic_search``.
    """

    id: Id
    score: float
    text: str | None
    copies: tuple[Id, ...]
    corpus_id: int


class Texts:
    """Strings in two columns: their UTF-8, one behind the other, and where each ends."""

    def __init__(self, data: Bytes, ends: Bytes) -> None:
        self._data, self._ends = data, ends.view("<i8")

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, place: int) -> str:
        begin = int(self._ends[place - 1]) if place else 0
        raw = self._data[begin : int(self._ends[place])].tobytes()
        return raw.decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        return map(self.__getitem__, range(len(self)))


def append_texts(store: ColumnStore, name: str, texts: Sequence[str], begin: int) -> int:
    """Append texts to the columns of a name, where ``begin`` bytes stand; returns where they end."""
    raw = [text.encode("utf-8", "surrogatepass") for text in texts]
    ends = begin + np.cumsum(np.fromiter(map(len, raw), np.int64, len(raw)))
    store.append(name, np.frombuffer(b"".join(raw), np.uint8))
    store.append(f"{name}_ends", ends.astype(np.int64))
    return int(ends[-1]) if len(ends) else begin


@dataclass(frozen=True, eq=False)
class Entries:
    """All that an index holds at one time; it does not change.

    Attributes:
        vectors: (m, dim) of length 1, of the distinct texts.
        rows: (n,) row of each entry among them.
        texts: of the m rows; None in an index of vectors alone.
        own_ids: of the n entries; None if they are numbers from 1.
    """

    vectors: Vectors
    rows: NDArray[np.int64]
    texts: Texts | None
    own_ids: NDArray[np.int64] | Texts | None

    @staticmethod
    def of(store: ColumnStore) -> Entries:
        """What the columns of a store hold now."""
        kind: IdKind = store.settings["ids"]
        strings = Texts(store.column("ids"), store.column("ids_ends"))
        numbers: NDArray[np.int64] = store.column("ids").view("<i8") if kind == "int" else _NONE
        texts = Texts(store.column("texts"), store.column("texts_ends"))
        return Entries(
            store.column("vectors").view("<f4").reshape(-1, store.settings["dim"]),
            store.column("rows").view("<i8"),
            texts if store.settings["texts"] else None,
            {"numbers": None, "int": numbers, "str": strings}[kind],
        )

    def __len__(self) -> int:
        return len(self.rows)

    def id(self, entry: int) -> Id:
        """The id of an entry."""
        if self.own_ids is None:
            return entry + 1
        own = self.own_ids[entry]
        return own if isinstance(own, str) else int(own)

    def of_row(self, row: int) -> list[int]:
        """The entries of a row, the first one first."""
        order, ordered = self._by_row
        begin, end = np.searchsorted(ordered, [row, row + 1])
        found: list[int] = order[begin:end].tolist()
        return found

    @cached_property
    def _by_row(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """All entries in the order of their rows, and these rows."""
        order = np.argsort(self.rows, kind="stable")
        return order, self.rows[order]

    def hits(
        self, rows: Sequence[int], scores: Sequence[float], k: int, *, copies: bool
    ) -> list[Hit]:
        """The best ``k`` hits of a query from its nearest rows, the best first.

        Args:
            rows, scores: of the neighbours; a row below 0 is none.
            k: how many hits at most.
            copies: whether an entry of equal text is a hit of its own.
        """
        found: list[Hit] = []
        for row, score in zip(rows, scores, strict=True):
            if row < 0 or len(found) >= k:
                break
            first, *others = self.of_row(row)
            text = None if self.texts is None else self.texts[row]
            if copies:
                found += [Hit(self.id(e), score, text, (), e) for e in (first, *others)]
            else:
                found.append(Hit(self.id(first), score, text, tuple(map(self.id, others)), first))
        return found[:k]


_NONE = np.empty(0, np.int64)
