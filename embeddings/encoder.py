"""Sentence encoders: the interface, and the mean of word vectors (eq. 1 of the paper).

Two rules hold for every encoder. A blank sentence has the zero vector. The
similarity with a zero vector is 0, whatever the other vector is.

Short lists of sentences are encoded in plain NumPy. From some thousands on, the
compiled path of :mod:`embeddings.compiled` is used, if the tokenizer has one. Both give
the same numbers, bit for bit.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import islice
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from embeddings.compiled.found_rows import Finder, FoundRows
from embeddings.table import Table, Vectors
from embeddings.tokenizers.protocol import Tokenizer
from embeddings.tokenizers.ragged import Ids, Ragged


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


class SentenceEncoder(ABC):
    """A tokenizer, a table of rows, and some way from rows to a sentence vector.

    Args:
        tokenizer: text to row numbers.
        table: (len(tokenizer), dim of the rows), an array or a
            :class:`~embeddings.table.Table`.

    Raises:
        ValueError: the table does not fit the tokenizer.
    """

    compiled_from = 8192
    """The compiled path is used from this many sentences on; it takes a moment to load."""

    chunk_size = 4096
    """Sentences a thread encodes at once; bounds memory to a few megabytes a thread."""

    parameters: Mapping[str, Vectors] = MappingProxyType({})
    """Parameters of a network over the rows, by name; none for a mean."""

    def __init__(self, tokenizer: Tokenizer, table: Vectors | Table) -> None:
        self.tokenizer = tokenizer
        self.rows = table if isinstance(table, Table) else Table(table)
        if len(self.rows) != len(tokenizer):
            raise ValueError(f"{len(self.rows)} rows do not fit a vocabulary of {len(tokenizer)}")

    @property
    def table(self) -> Vectors:
        """The table as float32 (len(tokenizer), dim)."""
        return self.rows.dense

    @property
    @abstractmethod
    def dim(self) -> int:
        """Length of a sentence vector."""

    def encode(self, sentences: Sequence[str], *, progress: bool = False) -> Vectors:
        """Sentence vectors (n, dim) float32, not normalised, in the order of the sentences.

        Args:
            sentences: any strings; a blank one has the zero vector.
            progress: whether to draw a progress bar on stderr.

        Raises:
            TypeError: one string instead of a list of them.
        """
        if isinstance(sentences, str):
            raise TypeError("encode takes a list of sentences, not one string")
        vectors = np.empty((len(sentences), self.dim), np.float32)
        with tqdm(total=len(sentences), unit=" sentences", disable=not progress) as bar:
            for done in self._encode_into(vectors, sentences):
                bar.update(done)
        return vectors

    @abstractmethod
    def _encode_into(self, vectors: Vectors, sentences: Sequence[str]) -> Iterator[int]:
        """Write every row of ``vectors``; yields how many were written each time."""

    def encode_stream(self, sentences: Iterable[str], *, batch: int = 65536) -> Iterator[Vectors]:
        """Vectors of any number of sentences, ``batch`` sentences at a time."""
        remaining = iter(sentences)
        while chunk := list(islice(remaining, batch)):
            yield self.encode(chunk)

    def similarity(self, a: Sequence[str], b: Sequence[str]) -> Vectors:
        """Cosine of each sentence of ``a`` with each of ``b``: (len(a), len(b)) in [-1, 1]."""
        similarities: Vectors = unit(self.encode(a)) @ unit(self.encode(b)).T
        return np.clip(similarities, -1.0, 1.0)

    def similarity_pairwise(
        self, a: Sequence[str], b: Sequence[str], other: SentenceEncoder | None = None
    ) -> NDArray[np.float64]:
        """Cosine of ``a[i]`` with ``b[i]``: (n,) in [-1, 1].

        ``other`` encodes ``b``, where it is in another language of the same vector space.

        Raises:
            ValueError: the lists differ in length.
        """
        if len(a) != len(b):
            raise ValueError(f"{len(a)} sentences to compare with {len(b)}; pairs need as many")
        if other is None or other is self:
            left, right = self._encode_once(a, b)
        else:
            (left,), (right,) = self._encode_once(a), other._encode_once(b)
        similarities: NDArray[np.float64] = cosine(left, right)
        return similarities

    def _encode_once(self, *sides: Sequence[str]) -> list[NDArray[np.float64]]:
        """Vectors of each side; every distinct sentence is encoded once."""
        row = {s: i for i, s in enumerate(dict.fromkeys(s for side in sides for s in side))}
        vectors = self.encode(list(row)).astype(np.float64)
        return [vectors[[row[s] for s in side]] if side else vectors for side in sides]

    def ids(self, sentences: Sequence[str]) -> Ragged:
        """The row numbers of each sentence."""
        find = self._finder_for(sentences)
        if find is None:
            return Ragged.of([self.tokenizer.ids(sentence) for sentence in sentences])
        chunks = [
            sentences[i : i + self.chunk_size] for i in range(0, len(sentences), self.chunk_size)
        ]
        with ThreadPoolExecutor(threads()) as pool:
            found = list(pool.map(lambda chunk: self._find_rows(find, chunk), chunks))
        counts = np.concatenate([rows.counts for rows in found])
        flat = [_without_gaps(*rows) for rows in found]
        return Ragged(np.concatenate(flat), np.concatenate([[0], np.cumsum(counts)]))

    def _finder_for(self, sentences: Sequence[str]) -> Finder | None:
        """The compiled tokenizer, if there is one and the sentences are many."""
        return self._finder if len(sentences) >= self.compiled_from else None

    @cached_property
    def _finder(self) -> Finder | None:
        """Made once, before the threads use it."""
        from embeddings.compiled.dispatch import finder_for

        return finder_for(self.tokenizer)

    def _find_rows(self, find: Finder, chunk: Sequence[str]) -> FoundRows:
        """Row numbers of a chunk; the plain tokenizer reads what the compiled one leaves out."""
        joined = "".join(chunk).encode("utf-32-le", "surrogatepass")
        offsets = np.zeros(len(chunk) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, chunk), np.int64, len(chunk)), out=offsets[1:])
        ids, begins, counts = find(np.frombuffer(joined, np.uint32), offsets)
        left_over = np.flatnonzero(counts < 0)
        if len(left_over):
            plain = Ragged.of([self.tokenizer.ids(chunk[i]) for i in left_over.tolist()])
            begins[left_over] = len(ids) + plain.offsets[:-1]
            counts[left_over] = plain.lengths
            ids = np.concatenate([ids, plain.flat])
        return FoundRows(ids, begins, counts)


class Encoder(SentenceEncoder):
    """The mean of a sentence's rows; encodes without JAX."""

    @property
    def dim(self) -> int:
        """Length of a sentence vector."""
        return self.rows.dim

    def _encode_into(self, vectors: Vectors, sentences: Sequence[str]) -> Iterator[int]:
        find = self._finder_for(sentences)
        starts = range(0, len(sentences), self.chunk_size)
        if find is None:
            return self._encode_plain(sentences, starts, vectors)
        return self._encode_compiled(find, sentences, starts, vectors)

    def _encode_plain(
        self, sentences: Sequence[str], starts: Iterable[int], vectors: Vectors
    ) -> Iterator[int]:
        for start in starts:
            batch = [self.tokenizer.ids(s) for s in sentences[start : start + self.chunk_size]]
            vectors[start : start + len(batch)] = self._average(batch)
            yield len(batch)

    def _average(self, batch: list[list[int]]) -> Vectors:
        """Mean rows, added up word by word: the order of a sum decides its last bits."""
        flat, offsets = ragged = Ragged.of(batch)
        lengths = ragged.lengths
        longest_first = np.argsort(-lengths, kind="stable")
        sums = np.zeros((len(batch), self.dim), np.float32)
        for place in range(int(lengths.max(initial=0))):
            longer = longest_first[: np.count_nonzero(lengths > place)]
            rows = self.rows.rows(flat[offsets[longer] + place])
            sums[longer] = sums[longer] + rows if place else rows
        return sums / np.maximum(lengths, 1).astype(np.float32)[:, None]

    def _encode_compiled(
        self, find: Finder, sentences: Sequence[str], starts: Iterable[int], vectors: Vectors
    ) -> Iterator[int]:
        from embeddings.compiled.kernels import average_rows

        def work(start: int) -> int:
            chunk = sentences[start : start + self.chunk_size]
            ids, begins, counts = self._find_rows(find, chunk)
            out = vectors[start : start + len(chunk)]
            average_rows(self.rows.values, self.rows.scale, ids, begins, counts, out)
            return len(chunk)

        with ThreadPoolExecutor(threads()) as pool:
            yield from pool.map(work, starts)


def _without_gaps(ids: Ids, begins: NDArray[np.int64], counts: NDArray[np.int64]) -> Ids:
    """Row numbers of a chunk without the gaps between sentences."""
    offsets = np.concatenate([[0], np.cumsum(counts)])
    places = np.arange(offsets[-1]) + np.repeat(begins - offsets[:-1], counts)
    gathered: Ids = ids[places]
    return gathered


def threads() -> int:
    """How many threads can run at once here."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
