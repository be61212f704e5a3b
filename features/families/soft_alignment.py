"""Every word of one side against every word of the other: soft alignment by word vectors.

Words are compared by the cosine of their vectors in the bundled encoder, which
spells words that it does not know from pieces; equal words always have cosine 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from embeddings.encoder import Encoder
from embeddings.encoder import unit as unit_rows
from embeddings.tokenizers.ragged import Ragged
from embeddings.tokenizers.words import WordTokenizer
from features.batch import Batch, Column
from features.families import DCU
from features.measures.word_matching import (
    BERTSCORE,
    HIGHEST_GAP,
    compare_words,
    cover_words,
    max_pooled_jaccard,
    mean_rows,
)
from features.registry import columnwise

ENCODER = "paragram"
"""The encoder whose word vectors are compared."""


class Cosines(NamedTuple):
    """The (left words, right words) matrix of each pair, row by row, end to end.

    Attributes:
        values: float32 in [-1, 1].
        begins: (n,) where each pair's matrix begins.
    """

    values: NDArray[np.float32]
    begins: NDArray[np.int64]


def word_vectors(batch: Batch, view: str) -> NDArray[np.float32]:
    """(v, dim) the vector of each distinct word of a view: the mean of its rows."""

    def make() -> NDArray[np.float32]:
        encoder: Encoder = batch.resources.encoder(ENCODER)
        vocabulary = encoder.tokenizer
        assert isinstance(vocabulary, WordTokenizer)  # the bundled encoder's is
        rows = Ragged.of([vocabulary.rows_of(word) for word in batch.view(view).words])
        means: NDArray[np.float32] = mean_rows(encoder.rows.rows(rows.flat), rows.offsets)
        return means

    return batch.once(("word vectors", view), make)


def unit_vectors(batch: Batch, view: str) -> NDArray[np.float32]:
    """The same, brought to length 1."""
    return batch.once(("unit vectors", view), lambda: unit_rows(word_vectors(batch, view)))


def cosines(batch: Batch, view: str) -> Cosines:
    """The cosines of the words of a view, pair by pair."""
    return batch.once(("cosines", view), lambda: _cosines(batch, view))


def _cosines(batch: Batch, view: str) -> Cosines:
    sequences = batch.view(view).sequences
    left, right = batch.pairs
    sizes = sequences.lengths[left] * sequences.lengths[right]
    begins = np.concatenate([[0], np.cumsum(sizes)])
    values = np.empty(begins[-1], np.float32)
    vectors = unit_vectors(batch, view)
    compare_words(*sequences, left, right, vectors, begins, values)
    return Cosines(values, begins[:-1])


class Covered(NamedTuple):
    """(n,) each: mean best cosine of the words of a side, weighted, and the worst gap."""

    left: Column
    right: Column
    gap: Column
    logarithm: Column


def covered(batch: Batch, view: str, weighted: bool) -> Covered:
    """How well each word is matched by its best counterpart (0 if a side has no words)."""

    def make() -> Covered:
        sequences = batch.view(view).sequences
        weights = batch.information(view) if weighted else np.ones(len(batch.view(view).words))
        return Covered(*cover_words(*sequences, *batch.pairs, weights, *cosines(batch, view)).T)

    return batch.once(("covered", view, weighted), make)


def _empty(batch: Batch, view: str, column: Column, both: float = 1.0) -> Column:
    """``both`` where neither side has words, 0 where one has none."""
    lengths = batch.view(view).sequences.lengths
    left, right = (lengths[side] for side in batch.pairs)
    column = np.where((left == 0) & (right == 0), both, column)
    return np.where((left == 0) != (right == 0), 0.0, column)


@columnwise("soft_match", "soft", BERTSCORE, low=-1.0)
def soft_match(batch: Batch) -> Column:
    """Mean of both sides' coverage: the best cosine of each word, weighted by information."""
    found = covered(batch, "words", weighted=True)
    return _empty(batch, "words", (found.left + found.right) / 2)


@columnwise("soft_least", "soft", BERTSCORE, low=-1.0)
def soft_least(batch: Batch) -> Column:
    """Coverage of the side that is covered less."""
    found = covered(batch, "words", weighted=True)
    return _empty(batch, "words", np.minimum(found.left, found.right))


@columnwise("soft_content", "soft", BERTSCORE, low=-1.0)
def soft_content(batch: Batch) -> Column:
    """Mean of both sides' coverage over content words, all weighing the same."""
    found = covered(batch, "content", weighted=False)
    return _empty(batch, "content", (found.left + found.right) / 2)


@columnwise("soft_gap", "soft", "the word that is matched worst, by information", high=HIGHEST_GAP)
def soft_gap(batch: Batch) -> Column:
    """max over all words of information · (1 − best cosine), in nats; 0 if a side is empty."""
    return covered(batch, "words", weighted=True).gap


@columnwise("product_w2v", "w2v", DCU)
def product_w2v(batch: Batch) -> Column:
    """Geometric mean over all content words of the best cosine with a word of the other side.

    The paper names "product" and does not define it; this is our reading: the
    product of the words' best matches, with a root so that length does not
    matter. One word without a match weighs heavily, which a sum would hide.
    """
    product = np.exp(covered(batch, "content", weighted=False).logarithm)
    return _empty(batch, "content", product)


@columnwise("dynamax", "soft", "Zhelezniak et al. (2019), 3, DynaMax-Jaccard")
def dynamax(batch: Batch) -> Column:
    """Fuzzy Jaccard of max-pooled word vectors, the words of the pair being the universe.

    A sentence's membership of each word u of either side is the highest dot
    product of one of its words with u, or 0; Σ min over Σ max of memberships.
    """
    view = batch.view("words")
    vectors = word_vectors(batch, "words")
    column: Column = max_pooled_jaccard(*view.sequences, *batch.pairs, vectors)
    return _empty(batch, "words", column)
