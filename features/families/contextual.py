"""What a transformer says of a pair: likeness of sentences, and of words in their context.

all-MiniLM-L6-v2 (Reimers and Gurevych, 2019), run by our own forward pass in JAX.
A pair costs milliseconds, a thousand times more than all other features, so its row is kept
on disk by the hash of weights and sentences: it is made once, and long work resumes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from embeddings.encoder import cosine, unit
from features.batch import Batch, Column
from features.families.ngrams import information
from features.families.soft_alignment import (
    BERTSCORE,
    HIGHEST_GAP,
    compare_words,
    cover_words,
    max_pooled_jaccard,
)
from features.registry import columnwise
from sts.cache import Cache, key
from sts.cache.rows import RowCache

if TYPE_CHECKING:
    from embeddings.transformer.network import Transformer

MIDDLE = 3
"""Layer whose states still say which word it is, besides the last, which says what is meant."""

PART = 1024
"""Pairs whose rows are computed, and cached, at once."""

_CODE = f"{__name__}:Contextual"

COLUMNS = (
    "minilm", "minilm_tokens", "minilm_least", "minilm_gap", "minilm_dynamax",
    "minilm_middle", "minilm_middle_tokens", "minilm_middle_least", "minilm_middle_gap",
)  # fmt: skip


class Contextual:
    """A transformer and a cache of the rows that it computed before.

    Args:
        transformer: whose states are compared.
        folder: where rows are cached.
    """

    def __init__(self, transformer: Transformer, folder: Path | None = None) -> None:
        self.transformer = transformer
        self.cache = RowCache(
            Cache("contextual", _CODE, folder),
            key(_CODE, inputs=transformer.digest),
            len(COLUMNS),
            np.float32,
            self._make,
            PART,
        )
        self._turn = Lock()  # JAX has threads of its own

    def rows(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """(n, 9) the columns of each pair."""
        with self._turn:  # pairs of like length together: few sentences of a part are padded far
            return self.cache.get(pairs, label="MiniLM", by_length=True)

    def _make(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        number = {text: place for place, text in enumerate(dict.fromkeys(sum(pairs, ())))}
        left, right = (np.array([number[pair[side]] for pair in pairs]) for side in (0, 1))
        last = self.transformer.shape.layers
        ids, layers = self.transformer.layers(list(number), (MIDDLE, last))
        # [CLS] and [SEP] take part in the mean, as they did in training; they are no words.
        middle, final = (np.stack([s.mean(axis=0) for s in states]) for states in layers)
        weights = np.concatenate([self._weights(sequence[1:-1]) for sequence in ids])
        offsets = np.concatenate([[0], np.cumsum([len(sequence) - 2 for sequence in ids])])
        inner = [np.concatenate([s[1:-1] for s in states]) for states in layers]
        return np.stack(
            [
                cosine(final[left], final[right]),
                *_matches(inner[1], offsets, weights, left, right),
                max_pooled_jaccard(np.arange(len(weights)), offsets, left, right, inner[1]),
                cosine(middle[left], middle[right]),
                *_matches(inner[0], offsets, weights, left, right),
            ],
            axis=1,
        )

    def _weights(self, ids: NDArray[np.int32]) -> Column:
        """Information of each token's text, in nats; pieces count as the word they spell alone."""
        texts = [self.transformer.tokenizer.id_to_token(int(i)).removeprefix("##") for i in ids]
        return np.array([information(t) if t.isalnum() else 1.0 for t in texts], np.float64)


def _matches(
    states: NDArray[np.float32],
    offsets: NDArray[np.int64],
    weights: Column,
    left: NDArray[np.int64],
    right: NDArray[np.int64],
) -> tuple[Column, Column, Column]:
    """(n,) mean and least coverage of the sides and the worst gap, by token states."""
    lengths = np.diff(offsets)
    begins = np.concatenate([[0], np.cumsum(lengths[left] * lengths[right])])
    values = np.empty(begins[-1], np.float32)
    tokens = np.arange(len(states))
    compare_words(tokens, offsets, left, right, unit(states), begins, values)
    a, b, gap, _ = cover_words(tokens, offsets, left, right, weights, values, begins[:-1]).T
    return (a + b) / 2, np.minimum(a, b), gap


MINILM = "Reimers and Gurevych (2019), 3; mean of token states"


def _register(name: str, about: str, source: str, low: float, high: float) -> None:
    place = COLUMNS.index(name)

    def column(batch: Batch) -> Column:
        rows: NDArray[np.float32] = batch.once("contextual", lambda: _rows(batch))
        return rows[:, place].astype(np.float64)

    column.__doc__ = about
    columnwise(name, "contextual", source, low=low, high=high, needs=("minilm",))(column)


def _rows(batch: Batch) -> NDArray[np.float32]:
    contextual: Contextual = batch.resources.minilm
    pairs = [(a.text, b.text) for a, b in zip(batch.left, batch.right, strict=True)]
    return contextual.rows(pairs)


_register("minilm", "Cosine of the sentence vectors.", MINILM, -1.0, 1.0)
for _layer, _which in (("", "last"), ("_middle", "third")):
    _of = f"of the {_which} layer's token states"
    _register(f"minilm{_layer}_tokens", f"Mean of both sides' coverage {_of}.", BERTSCORE, -1, 1)
    _register(f"minilm{_layer}_least", f"The lesser coverage {_of}.", BERTSCORE, -1, 1)
    _register(f"minilm{_layer}_gap", f"max information · (1 − best cosine) {_of}.",
              BERTSCORE, 0, HIGHEST_GAP)  # fmt: skip
_register("minilm_dynamax", "DynaMax-Jaccard of the last layer's token states.",
          "Zhelezniak et al. (2019), 3", 0, 1)  # fmt: skip
_register("minilm_middle", "Cosine of the means of the third layer.", MINILM, -1.0, 1.0)
