"""The contextual columns of pairs: by a sentence encoder, and by a network that reads both sentences.

Each reads a sentence once. A pair costs milliseconds, ten times more than all other features. So its
row is cached on disk under the hash of the weights and the sentences: it is computed once, and long
work resumes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.compiled import few
from semaniacs.embeddings.encoder import cosine, unit
from semaniacs.embeddings.tokenizers.row_numbers import Ragged
from semaniacs.features.measures.word_matching import compare_words, cover_words, max_pooled_jaccard
from semaniacs.sts.cache import Cache, RowCache, key
from semaniacs.sts.text.analysis import information

if TYPE_CHECKING:
    from semaniacs.embeddings.transformer.fine_tuning.reader import Reader
    from semaniacs.embeddings.transformer.transformer_encoder import Transformer

PART = 1024  # pairs whose rows are computed, and cached, at once

VERSION = 4  # part of the cache keys: raise it when the same weights give other columns

LIBRARIES = ("numba", "numpy")  # part of the cache keys, with their versions

READ_FROM = 0.8
"""Cosine of two sentences from which they are also read together: of labelled pairs that mean the same,
one in 500 is below. Unrelated pairs are hardly ever read, which saves a third of their time."""

WIDTH = 10  # columns of a pair; :mod:`semaniacs.features.families.vectors` has their names


class Contextual:
    """A sentence encoder, a reader of pairs, and a cache of the rows that they computed before.

    The states after the layers in the middle still say which word it is; the last ones say what is
    meant.
    """

    def __init__(self, encoder: Transformer, reader: Reader, folder: Path | None = None) -> None:
        self.encoder, self.reader, self.folder = encoder, reader, folder
        self._turn = Lock()  # it shares a part among threads of its own

    @cached_property
    def cache(self) -> RowCache:
        """Rows on disk. Its key hashes all weights, so a few pairs do without."""
        inputs = [self.encoder.digest, self.reader.digest]
        return RowCache(
            Cache("contextual", f"{__name__}:Contextual", self.folder),
            key(VERSION, LIBRARIES, inputs=inputs, configuration="columns"),
            WIDTH,
            np.float32,
            self._make,
            PART,
        )

    def rows(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """(n, 10) the columns of each pair."""
        if few():  # other last digits, which are not to be kept
            return self._make(pairs).astype(np.float32)
        with self._turn:  # pairs of like length together: few sentences of a part are padded far
            return self.cache.get(pairs, label="reading pairs", by_length=True)

    def _make(self, pairs: Sequence[tuple[str, ...]]) -> NDArray[np.float64]:
        number = {text: place for place, text in enumerate(dict.fromkeys(sum(pairs, ())))}
        left, right = (np.array([number[pair[side]] for pair in pairs]) for side in (0, 1))
        last = self.encoder.shape.layers
        ids, layers = self.encoder.layers(list(number), (self.reader.first, last))
        # [CLS] and [SEP] take part in the mean, as they did in training; they are no words.
        middle, final = (np.stack([s.mean(axis=0) for s in states]) for states in layers)
        weights = np.concatenate([self._weights(sequence[1:-1]) for sequence in ids])
        offsets = np.concatenate([[0], np.cumsum([len(sequence) - 2 for sequence in ids])])
        inner = [np.concatenate([s[1:-1] for s in states]) for states in layers]
        tokens = Ragged(np.arange(len(weights), dtype=np.int32), offsets)

        def coverage(states: NDArray[np.float32]) -> tuple[NDArray[np.float64], ...]:
            cosines = compare_words(tokens, (left, right), unit(states))
            covered = cover_words(tokens, (left, right), weights, cosines)
            return covered.mean, covered.least, covered.gap

        alike = cosine(final[left], final[right])
        return np.stack(
            [
                alike,
                *coverage(inner[1]),
                max_pooled_jaccard(tokens, (left, right), inner[1]),
                cosine(middle[left], middle[right]),
                *coverage(inner[0]),
                self._read(pairs, alike >= READ_FROM),
            ],
            axis=1,
        )

    def _read(
        self, pairs: Sequence[tuple[str, ...]], near: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Return the chance that two sentences mean the same, 0 for those that are not near."""
        chances = np.zeros(len(pairs))
        chosen = [pair for pair, read in zip(pairs, near, strict=True) if read]
        if chosen:
            chances[near] = self.reader.compare(chosen)
        return chances

    def _weights(self, ids: NDArray[np.int32]) -> NDArray[np.float64]:
        """Information of each token's text, in nats; pieces count as the word they spell alone."""
        texts = [self.encoder.tokenizer.id_to_token(int(i)).removeprefix("##") for i in ids]
        return np.array([information(t) if t.isalnum() else 1.0 for t in texts], np.float64)
