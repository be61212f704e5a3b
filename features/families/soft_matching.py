"""Every word against every word of the other sentence, by the vectors of the bundled encoder.

It spells words that it does not know from pieces. Equal words have cosine 1, whatever their vector.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.encoder import unit as unit_rows
from semaniacs.embeddings.tokenizers.row_numbers import Ragged, WordTokenizer
from semaniacs.features.batch import Batch, Column, once, where_empty
from semaniacs.features.families import DCU
from semaniacs.features.measures.word_matching import (
    BERTSCORE,
    HIGHEST_GAP,
    Cosines,
    Covered,
    compare_words,
    cover_words,
    max_pooled_jaccard,
    mean_rows,
)
from semaniacs.features.registry import columnwise

ENCODER = "paragram"  # the encoder whose word vectors are compared


@once
def word_vectors(batch: Batch, view: str) -> NDArray[np.float32]:
    """(v, dim) the vector of each distinct word of a view: the mean of its rows."""
    encoder = batch.resources.encoder(ENCODER)
    assert isinstance(encoder, Encoder)
    vocabulary = encoder.tokenizer
    assert isinstance(vocabulary, WordTokenizer)  # the bundled encoder's is
    rows = Ragged.of([vocabulary.rows_of(word) for word in batch.view(view).words])
    means: NDArray[np.float32] = mean_rows(encoder.rows.rows(rows.flat), rows.offsets)
    return means


@once
def unit_vectors(batch: Batch, view: str) -> NDArray[np.float32]:
    """(v, dim) the vector of each distinct word of a view, scaled to length 1."""
    return unit_rows(word_vectors(batch, view))


@once
def cosines(batch: Batch, view: str) -> Cosines:
    """The cosines of the words of a view, pair by pair."""
    return compare_words(batch.view(view).sequences, batch.pairs, unit_vectors(batch, view))


@once
def covered(batch: Batch, view: str) -> Covered:
    """How well each word of a view is matched: by information, but content words all the same."""
    looked = batch.view(view)
    weights = np.ones(len(looked.words)) if view == "content" else batch.information(view)
    return cover_words(looked.sequences, batch.pairs, weights, cosines(batch, view))


def _unless_empty(batch: Batch, view: str, column: Column) -> Column:
    lengths = batch.view(view).sequences.lengths
    return where_empty(column, *batch.sides(lengths), neither=1.0)


@columnwise("soft_match", "soft", BERTSCORE, low=-1.0)
def soft_match(batch: Batch) -> Column:
    """Mean of both sides' coverage: the best cosine of each word, weighted by information."""
    return _unless_empty(batch, "words", covered(batch, "words").mean)


@columnwise("soft_least", "soft", BERTSCORE, low=-1.0)
def soft_least(batch: Batch) -> Column:
    """Coverage of the side that is covered less."""
    return _unless_empty(batch, "words", covered(batch, "words").least)


@columnwise("soft_content", "soft", BERTSCORE, low=-1.0)
def soft_content(batch: Batch) -> Column:
    """Mean of both sides' coverage over content words, all with the same weight."""
    return _unless_empty(batch, "content", covered(batch, "content").mean)


@columnwise("soft_gap", "soft", "the word that is matched worst, by information", high=HIGHEST_GAP)
def soft_gap(batch: Batch) -> Column:
    """max over all words of information · (1 − best cosine), in nats; 0 if a side is empty."""
    return covered(batch, "words").gap


@columnwise("product_w2v", "w2v", DCU)
def product_w2v(batch: Batch) -> Column:
    """Geometric mean over all content words of the best cosine with a word of the other side.

    The paper names "product" without a definition. We take the product of the best cosines of
    all words, and its root, so that length does not matter. Unlike a sum, it is low as soon as
    one word has no match.
    """
    return _unless_empty(batch, "content", np.exp(covered(batch, "content").logarithm))


@columnwise("dynamax", "soft", "Zhelezniak et al. (2019), 3, DynaMax-Jaccard")
def dynamax(batch: Batch) -> Column:
    """Fuzzy Jaccard of max-pooled word vectors, over the words of both sides."""
    sequences, vectors = batch.view("words").sequences, word_vectors(batch, "words")
    return _unless_empty(batch, "words", max_pooled_jaccard(sequences, batch.pairs, vectors))
