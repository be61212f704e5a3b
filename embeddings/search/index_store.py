"""The database of an index: one SQLite file that holds sentences, ids and vectors.

Table ``rows`` has each distinct text once, with its unit vector; table ``entries`` has one line per
entry, with its row and its id. Texts that differ in white space alone are copies and share a row, so
copies take little space and cannot crowd out other hits. An entry without a vector has no row: its
text is blank, or none of its words has a vector.

One transaction adds all entries or none. Readers are not blocked meanwhile (write-ahead log).
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from semaniacs.embeddings.encoder import unit
from semaniacs.embeddings.table import Vectors
from semaniacs.sts.data.pairs import cells_of, sentences_of
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.files import replace_folder, working_folder

DATABASE = "index.sqlite"

BATCH = 65536
"""Entries that are encoded and written at once."""

SCHEMA = """
CREATE TABLE settings (json TEXT NOT NULL);
CREATE TABLE rows (row INTEGER PRIMARY KEY, key BLOB UNIQUE, text TEXT, vector BLOB NOT NULL);
CREATE TABLE entries (entry INTEGER PRIMARY KEY, row INTEGER, id UNIQUE);
CREATE INDEX entries_of_row ON entries (row);
"""

KINDS = {"null": "numbers", "integer": "int", "text": "str"}
"""Kinds of ids, by the type that SQLite names: numbers from 1, or ids that were given."""

Id = int | str
Settings = dict[str, Any]
Encode = Callable[[Sequence[str]], Vectors]


class IndexStore:
    """The database of an index, in memory or in a folder; threads may read while one writes.

    ``settings`` are model, language, fingerprint and dim, and whether it keeps texts; without them an
    index is opened that exists: a DataError if there is none in the folder, or it is damaged.
    """

    def __init__(self, folder: Path | None, settings: Settings | None = None) -> None:
        self.folder = folder
        self._lock = threading.RLock()
        place = ":memory:"
        if folder is not None:
            if settings is None:
                _check_index(folder)
            place = (folder / DATABASE).absolute().as_uri()
            if not os.access(folder, os.W_OK):  # a log cannot be written there, and nobody writes
                place += "?immutable=1"
        with self._naming_errors():
            self._connection = sqlite3.connect(
                place, timeout=0, isolation_level=None, check_same_thread=False, uri=True
            )
            weakref.finalize(self, self._connection.close)
            self._connection.text_factory = lambda raw: raw.decode("utf-8", "surrogatepass")
            if settings is None:
                ((found,),) = self.ask("PRAGMA quick_check(1)")
                if found != "ok":
                    raise sqlite3.DatabaseError(found)
            else:
                self.ask("PRAGMA journal_mode = WAL")
                self._connection.executescript(SCHEMA)
                self.ask("INSERT INTO settings VALUES (?)", json.dumps(settings))
            self.settings = self._read_settings()

    def ask(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return all lines of the answer to a statement of SQL."""
        with self._lock:
            return self._connection.execute(statement, values).fetchall()

    def _read_settings(self) -> Settings:
        return dict(json.loads(self.ask("SELECT json FROM settings")[0][0]))

    @contextmanager
    def _naming_errors(self) -> Iterator[None]:
        """Turn errors of SQLite into errors for people."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            if "locked" in str(error):
                raise StsError(f"{self.folder}: another process adds to it; try again") from None
            damaged = not isinstance(error, sqlite3.OperationalError)
            if damaged or "no such table" in str(error):
                message = f"{self.folder}: damaged ({error}); build the index again"
                raise DataError(message) from None
            raise StsError(f"{self.folder}: cannot be read or written ({error})") from None

    def read_vectors(self) -> tuple[Vectors, int]:
        """Return the vectors (m, dim) of all rows, and the number of entries."""
        with self._naming_errors(), self._lock:
            self.ask("BEGIN")
            raw = [vector for (vector,) in self.ask("SELECT vector FROM rows ORDER BY row")]
            ((count,),) = self.ask("SELECT count(*) FROM entries")
            self.ask("COMMIT")
        return np.frombuffer(b"".join(raw), "<f4").reshape(len(raw), self.settings["dim"]), count

    def text_of(self, row: int) -> str | None:
        """Return the text of a row; None in an index of vectors alone."""
        text: str | None = self.ask("SELECT text FROM rows WHERE row = ?", row)[0][0]
        return text

    def entries_of(self, row: int, count: int) -> list[tuple[int, Id]]:
        """Return place and id of the entries of a row, among the first ``count`` entries."""
        found = self.ask(
            "SELECT entry, id FROM entries WHERE row = ? AND entry < ? ORDER BY entry", row, count
        )
        return [(entry, entry + 1 if own is None else own) for entry, own in found]

    def kind_of_ids(self) -> str | None:
        """Return one of :data:`KINDS`; None in an empty index."""
        found = self.ask("SELECT typeof(id) FROM entries WHERE entry = 0")
        return KINDS[found[0][0]] if found else None

    @contextmanager
    def adding(self) -> Iterator[None]:
        """Open a transaction; its end keeps everything that was added, and an error nothing.

        Raises an StsError if another process adds, or the folder cannot be written.
        """
        with self._naming_errors():
            self.ask("BEGIN IMMEDIATE")
            try:
                if self._read_settings() != self.settings:
                    raise StsError(f"{self.folder}: replaced by another index; load it again")
                yield
                self.ask("COMMIT")
            finally:
                if self._connection.in_transaction:
                    self.ask("ROLLBACK")

    def copy_to(self, other: IndexStore) -> None:
        """Copy the whole database into another one."""
        with self._naming_errors(), self._lock:
            self._connection.backup(other._connection)

    def close(self) -> None:
        """Close the connection; the database is then one file."""
        self._connection.close()

    def add(
        self,
        encode: Encode,
        sentences: Sequence[str] | None = None,
        vectors: Vectors | None = None,
        ids: Sequence[Id] | None = None,
    ) -> None:
        """Add a batch of entries inside :meth:`adding`.

        Raises an StsError if an id occurs twice, or the batch has other columns than the index.
        """
        if self.settings["texts"] != (sentences is not None):
            raise StsError(
                "the index keeps texts; give the sentences of the vectors too"
                if self.settings["texts"]
                else "the index holds vectors alone; add vectors without sentences"
            )
        self._check_ids(ids)
        entry = self._next("entry", "entries")
        for place, row in enumerate(self._rows_of(encode, sentences, vectors)):
            own = None if ids is None else ids[place]
            try:
                self.ask("INSERT INTO entries VALUES (?, ?, ?)", entry + place, row, own)
            except sqlite3.IntegrityError:
                raise StsError(f"id {own!r} occurs twice; an id names one entry") from None

    def _next(self, number: str, table: str) -> int:
        """Return the number of the next line of a table; they count from 0."""
        return int(self.ask(f"SELECT coalesce(max({number}) + 1, 0) FROM {table}")[0][0])

    def _check_ids(self, ids: Sequence[Id] | None) -> None:
        """Check that the ids are of the kind of the others."""
        kind = self.kind_of_ids()
        if kind is None:
            kind = "numbers" if ids is None else type(ids[0]).__name__ if ids else None
        if ids is None and kind != "numbers":
            raise StsError("the index has ids of its own; give an id for each entry")
        if ids is not None and kind == "numbers":
            raise StsError("the index numbers its entries; leave out the ids")
        for own in ids or ():
            if type(own).__name__ != kind:
                raise StsError(f"id {own!r} is no {kind} as the others are")

    def _rows_of(
        self, encode: Encode, texts: Sequence[str] | None, vectors: Vectors | None
    ) -> list[int | None]:
        """Return the row of each entry; texts or vectors that are new get one."""
        scaled = None if vectors is None else unit(vectors)
        values: Any = scaled if texts is None else texts
        keys = [_key(value) for value in values]
        row_of: dict[bytes, int | None] = {}
        new: dict[bytes, int] = {}
        for place, key in enumerate(keys):
            if key not in row_of and key not in new:
                found = self.ask("SELECT row FROM rows WHERE key = ?", key)
                if found:
                    row_of[key] = found[0][0]
                else:
                    new[key] = place
        places = list(new.values())
        if scaled is not None:
            fresh = scaled[places]
        else:
            fresh = unit(encode([values[place] for place in places]))
        row = self._next("row", "rows")
        insert = "INSERT INTO rows VALUES (?, ?, CAST(? AS TEXT), ?)"
        for (key, place), vector in zip(new.items(), fresh, strict=True):
            row_of[key] = None
            if vector.any():
                text = None if texts is None else texts[place].encode("utf-8", "surrogatepass")
                self.ask(insert, row, key, text, vector.astype("<f4").tobytes())
                row_of[key] = row
                row += 1
        return [row_of[key] for key in keys]


@contextmanager
def new_index(
    folder: Path | None, settings: Settings, *, overwrite: bool = False
) -> Iterator[IndexStore]:
    """Make an empty index, in memory or in a folder that appears when the context ends well.

    Raises an StsError if the folder is in use, or cannot be written.
    """
    if folder is None:
        yield IndexStore(None, settings)
        return
    check_free(folder, overwrite=overwrite)
    try:
        with working_folder(folder.absolute()) as work:
            beside = work / "new"
            beside.mkdir()
            store = IndexStore(beside, settings)
            try:
                yield store
            finally:
                store.close()
            replace_folder(beside, folder)
    except OSError as error:
        raise StsError(f"{folder}: cannot be written ({error.strerror})") from None


def check_free(folder: Path, *, overwrite: bool) -> None:
    """Raise an StsError if a folder holds anything but an index, or one without ``overwrite``."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not (folder / DATABASE).is_file():
        raise StsError(f"{folder}: exists and is no index; name another folder")
    if not overwrite:
        raise StsError(
            f"{folder}: an index exists there; add to it, or replace it with --overwrite "
            "(overwrite=True in Python)"
        )


