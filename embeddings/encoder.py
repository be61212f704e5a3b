"""Sentence encoders: the interface, and the mean of word vectors (eq. 1 of the paper).

A blank sentence has the zero vector, whose similarity with any vector is 0. Short lists of
sentences are encoded in plain NumPy. From some thousands on, the compiled path of
:mod:`semaniacs.embeddings.compiled` is used, if the tokenizer has one, with the same bits.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.formats.other_names import other_options
from semaniacs.embeddings.table import Table, Vectors
from semaniacs.embeddings.tokenizers.row_numbers import (
    Ragged,
    Tokenizer,
    Utf8Sentences,
    WordTokenizer,
    utf8_of,
)
from semaniacs.sts.data.pairs import sentences_of, sentences_or_vectors
from semaniacs.sts.errors import StsError
from semaniacs.sts.files import sha256_of_bytes
from semaniacs.sts.progress import Bar
from semaniacs.sts.text.normalisation import normalise_all


def cosine(a: Any, b: Any) -> Any:
    """Row-wise cosine (n,) of two (n, dim) numpy arrays; 0 where either row is zero."""
    dots = np.einsum("nd,nd->n", a, b)
    norms = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    cosines = np.divide(dots, norms, out=np.zeros_like(dots), where=norms > 0)
    return np.clip(cosines, -1.0, 1.0)


def unit(vectors: Vectors) -> Vectors:
    """Rows (n, dim) scaled to length 1; zero rows stay zero."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Vectors = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    return scaled


def _check_same_length(a: Any, b: Any) -> None:
    if a.shape[1] != b.shape[1]:
        raise StsError(
            f"vectors of {a.shape[1]} numbers cannot be compared with vectors of {b.shape[1]}; "
            "encode both with one model and one truncate_dim"
        )


