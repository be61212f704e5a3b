"""Similarity of summed vectors: Paragram encoders, word spaces, latent semantic analysis."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from embeddings.compiled.kernel import interpreting
from embeddings.encoder import Encoder, unit
from embeddings.tokenizers.ragged import Ids, Ragged
from embeddings.tokenizers.words import WordTokenizer
from features.batch import Batch, Column, once
from features.families import DCU, TAKELAB
from features.measures.counts import bags_of
from features.measures.formulas import where_empty
from features.measures.sums import pair_cosines, sums
from features.registry import columnwise

Vectors = NDArray[np.float32]

# Encoders: the mean of the vectors of a sentence's words


def encoded(batch: Batch, encoder: Encoder) -> Vectors:
    """(s, dim) the vector of each distinct sentence, as the encoder itself has it."""
    if not isinstance(encoder.tokenizer, WordTokenizer):  # it has a tokenizer of its own
        return encoder.encode([sentence.text for sentence in batch.sentences])
    used, sentences = sentence_rows(batch, encoder.tokenizer)
    rows = encoder.rows.part(used)
    if interpreting():
        return rows.means(sentences, encoder.limit)
    from embeddings.compiled.mean_rows import average_rows

    vectors = np.empty((len(batch.sentences), encoder.dim), np.float32)
    average_rows(rows.values, rows.scale, sentences, vectors, encoder.limit)
    return vectors


def sentence_rows(batch: Batch, vocabulary: WordTokenizer) -> tuple[Ids, Ragged]:
    """The rows that occur, and for each distinct sentence the places of its words' rows in them.

    Tuned encoders share those of their start.
    """
    key = "rows", vocabulary.known, vocabulary.buckets
    return batch.once(key, lambda: _sentence_rows(batch, vocabulary))


def _sentence_rows(batch: Batch, vocabulary: WordTokenizer) -> tuple[Ids, Ragged]:
    view = batch.view("words")
    rows = Ragged.of([vocabulary.rows_of(word) for word in view.words])
    used, places = np.unique(rows.flat, return_inverse=True)
    spelled = Ragged(places.astype(np.int32), rows.offsets).take(
        view.sequences.flat.astype(np.int64)
    )
    return used.astype(np.int32), Ragged(spelled.flat, spelled.offsets[view.sequences.offsets])


def _register_encoder(name: str, source: str) -> None:
    @columnwise(name, "paragram", source, low=-1.0, needs=(name,))
    def column(batch: Batch) -> Column:
        return pair_cosines(batch, encoded(batch, batch.resources.encoder(name)))


for _name in ("paraphrase1", "paraphrase2"):  # task-internal and synthetic, Table 4
    _register_encoder(_name, DCU)
for _name in ("paragram", "paragram-small"):
    _register_encoder(_name, "Wieting et al. (2016), 3, on vectors of our own")


# Word spaces: a vector a word


class Looked(NamedTuple):
    """The words of a view, looked up in a word space.

    Attributes:
        vectors: (v, dim); zeros for words that the space does not know.
        known: (v,) whether it does.
    """

    vectors: Vectors
    known: NDArray[np.bool_]


@once
def look_up(batch: Batch, view: str, space: str) -> Looked:
    """The vectors of the distinct words of a view."""
    vectors = batch.resources.spaces[space]
    words = batch.view(view).words
    row_of = vectors.tokenizer.rows
    rows = np.fromiter((row_of.get(word, -1) for word in words), np.int32, len(words))
    known = rows >= 0
    found = np.zeros((len(words), vectors.dim), np.float32)
    found[known] = vectors.rows.rows(rows[known])
    return Looked(found, known)


def unit_sums(batch: Batch, view: str, space: str, weighted: bool) -> Column:
    """(s, dim) sums of vectors of length 1: by information, or of each distinct word once."""
    vectors = unit(look_up(batch, view, space).vectors.astype(np.float64)).astype(np.float32)
    weights = batch.information(view) if weighted else np.ones(len(vectors))
    return sums(batch, view, vectors, weights, once=not weighted)


def _register_lsa(name: str, number: int, space: str, view: str, weighted: bool) -> None:
    """|cos| of the weighted sums of unit LSA vectors (TakeLab, 2.4)."""

    @columnwise(name, "lsa", f"{TAKELAB} f{number}", needs=(space,))
    def column(batch: Batch) -> Column:
        return np.abs(pair_cosines(batch, unit_sums(batch, view, space, weighted)))


# TakeLab's spaces were learned from the New York Times and from Wikipedia. Ours
# come from news and from everyday text, see features/word_spaces/lsa.py.
_register_lsa("dist_sim", 17, "lsa-news", "lemmas", weighted=False)
_register_lsa("weighted_dist_sim_news", 18, "lsa-news", "content", weighted=True)
_register_lsa("weighted_dist_sim_daily", 19, "lsa-daily", "content", weighted=True)


@columnwise("word2vec", "w2v", "Mikolov et al. (2013), summed by information", low=-1.0,
            needs=("word2vec",))  # fmt: skip
def word2vec(batch: Batch) -> Column:
    """Cosine of the information-weighted sums of the vectors of word_spaces/word2vec_space.py."""
    return pair_cosines(batch, unit_sums(batch, "words", "word2vec", weighted=True))


def _register_summed(name: str, view: str) -> None:
    """Cosine of the summed word vectors; 1 if neither side has words, 0 if one has none."""

    @columnwise(name, "w2v", DCU, low=-1.0, needs=("w2v",))
    def column(batch: Batch) -> Column:
        vectors, known = look_up(batch, view, "w2v")
        cosines = pair_cosines(batch, sums(batch, view, vectors, np.ones(len(known)), once=False))
        sizes = bags_of(batch, view, 1).totals(known.astype(np.float64))
        return where_empty(cosines, *batch.sides(sizes), neither=1.0)


_register_summed("nn_w2v", "nouns")
_register_summed("vb_w2v", "verbs")
_register_summed("sum_w2v", "content")
