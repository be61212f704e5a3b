"""An index of sentences that finds the ones nearest to a query, by cosine."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sized
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from semaniacs.embeddings.encoder import SentenceEncoder, unit
from semaniacs.embeddings.formats.numpy_file import RowsOnDisk
from semaniacs.embeddings.loading import DEFAULT, load_once
from semaniacs.embeddings.mining.neighbours import Index, Ivf, Rows, nearest
from semaniacs.embeddings.search.index_store import Id, IndexStore, Settings, batches, new_index
from semaniacs.embeddings.table import Vectors
from semaniacs.sts.data.pairs import sentences_or_vectors
from semaniacs.sts.errors import StsError
from semaniacs.sts.progress import Bar

ModelName = str | Path | SentenceEncoder
"""A bundled name, a file or a folder; or an encoder that is loaded."""


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


class SearchIndex:
    """Sentences with their ids and vectors, in memory or in a folder.

    >>> index = SearchIndex.build(["A dog runs.", "Stocks fell.", "A dog runs."])
    >>> [(hit.id, hit.copies, hit.text) for hit in index.query("A dog is running.", k=1)]
    [(1, (3,), 'A dog runs.')]

    Additions to an index in a folder are written there at once. Several threads may query.
    """

    def __init__(self, store: IndexStore, model: _Model) -> None:
        self._store, self._model = store, model
        self._writing, self._learning = threading.Lock(), threading.Lock()
        self._snapshot = store.read_vectors()
        self._clusters: tuple[Vectors, Ivf, Index] | None = None

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
            ids: unique strings or whole numbers, one per sentence; numbers from 1 by default.
            language: a two-letter code, for a model of several languages.
            folder: folder of the index; by default it is in memory.
            overwrite: whether to replace an index in that folder.
            progress: show a progress bar on stderr.

        Raises:
            StsError: a sentence is missing or no string, an id is invalid or occurs twice, the
                columns differ in length, or the folder cannot be written.
        """
        known = _Model(model, language)
        columns = {"sentences": sentences, "ids": ids}
        return _make(columns, known, known.encoder().dim, folder, overwrite, progress)

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
                (:class:`~semaniacs.embeddings.formats.numpy_file.RowsOnDisk`). A zero vector is never found.
            sentences: one per vector; hits have no text without them. Equal sentences, or without
                sentences equal vectors, are copies.
            model: encoder of the vectors; without it, queries must be vectors too.
            ids, language, folder, overwrite, progress: as for :meth:`build`.

        Raises:
            StsError: as for :meth:`build`; or the model makes vectors of another length.
        """
        rows = _rows_of(vectors)
        dim = rows[:1].shape[1]
        if not dim:
            raise StsError("vectors of no numbers; expected (n, dim)")
        columns = {"sentences": sentences, "vectors": rows, "ids": ids}
        known = _Model(model, language, dim=dim)
        return _make(columns, known, dim, folder, overwrite, progress)

    @staticmethod
    def load(folder: str | Path, model: ModelName | None = None) -> SearchIndex:
        """Open the index in a folder; ``model`` is its encoder, if it was moved or has no name.

        Raises:
            DataError: there is no index, or it is damaged.
            StsError: another model is named. If the model itself has changed, the first query
                that needs it raises the error.
        """
        store = IndexStore(Path(folder))
        kept = store.settings
        named = kept["model"] if model is None else model
        known = _Model(named, kept["language"], kept["fingerprint"], kept["dim"])
        if model is not None:
            known.encoder()
        return SearchIndex(store, known)

    def save(self, folder: str | Path, *, overwrite: bool = False) -> None:
        """Write the index to a folder, whole or not at all; a StsError if it is in use."""
        with self._writing, new_index(Path(folder), {}, overwrite=overwrite) as store:
            self._store.copy_to(store)

    def add(
        self,
        sentences: Iterable[Any] | None = None,
        ids: Iterable[Any] | None = None,
        *,
        vectors: Any = None,
        progress: bool = False,
    ) -> None:
        """Add sentences; all of them, or none after an error.

        The columns are those of :meth:`from_vectors`; an index of vectors takes vectors alone.

        Raises:
            StsError: as for :meth:`build`; or an id is there already, or another process adds.
        """
        rows = None if vectors is None else _rows_of(vectors)
        if rows is not None and len(rows) and rows[:1].shape[1] != self.dim:
            raise StsError(f"vectors of {rows[:1].shape[1]} numbers; the index has {self.dim}")
        if sentences is None and rows is None:
            raise StsError("nothing to add; give sentences or vectors")
        columns = {"sentences": sentences, "vectors": rows, "ids": ids}
        with self._writing:
            _add(self._store, columns, self._model, progress)
            self._snapshot = self._store.read_vectors()

    def query(
        self,
        queries: Any,
        k: int = 5,
        *,
        top_k: int | None = None,
        language: str | None = None,
        copies: bool = False,
        approximate: Ivf | None = None,
    ) -> Any:
        """Find the sentences nearest to each query, the best first.

        Args:
            queries: one sentence or vector (dim,), or n: a column of sentences, or (n, dim).
            k, top_k: largest number of hits per query, under either name.
            language: of the queries, if it is not the language of the index.
            copies: whether each copy of a text is a hit of its own; else one hit names the others.
            approximate: search the clusters nearest to a query only. They are learned by the
                first such query, and again after an addition.

        Returns:
            A list of :class:`Hit` for one query, a list of such lists for n. A query that is
            blank, or none of whose words has a vector, finds nothing.

        Raises:
            StsError: ``k`` is below 1, a query is missing (its row is named) or of another length,
                or the model is not the one that the index was built with.
        """
        k = k if top_k is None else top_k
        if k < 1:
            raise StsError(f"k={k}; expected 1 or more")
        given = sentences_or_vectors(queries, "queries")
        if not isinstance(given, np.ndarray):
            vectors = unit(self._model.encoder(language).encode(given))
        elif given.shape[1] == self.dim:
            vectors = unit(given)
        else:
            raise StsError(f"queries of {given.shape[1]} numbers; the index has {self.dim}")
        rows, count = self._snapshot
        found: list[list[Hit]] = [[] for _ in vectors]
        asked = np.flatnonzero(vectors.any(axis=1))
        if len(rows) and len(asked):
            near = nearest(
                vectors[asked],
                rows,
                min(k, len(rows)),
                search=None if approximate is None else self._learn(rows, approximate),
                show_progress=False,
                block=max(len(rows), len(asked)),
            )
            places, cosines = near.places.tolist(), near.cosines.tolist()
            for query, rows_found, scores in zip(asked, places, cosines, strict=True):
                found[query] = self._hits(rows_found, scores, k, count, copies)
        vector = isinstance(given, np.ndarray) and np.ndim(queries) == 1
        return found[0] if isinstance(queries, str) or vector else found

    def _hits(
        self, rows: list[int], cosines: list[float], k: int, count: int, copies: bool
    ) -> list[Hit]:
        """Return the best ``k`` hits of a query from its nearest rows."""
        hits: list[Hit] = []
        for row, cosine in zip(rows, cosines, strict=True):
            if row < 0 or len(hits) >= k:
                break
            text = self._store.text_of(row)
            entries = self._store.entries_of(row, count)
            if copies:
                hits += [Hit(own, cosine, text, (), entry) for entry, own in entries]
            else:
                (first, own), *others = entries
                hits.append(Hit(own, cosine, text, tuple(other for _, other in others), first))
        return hits[:k]

    def _learn(self, rows: Vectors, approximate: Ivf) -> Index:
        """Return the clusters of the rows, learned once."""
        with self._learning:
            kept = self._clusters
            if kept is None or kept[0] is not rows or kept[1] != approximate:
                find = approximate.over(rows)(rows)
                kept = self._clusters = rows, approximate, lambda _: find
            return kept[2]

    def __len__(self) -> int:
        return self._snapshot[1]

    @property
    def distinct(self) -> int:
        """Number of distinct sentences that can be found."""
        return len(self._snapshot[0])

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return int(self._store.settings["dim"])

    @property
    def encoders(self) -> list[SentenceEncoder]:
        """The encoders that were used so far, one per language."""
        return [*self._model.loaded.values()]

    @property
    def settings(self) -> Settings:
        """Model, language, fingerprint and dim, whether texts are kept, and the kind of ids."""
        return self._store.settings | {"ids": self._store.kind_of_ids() or "numbers"}

    def __repr__(self) -> str:
        return f"<SearchIndex of {len(self):,} entries, {self.distinct:,} distinct>"

    def __reduce__(self) -> tuple[Any, ...]:
        if self._store.folder is None:
            raise TypeError("an index in memory cannot be pickled; save it to a folder and load it")
        return SearchIndex.load, (self._store.folder,)


def search(
    queries: Any,
    sentences: Any,
    k: int = 5,
    model: ModelName = DEFAULT,
    *,
    top_k: int | None = None,
    ids: Iterable[Any] | None = None,
    language: str | None = None,
    copies: bool = False,
) -> Any:
    """Find the nearest of some sentences to each query, without keeping an index.

    ``sentences`` are to be searched, or their vectors (n, dim). The other arguments, the hits and
    the errors are those of :meth:`SearchIndex.build` and :meth:`SearchIndex.query`.
    """
    given = sentences_or_vectors(sentences, "sentences")
    if isinstance(given, np.ndarray):
        vectors_too = isinstance(sentences_or_vectors(queries, "queries"), np.ndarray)
        named = None if vectors_too else model
        index = SearchIndex.from_vectors(given, None, named, ids=ids, language=language)
    else:
        index = SearchIndex.build(given, model, ids=ids, language=language)
    return index.query(queries, k, top_k=top_k, copies=copies)


class _Model:
    """The encoder of an index, loaded when it is first needed and checked against it."""

    def __init__(
        self,
        name: ModelName | None,
        language: str | None = None,
        expected: str | None = None,
        dim: int | None = None,
    ) -> None:
        self.name, self.language, self._expected, self._dim = name, language, expected, dim
        self.shown = str(name) if isinstance(name, str | Path) else None
        self.loaded: dict[str | None, SentenceEncoder] = {}
        self._lock = threading.Lock()

    def encoder(self, language: str | None = None) -> SentenceEncoder:
        """Return the encoder of the index, or that of another language in the same model."""
        if self.name is None:
            raise StsError(
                "the index holds vectors and does not know the model that made them; ask it with "
                "vectors, or name the model with --model (model= in Python)"
            )
        wanted = language or self.language
        with self._lock:
            for code in (self.language, wanted):
                if code not in self.loaded:
                    made = self.name
                    if not isinstance(made, SentenceEncoder):
                        made = load_once(made, code)
                    if code == self.language:
                        self._check(made)
                    self.loaded[code] = made
            return self.loaded[wanted]

    def _check(self, encoder: SentenceEncoder) -> None:
        if self._dim not in (None, encoder.dim):
            raise StsError(
                f"vectors of {self._dim} numbers, but {self.shown or 'the encoder'} makes "
                f"{encoder.dim}; name the model that made them with --model (model= in Python)"
            )
        if self._expected not in (None, found := encoder.digest):
            raise StsError(
                f"the index was built with the model of fingerprint {self._expected[:12]}, and "
                f"{self.shown or 'this one'} has {found[:12]}; name that model, or build the "
                "index again"
            )


def _make(
    columns: dict[str, Any],
    model: _Model,
    dim: int,
    folder: str | Path | None,
    overwrite: bool,
    progress: bool,
) -> SearchIndex:
    settings = {
        "model": model.shown,
        "language": model.language,
        "fingerprint": None if model.name is None else model.encoder().digest,
        "dim": dim,
        "texts": columns["sentences"] is not None,
    }
    place = None if folder is None else Path(folder)
    with new_index(place, settings, overwrite=overwrite) as store:
        _add(store, columns, model, progress)
    return SearchIndex(store if place is None else IndexStore(place), model)


def _add(store: IndexStore, columns: dict[str, Any], model: _Model, progress: bool) -> None:
    total = next((len(column) for column in columns.values() if isinstance(column, Sized)), None)

    with store.adding(), Bar("index", "sentences", total, show=progress) as bar:
        for batch in batches(columns):
            store.add(lambda some: model.encoder().encode(some), **batch)
            bar.update(max(map(len, batch.values())))


def _rows_of(vectors: Any) -> Rows:
    """Return vectors in memory or on disk."""
    if isinstance(vectors, RowsOnDisk):
        return vectors
    found = sentences_or_vectors(vectors, "vectors")
    if not isinstance(found, np.ndarray):
        raise StsError("vectors holds sentences; expected (n, dim) numbers")
    return found