class SentenceEncoder(ABC):
    """A tokenizer, a table of rows, and some way from rows to a sentence vector.

    Args:
        tokenizer: text to row numbers.
        table: (len(tokenizer), dim of the rows), an array or a
            :class:`~semaniacs.embeddings.table.Table`.

    Raises:
        ValueError: the table does not fit the tokenizer.
    """

    compiled_from = 8192
    """The compiled path is used from this many sentences on; it takes a moment to load."""

    chunk_size = 4096
    """Sentences that a thread encodes at once; bounds memory to a few megabytes per thread."""

    limit: float | None = None
    """Largest number of a vector; larger ones are clipped, see :class:`Encoder`."""

    source: str | None = None
    """Name, file or folder that it was loaded from."""

    save_pretrained: ClassVar[Callable[..., None]]
    """Set by :mod:`.loading`: the formats are made of encoders, which cannot import them."""

    is_network = False
    """A network shows progress and scales the vectors that it cuts, by default."""

    parameters: Mapping[str, Vectors] = MappingProxyType({})
    """Parameters of a network over the rows, by name; none for a mean."""

    def __init__(self, tokenizer: Tokenizer, table: Vectors | Table) -> None:
        self.tokenizer = tokenizer
        self.rows = table if isinstance(table, Table) else Table(table)
        if len(self.rows) != len(tokenizer):
            raise ValueError(f"{len(self.rows)} rows do not fit a vocabulary of {len(tokenizer)}")

    def __repr__(self) -> str:
        source = f" {self.source!r}" if self.source else ""
        rows = f", {len(self.rows):,} rows" if hasattr(self, "rows") else ""
        return f"<{type(self).__name__}{source}, {self.dim} dimensions{rows}>"

    @property
    def table(self) -> Vectors:
        """The table as float32 (len(tokenizer), dim)."""
        return self.rows.dense

    @property
    @abstractmethod
    def dim(self) -> int:
        """Length of a sentence vector."""

    def get_sentence_embedding_dimension(self) -> int:
        """Return the length of a sentence vector."""
        return self.dim

    get_embedding_dimension = get_sentence_embedding_dimension

    def encode(
        self,
        sentences: str | Iterable[Any],
        *,
        normalize: bool | None = None,
        truncate_dim: int | None = None,
        batch_size: int | None = None,
        progress: bool | None = None,
        label: str = "vectors",
        **others: Any,
    ) -> Vectors:
        """Sentence vectors in the order of the sentences.

        Args:
            sentences: a string, or n of them: a list, a generator, a NumPy array, a column of
                pandas, polars or Arrow. A blank one has the zero vector. Of a column of Arrow
                (pyarrow, or pandas over it) the bytes are read: that is the quickest.
            normalize: scale every vector to length 1; a zero vector stays zero. By default a
                transformer scales the vectors that it cuts, and other encoders none.
            truncate_dim: keep this many of the first numbers of a vector, before it is scaled.
            batch_size: as in sentence-transformers, but without effect: memory and speed do not
                depend on it here, nor does any bit of a vector.
            progress: whether to draw a progress bar with this ``label`` on stderr; a transformer
                does by default.
            **others: the names of sentence-transformers, such as ``normalize_embeddings``.

        Returns (n, dim) float32, or (dim,) for one string. Raises an StsError for a value that is
        missing or no string (it names the row), or an option that is out of its range.
        """
        scale, progress = other_options(others, normalize, progress)
        scale = self.is_network and truncate_dim is not None if scale is None else scale
        progress = self.is_network if progress is None else progress
        if truncate_dim is not None and not 1 <= truncate_dim <= self.dim:
            raise StsError(f"truncate_dim={truncate_dim}; expected 1 to {self.dim}")
        if batch_size is not None and batch_size < 1:
            raise StsError(f"batch_size={batch_size}; expected 1 or more")
        texts = self._read([str(sentences)] if isinstance(sentences, str) else sentences)
        vectors = np.zeros((len(texts), self.dim), np.float32)
        with Bar(label, "sentences", len(texts), show=progress) as bar:
            for count in self._encode_into(vectors, texts):
                bar.update(count)
        vectors = np.ascontiguousarray(vectors[:, :truncate_dim])
        vectors = unit(vectors) if scale else vectors
        return vectors[0] if isinstance(sentences, str) else vectors

    def encode_query(self, sentences: str | Iterable[Any], **options: Any) -> Vectors:
        """Same as :meth:`encode`: queries and documents are encoded alike."""
        return self.encode(sentences, **options)

    encode_document = encode_query

    def _read(self, given: Any) -> Sequence[str]:
        """Return the sentences of a column in their one form."""
        column = Utf8Sentences.of_column(given)
        return normalise_all(sentences_of(given) if column is None else column)

    @abstractmethod
    def _encode_into(self, vectors: Vectors, sentences: Sequence[str]) -> Iterator[int]:
        """Write the rows of ``vectors``, which are zero; yields how many were written each time."""

    def encode_file(self, path: str | Path, **options: Any) -> Vectors:
        """Vectors (lines, dim) of the lines of a UTF-8 file, which may be gzipped (``.gz``).

        It does without a Python string of each line; the options are those of :meth:`encode`. Raises
        a DataError, which names the line, if the file is missing, empty, damaged or not UTF-8.
        """
        from semaniacs.embeddings.formats.lines import read_utf8

        return self.encode(read_utf8(str(path)), **options)

    def similarity(self, a: Any, b: Any) -> Vectors:
        """Cosine of each of ``a`` with each of ``b``: (len(a), len(b)) float32 in [-1, 1].

        They are sentences as for :meth:`encode`, or vectors (n, dim); one string or vector (dim,)
        counts as a list of one. A zero vector has cosine 0 with all. Raises an StsError for other
        values, or vectors of another length.
        """
        left, right = (
            side if isinstance(side, np.ndarray) else self.encode(side)
            for side in (sentences_or_vectors(a, "a"), sentences_or_vectors(b, "b"))
        )
        _check_same_length(left, right)
        similarities: Vectors = unit(left) @ unit(right).T
        return np.clip(similarities, -1.0, 1.0)

    def similarity_pairwise(
        self, a: Any, b: Any, other: SentenceEncoder | None = None
    ) -> NDArray[np.float64]:
        """Cosine of ``a[i]`` with ``b[i]``: (n,) float64 in [-1, 1].

        Both are as for :meth:`similarity`; ``other`` encodes ``b``, where it is in another language of
        the same vector space. Raises a ValueError if they differ in number, and as :meth:`similarity`.
        """
        one, two = sentences_or_vectors(a, "a"), sentences_or_vectors(b, "b")
        if len(one) != len(two):
            raise ValueError(f"{len(one)} sentences to compare with {len(two)}; pairs need as many")
        if other is None or other is self:
            left, right = self._encode_once(one, two)
        else:
            (left,), (right,) = self._encode_once(one), other._encode_once(two)
        _check_same_length(left, right)
        similarities: NDArray[np.float64] = cosine(left, right)
        return similarities

    def _encode_once(self, *sides: Sequence[str] | Vectors) -> list[NDArray[np.float64]]:
        """Vectors of each side; every distinct sentence is encoded once."""
        given = [side for side in sides if not isinstance(side, np.ndarray)]
        row = {s: i for i, s in enumerate(dict.fromkeys(s for side in given for s in side))}
        vectors = self.encode(list(row)).astype(np.float64)
        return [
            side.astype(np.float64)
            if isinstance(side, np.ndarray)
            else vectors[np.array([row[s] for s in side], int)]
            for side in sides
        ]

    @cached_property
    def digest(self) -> str:
        """Hash of the tokenizer, the limit, the parameters of a network and the numbers of the table.

        int8 or float32 makes no difference. The table must not be changed in place.
        """
        digest = sha256(self.tokenizer.identity().encode())
        if self.limit is not None:
            digest.update(f"limit {self.limit!r}".encode())
        for name, value in self.parameters.items():
            digest.update((name + sha256_of_bytes(value.tobytes())).encode())
        for block in self.rows.blocks():
            digest.update(block.tobytes())
        return digest.hexdigest()

    def ids(self, sentences: Sequence[str]) -> Ragged:
        """Return the row numbers of each sentence in its one form."""
        sentences = normalise_all(sentences)
        if len(sentences) < self.compiled_from:
            return self.tokenizer.ids_of_many(sentences)
        _ = self._finder  # made once, before the threads use it
        starts = range(0, len(sentences), self.chunk_size)
        with ThreadPoolExecutor(threads()) as pool:
            found = pool.map(partial(self._ids_of_chunk, sentences), starts)
            return Ragged.joined([Ragged.of([]), *(ids for ids, _ in found)])

    def _ids_of_chunk(self, sentences: Sequence[str], start: int) -> tuple[Ragged, list[int]]:
        """Return the row numbers of :attr:`chunk_size` sentences, and which may have another form."""
        end = start + self.chunk_size
        if self._finder is None:
            return self.tokenizer.ids_of_many(sentences[start:end]), []
        return self._finder(utf8_of(sentences, start, end))

    @cached_property
    def _finder(self) -> Callable[[Utf8Sentences], tuple[Ragged, list[int]]] | None:
        """The compiled tokenizer of words, made once; None for the other tokenizers."""
        if not isinstance(self.tokenizer, WordTokenizer):
            return None
        from semaniacs.embeddings.compiled.word_finder import WordFinder  # it imports Numba

        return WordFinder(self.tokenizer)


