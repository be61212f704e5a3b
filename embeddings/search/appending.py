"""Entries on their way into an index: read in batches, copies found, what is new encoded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import chain, islice, zip_longest
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embeddings.encoder import unit
from embeddings.mining.indexes import Rows
from embeddings.search.column_store import ColumnStore
from embeddings.search.index_entries import NO_ROW, Entries, Id, IdKind, append_texts
from embeddings.table import Vectors
from sts.data.texts import cells_of, sentences_of
from sts.errors import StsError

BATCH = 65536
"""Entries that are encoded and written at once."""


class Given(NamedTuple):
    """What a caller wants in an index: a column each, or None; of some entries, or of all.

    Attributes:
        sentences: a list or the like; an iterator is read as it is needed.
        vectors: (n, dim); None where the sentences are to be encoded.
        ids: of one's own, as the sentences; None for numbers from 1.
    """

    sentences: Iterable[Any] | None = None
    vectors: Rows | None = None
    ids: Iterable[Any] | None = None

    def with_kind_of_ids(self) -> tuple[Given, IdKind]:
        """The same, with what kind of ids it has by the first of them."""
        if self.ids is None:
            return self, "numbers"
        ids = self.ids if isinstance(self.ids, Iterator) else iter(cells_of(self.ids, "ids"))
        first = list(islice(ids, 1))
        kind: IdKind = "str" if first and isinstance(first[0], str) else "int"
        return self._replace(ids=chain(first, ids)), kind

    def batches(self) -> Iterator[Batch]:
        """All entries, some at a time.

        Raises:
            StsError: the columns differ in length, or a sentence or an id is none (with its row).
        """
        chunks = {
            "sentences": None if self.sentences is None else _chunks(self.sentences, sentences_of),
            "vectors": None if self.vectors is None else _blocks(self.vectors),
            "ids": None if self.ids is None else _chunks(self.ids, _ids_of),
        }
        there = {name: some for name, some in chunks.items() if some is not None}
        done = 0
        for columns in zip_longest(*there.values(), fillvalue=()):
            parts: tuple[Any, ...] = columns
            ends = {name: done + len(part) for name, part in zip(there, parts, strict=True)}
            if len(set(ends.values())) > 1:
                fewest, most = min(ends, key=ends.__getitem__), max(ends, key=ends.__getitem__)
                raise StsError(f"{ends[fewest]} {fewest} for more {most}; expected one for each")
            yield Batch(**dict(zip(there, parts, strict=True)))
            done = max(ends.values())


class Batch(NamedTuple):
    """Some entries, of which one column at least is there."""

    sentences: Sequence[str] | None = None
    vectors: Vectors | None = None
    ids: list[Id] | None = None

    def __len__(self) -> int:
        return next(len(column) for column in self if column is not None)


class Appender:
    """Appends batches to a store, inside its ``appending()``.

    It holds a digest of every distinct text, some 200 bytes each, and all ids of one's own; those of
    what is there already are made anew.

    Args:
        store: what is appended to.
        encode: makes vectors (n, dim) of sentences.
    """

    def __init__(self, store: ColumnStore, encode: Callable[[Sequence[str]], Vectors]) -> None:
        there = Entries.of(store)
        self._store, self._encode = store, encode
        self._has_texts, self._kind = store.settings["texts"], store.settings["ids"]
        keys = map(_digest, there.vectors if there.texts is None else there.texts)
        self._row_of = {key: row for row, key in enumerate(keys)}
        self._seen = set(map(there.id, range(len(there)))) if there.own_ids is not None else set()
        self._rows = len(there.vectors)
        self._ends = {name: len(store.column(name)) for name in ("texts", "ids")}

    def add(self, batch: Batch) -> None:
        """Append a batch.

        Raises:
            StsError: an id occurs twice, or the batch has other columns than the index.
        """
        self._add_ids(batch.ids, len(batch))
        self._store.append("rows", self._rows_of(batch))

    def _rows_of(self, batch: Batch) -> Any:
        """The row (n,) of each entry; rows that are new are appended."""
        texts, vectors = batch.sentences, batch.vectors
        scaled = None if vectors is None else unit(vectors)
        if self._has_texts != (texts is not None):
            raise StsError(
                "the index keeps texts; give the sentences of the vectors too"
                if self._has_texts
                else "the index holds vectors alone; add vectors without sentences"
            )
        keys = [_digest(value) for value in (scaled if texts is None else texts)]  # type: ignore[union-attr]
        new: dict[bytes, int] = {}
        for place, key in enumerate(keys):
            if key not in self._row_of:
                new.setdefault(key, place)
        places = list(new.values())
        if scaled is None:
            assert texts is not None
            scaled = unit(self._encode([texts[place] for place in places]))
        else:
            scaled = scaled[places]
        filled: NDArray[np.bool_] = np.any(scaled, axis=1)
        numbers = np.where(filled, self._rows - 1 + np.cumsum(filled), NO_ROW)
        self._row_of |= zip(new, numbers.tolist(), strict=True)
        self._rows += int(filled.sum())
        self._store.append("vectors", scaled[filled])
        if texts is not None:
            kept = [texts[p] for p, one in zip(places, filled, strict=True) if one]
            self._add_texts("texts", kept)
        return np.array([self._row_of[key] for key in keys], np.int64)

    def _add_ids(self, ids: list[Id] | None, count: int) -> None:
        if (ids is None) != (self._kind == "numbers"):
            raise StsError(
                "the index numbers its entries; leave out the ids"
                if ids is not None
                else "the index has ids of its own; give an id for each entry"
            )
        if ids is None:
            return
        expected: type = {"int": int, "str": str}[self._kind]
        for name in ids:
            if type(name) is not expected:
                raise StsError(f"id {name!r} is no {expected.__name__} as the others are")
            if name in self._seen:
                raise StsError(f"id {name!r} occurs twice; an id names one entry")
            self._seen.add(name)
        if self._kind == "str":
            self._add_texts("ids", [str(name) for name in ids])
        else:
            self._store.append("ids", np.array(ids, np.int64))

    def _add_texts(self, name: str, texts: Sequence[str]) -> None:
        self._ends[name] = append_texts(self._store, name, texts, self._ends[name])


def _digest(value: str | Vectors) -> bytes:
    """What tells texts, whatever white space they have, or vectors apart."""
    if isinstance(value, str):
        raw = " ".join(value.split()).encode("utf-8", "surrogatepass")
    else:
        raw = value.tobytes()
    return blake2b(raw, digest_size=16).digest()


def _chunks(values: Iterable[Any], read: Callable[..., Any]) -> Iterator[Any]:
    """A column, some cells at a time, each read by ``read(cells, first=row)``."""
    if isinstance(values, Iterator):
        first = 0
        while chunk := list(islice(values, BATCH)):
            yield read(chunk, first=first)
            first += len(chunk)
        return
    whole = read(values)
    for start in range(0, len(whole), BATCH):
        yield whole[start : start + BATCH]


def _blocks(vectors: Rows) -> Iterator[Vectors]:
    """Vectors, some at a time, all of them finite."""
    for start in range(0, len(vectors), BATCH):
        block = np.asarray(vectors[start : start + BATCH], np.float32)
        finite = np.isfinite(block).all(axis=1)
        if not finite.all():
            row = start + int(np.argmin(finite))
            raise StsError(f"vectors[{row}] holds a number that is not finite")
        yield block


def _ids_of(values: Iterable[Any], first: int = 0) -> list[Id]:
    """Ids from a column: whole numbers of 64 bits, or strings without tabs and line ends."""
    ids = cells_of(values, "ids")
    for row, value in enumerate(ids, first):
        if isinstance(value, str):
            fits = bool(value) and not set(value) & set("\t\r\n")
        else:
            fits = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63
        if not fits:
            raise StsError(
                f"ids[{row}] is {value!r:.80}; expected a whole number of 64 bits, or a string "
                "without tabs"
            )
    return ids