def _check_index(folder: Path) -> None:
    if folder.is_file():
        raise DataError(
            f"{folder}: a file, not an index; search it with: semaniacs search once {folder}"
        )
    if not (folder / DATABASE).is_file():
        build = f"semaniacs search build FILE --output {folder}"
        raise DataError(f"{folder}: no index; build one: {build}")


def _key(value: str | Vectors) -> bytes:
    """Return a digest that is equal for copies: texts but for white space, or vectors."""
    if isinstance(value, str):
        raw = " ".join(value.split()).encode("utf-8", "surrogatepass")
    else:
        raw = value.tobytes()
    return blake2b(raw, digest_size=16).digest()


def batches(columns: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the columns by name, some entries at a time.

    Raises an StsError if they differ in length, or a cell is not valid (the row is named).
    """
    read: dict[str, Callable[..., Any]]
    read = {"sentences": sentences_of, "vectors": _finite, "ids": _ids_of}
    given = {name: column for name, column in columns.items() if column is not None}
    chunks = [_chunks(column, read[name]) for name, column in given.items()]
    done = 0
    for parts in zip_longest(*chunks, fillvalue=()):
        ends = {name: done + len(part) for name, part in zip(given, parts, strict=True)}
        fewest, most = min(ends, key=ends.__getitem__), max(ends, key=ends.__getitem__)
        if ends[fewest] < ends[most]:
            raise StsError(f"{ends[fewest]} {fewest} for more {most}; expected one for each")
        yield dict(zip(given, parts, strict=True))
        done = ends[most]


def _chunks(column: Any, read: Callable[..., Any]) -> Iterator[Any]:
    """Yield some cells of a column at a time, each checked by ``read(cells, first=row)``."""
    if isinstance(column, Iterator):
        first = 0
        while chunk := list(islice(column, BATCH)):
            yield read(chunk, first=first)
            first += len(chunk)
        return
    by_block = read is _finite  # vectors may be mapped from a file
    cells = column if by_block else read(column)
    for first in range(0, len(cells), BATCH):
        block = cells[first : first + BATCH]
        yield read(block, first=first) if by_block else block


def _finite(vectors: Any, first: int = 0) -> Vectors:
    block = np.asarray(vectors, np.float32)
    finite = np.isfinite(block).all(axis=1)
    if not finite.all():
        row = first + int(np.argmin(finite))
        raise StsError(f"vectors[{row}] holds a number that is not finite")
    return block


def _ids_of(values: Iterable[Any], first: int = 0) -> list[Id]:
    """Return ids: whole numbers of 64 bits, or strings without tabs and line ends."""
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