class Encoder(SentenceEncoder):
    """The mean of a sentence's rows; encodes without JAX.

    Args:
        tokenizer, table: see :class:`SentenceEncoder`.
        limit: each number of a mean is cut to ± this, a hard tanh (Collobert, 2004, 2.3.4): a
            few strong words then do not drown the others. It costs no time. A table is trained
            with it, or without.
    """

    def __init__(
        self, tokenizer: Tokenizer, table: Vectors | Table, limit: float | None = None
    ) -> None:
        super().__init__(tokenizer, table)
        self.limit = limit

    def with_table(self, table: Vectors | Table) -> Encoder:
        """Return this encoder over other rows."""
        return Encoder(self.tokenizer, table, self.limit)

    @property
    def dim(self) -> int:
        """Length of a sentence vector."""
        return self.rows.dim

    def _read(self, given: Any) -> Sequence[str]:
        """Return few sentences in their one form; many as they are: what encodes them sees to it."""
        column = given if type(given) is list else Utf8Sentences.of_column(given)
        if column is None or len(column) < self.compiled_from or self._finder is None:
            return super()._read(given)
        return column

    def _encode_into(self, vectors: Vectors, sentences: Sequence[str]) -> Iterator[int]:
        starts = range(0, len(sentences), self.chunk_size)
        if len(sentences) < self.compiled_from:
            for start in starts:
                part = slice(start, start + self.chunk_size)
                ids = self.tokenizer.ids_of_many(sentences[part])
                vectors[part] = self.rows.means(ids, self.limit)
                yield len(vectors[part])
            return
        from semaniacs.embeddings.compiled.mean_rows import average_rows  # it imports Numba

        _ = self._finder  # made once, before the threads use it

        def work(start: int) -> tuple[int, list[int]]:
            out = vectors[start : start + self.chunk_size]
            ids, doubtful = self._ids_of_chunk(sentences, start)
            average_rows(self.rows.values, self.rows.scale, ids, out, self.limit)
            return len(out), [start + place for place in doubtful]

        doubtful: list[int] = []
        with ThreadPoolExecutor(threads()) as pool:
            for count, found in pool.map(work, starts):
                doubtful += found
                yield count
        given = [sentences[place] for place in doubtful]
        forms = zip(doubtful, given, normalise_all(given), strict=True)
        changed = {place: new for place, old, new in forms if new != old}
        if changed and self._finder is not None:
            ids, _ = self._finder(utf8_of([*changed.values()], 0, len(changed)))
            vectors[[*changed]] = self.rows.means(ids, self.limit)


def threads() -> int:
    """Return the number of threads that can run at once here."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
