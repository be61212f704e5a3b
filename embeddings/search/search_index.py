"""An index of sentences that finds those nearest to a query, by cosine."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sized
from pathlib import Path
from typing import Any, overload

import numpy as np

from embeddings.encoder import SentenceEncoder, unit
from embeddings.formats.numpy_file import RowsOnDisk
from embeddings.loading import DEFAULT
from embeddings.mining.indexes import Index, Ivf, Rows
from embeddings.mining.neighbours import Neighbours, nearest
from embeddings.search.appending import Appender, Given
from embeddings.search.column_store import (
    ColumnStore,
    FolderStore,
    MemoryStore,
    Settings,
    new_folder,
)
from embeddings.search.index_entries import COLUMNS, NO_ROW, Entries, Hit
from embeddings.search.index_model import IndexModel, ModelName
from embeddings.table import Vectors
from sts.data.sentences_or_vectors import sentences_or_vectors
from sts.errors import StsError
from sts.extras import require
from sts.progress import Bar


class SearchIndex:
    """Sentences with their ids and vectors; several threads may ask at once.

    >>> index = SearchIndex.build(["A dog runs.", "Stocks fell.", "A dog runs."])
    >>> [(hit.id, hit.copies, hit.text) for hit in index.query("A dog is running.", k=1)]
    [(1, (3,), 'A dog runs.')]

    It lies in memory, or in a folder: then only what a query touches is read, and what is added is
    written there at once.
    """

    def __init__(self, store: ColumnStore, model: IndexModel) -> None:
        self._store, self._model = store, model
        self._entries = Entries.of(store)
        self._writing = threading.Lock()
        self._learning = threading.Lock()
        self._learned: tuple[Entries, Ivf, Index] | None = None

    # --- making one

    @staticmethod
    def build(
        sentences: Iterable[Any],
        model: ModelName = DEFAULT,
        *,
        ids: Iterable[Any] | None = None,
        language: str | None = None,
        folder: str | Path | None = None,
        overwrite: bool = False,
        progress: bool = False,
    ) -> SearchIndex:
        """Encode sentences and index them.

        Args:
            sentences: a list, a generator, a NumPy array, a column of pandas, polars or Arrow. A
                generator is read as it is needed. A blank sentence is never found.
            model: a bundled name, a file, a folder, or an encoder.
            ids: as many strings or whole numbers, each once; by default the sentences are
                numbered from 1.
            language: a two-letter code, for a model of several languages.
            folder: where the index is to lie; by default it lies in memory.
            overwrite: whether an index that lies there is replaced.
            progress: show a progress bar on stderr.

        Raises:
            StsError: a sentence is missing or no string, an id is none or occurs twice, there are
                more of one than of the other, or the folder cannot be written.
        """
        known = IndexModel(model, language)
        given = Given(sentences, ids=ids)
        return _made(given, known, known.encoder().dim, folder, overwrite, progress)

    @staticmethod
    def from_vectors(
        vectors: Any,
        sentences: Iterable[Any] | None = None,
        model: ModelName | None = None,
        *,
        ids: Iterable[Any] | None = None,
        language: str | None = None,
        folder: str | Path | None = None,
        overwrite: bool = False,
        progress: bool = False,
    ) -> SearchIndex:
        """Index vectors that were computed before.

        Args:
            vectors: (n, dim) numbers, or the rows of a ``.npy`` file
                (:class:`~embeddings.formats.numpy_file.RowsOnDisk`). A zero vector is never found.
            sentences: of the vectors; the hits have no text without them. Equal sentences, or
                without sentences equal vectors, are copies of one.
            model: that made the vectors; without it, queries must be vectors too.
            ids, language, folder, overwrite, progress: as for :meth:`build`.

        Raises:
            StsError: as for :meth:`build`; or the model makes vectors of another length.
        """
        rows = _rows_of(vectors)
        if not (dim := rows[:1].shape[1]):
            raise StsError("vectors of no numbers; expected (n, dim)")
        known = IndexModel(model, language, dim=dim)
        return _made(Given(sentences, rows, ids), known, dim, folder, overwrite, progress)

    @staticmethod
    def load(folder: str | Path, model: ModelName | None = None) -> SearchIndex:
        """The index in a folder; all of it is compared with its checksums.

        Args:
            folder: that :meth:`save` or :meth:`build` wrote.
            model: the one it was built with, if that has no name or lies elsewhere now.

        Raises:
            DataError: there is no index, or it is damaged.
            StsError: another model is named. A model that has changed since is refused by the
                first query that needs it.
        """
        store = FolderStore(Path(folder))
        return SearchIndex(store, IndexModel.of(store.settings, model))

    def save(self, folder: str | Path, *, overwrite: bool = False) -> None:
        """Write the index to a folder, whole or not at all.

        Raises:
            StsError: something stands there, or the folder cannot be written.
        """
        beside = new_folder(Path(folder), self.settings, overwrite=overwrite)
        with beside as store, self._writing, store.appending():
            for name in COLUMNS:
                store.append(name, self._store.column(name))

    def add(
        self,
        sentences: Iterable[Any] | None = None,
        ids: Iterable[Any] | None = None,
        *,
        vectors: Any = None,
        progress: bool = False,
    ) -> None:
        """Add sentences behind those that are there; all of them, or after an error none.

        Args:
            sentences, ids: as for :meth:`build`; ids if the index has ids of its own.
            vectors: (n, dim) of the sentences, if they need not be encoded; alone, if the index
                holds vectors alone.
            progress: show a progress bar on stderr.

        Raises:
            StsError: as for :meth:`build`; or an id is there already, or another process adds.
        """
        rows = None if vectors is None else _rows_of(vectors)
        if rows is not None and len(rows) and rows[:1].shape[1] != self.dim:
            raise StsError(f"vectors of {rows[:1].shape[1]} numbers; the index has {self.dim}")
        if sentences is None and rows is None:
            raise StsError("nothing to add; give sentences or vectors")
        with self._writing:
            _append(self._store, Given(sentences, rows, ids), self._model, progress)
            self._entries = Entries.of(self._store)

    # --- asking it

    @overload
    def query(
        self,
        queries: str,
        k: int = 5,
        *,
        language: str | None = None,
        copies: bool = False,
        approximate: Ivf | None = None,
    ) -> list[Hit]: ...
    @overload
    def query(
        self,
        queries: Any,
        k: int = 5,
        *,
        language: str | None = None,
        copies: bool = False,
        approximate: Ivf | None = None,
    ) -> Any: ...
    def query(
        self,
        queries: Any,
        k: int = 5,
        *,
        language: str | None = None,
        copies: bool = False,
        approximate: Ivf | None = None,
    ) -> Any:
        """The sentences nearest to each query, the best first.

        Args:
            queries: one sentence or vector (dim,), or n: a column of sentences, or (n, dim).
            k: hits a query, at most.
            language: of the queries, if it is another one than that of the index.
            copies: whether equal texts are a hit each; else they are one, which names the others.
            approximate: look only into the clusters nearest to a query. They are learned at the
                first such query, which takes a while, and kept with a copy of the vectors in
                memory until something is added.

        Returns:
            A list of hits for one query, a list of such lists for n. A query that is blank, or
            none of whose words has a vector, finds nothing.

        Raises:
            StsError: ``k`` is below 1, a query is missing (its row is named) or of another length,
                or the model is not the one that the index was built with.
        """
        require("faiss")
        if k < 1:
            raise StsError(f"k={k}; expected 1 or more")
        given = sentences_or_vectors(queries, "queries")
        alone = isinstance(queries, str) or (
            isinstance(given, np.ndarray) and np.ndim(queries) == 1
        )
        entries = self._entries
        vectors = self._encode(given, language)
        found = self._nearest(entries, vectors, k, approximate)
        hits = [
            entries.hits(rows, scores, k, copies=copies)
            for rows, scores in zip(found.places.tolist(), found.cosines.tolist(), strict=True)
        ]
        return hits[0] if alone else hits

    def _encode(self, given: Any, language: str | None) -> Vectors:
        if not isinstance(given, np.ndarray):
            return unit(self._model.encoder(language).encode(given))
        if given.shape[1] != self.dim:
            raise StsError(f"queries of {given.shape[1]} numbers; the index has {self.dim}")
        return unit(given)

    def _nearest(
        self, entries: Entries, vectors: Vectors, k: int, approximate: Ivf | None
    ) -> Neighbours:
        k = min(k, len(entries.vectors))
        none = Neighbours(np.full((len(vectors), k), NO_ROW), np.zeros((len(vectors), k)))
        asked = np.flatnonzero(vectors.any(axis=1))
        if not k or not len(asked):
            return none
        index = None if approximate is None else self._learn(entries, approximate)
        options: Any = {} if index is None else {"block": max(len(entries.vectors), len(vectors))}
        found = nearest(
            vectors[asked], entries.vectors, k, search=index, show_progress=False, **options
        )
        none.places[asked], none.cosines[asked] = found
        return none

    def _learn(self, entries: Entries, approximate: Ivf) -> Index:
        """The inverted file of the entries, made once."""
        with self._learning:
            if self._learned is None or self._learned[:2] != (entries, approximate):
                find = approximate.over(entries.vectors)(entries.vectors)
                self._learned = entries, approximate, lambda _: find
            return self._learned[2]

    # --- about it

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def distinct(self) -> int:
        """How many distinct sentences can be found."""
        return len(self._entries.vectors)

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return int(self.settings["dim"])

    @property
    def encoders(self) -> list[SentenceEncoder]:
        """The encoders that were used so far, one a language."""
        return self._model.loaded

    @property
    def settings(self) -> Settings:
        """Model, language, fingerprint and dim, and what the entries have: texts, and which ids."""
        return dict(self._store.settings)

    def __repr__(self) -> str:
        return f"<SearchIndex of {len(self):,} entries, {self.distinct:,} distinct>"

    def __reduce__(self) -> tuple[Any, ...]:
        if not isinstance(self._store, FolderStore):
            raise TypeError(
                "an index is sent to a process once it is saved, and loaded, in a folder"
            )
        return SearchIndex.load, (self._store.folder,)


def search(
    queries: Any,
    sentences: Any,
    k: int = 5,
    model: ModelName = DEFAULT,
    *,
    ids: Iterable[Any] | None = None,
    language: str | None = None,
    copies: bool = False,
) -> Any:
    """The nearest of some sentences to each query: an index that is built, asked and forgotten.

    Args:
        queries: one or many, sentences or vectors, as for :meth:`SearchIndex.query`.
        sentences: to be searched, or their vectors (n, dim).
        k: hits a query, at most.
        model: what sentences are encoded with.
        ids: of the sentences; by default they are numbered from 1.
        language: of queries and sentences, for a model of several languages.
        copies: whether equal texts are a hit each.

    Returns:
        A list of hits for one query, a list of such lists for n.

    Raises:
        StsError: as for :meth:`SearchIndex.build` and :meth:`SearchIndex.query`.
    """
    given = sentences_or_vectors(sentences, "sentences")
    if isinstance(given, np.ndarray):
        vectors_too = isinstance(sentences_or_vectors(queries, "queries"), np.ndarray)
        named = None if vectors_too else model
        index = SearchIndex.from_vectors(given, None, named, ids=ids, language=language)
    else:
        index = SearchIndex.build(given, model, ids=ids, language=language)
    return index.query(queries, k, copies=copies)


def _made(
    given: Given,
    model: IndexModel,
    dim: int,
    folder: str | Path | None,
    overwrite: bool,
    progress: bool,
) -> SearchIndex:
    """A new index of what is given."""
    given, kind = given.with_kind_of_ids()
    settings = {
        "model": model.shown,
        "language": model.language,
        "fingerprint": model.fingerprint(),
        "dim": dim,
        "texts": given.sentences is not None,
        "ids": kind,
    }
    if folder is None:
        memory = MemoryStore(settings)
        _append(memory, given, model, progress)
        return SearchIndex(memory, model)
    with new_folder(Path(folder), settings, overwrite=overwrite) as store:
        _append(store, given, model, progress)
    return SearchIndex(store, model)


def _append(store: ColumnStore, given: Given, model: IndexModel, progress: bool) -> None:
    total = next((len(c) for c in (given.sentences, given.vectors) if isinstance(c, Sized)), None)
    with store.appending(), Bar("index", "sentences", total, show=progress) as bar:
        appender = Appender(store, lambda sentences: model.encoder().encode(sentences))
        for batch in given.batches():
            appender.add(batch)
            bar.update(len(batch))


def _rows_of(vectors: Any) -> Rows:
    """Vectors in memory or on disk."""
    if isinstance(vectors, RowsOnDisk):
        return vectors
    found = sentences_or_vectors(vectors, "vectors")
    if not isinstance(found, np.ndarray):
        raise StsError("vectors holds sentences; expected (n, dim) numbers")
    return found
