"""Similarity of sentence vectors: Paragram encoders, word spaces, LSA, uSIF and a transformer.

The transformer is all-MiniLM-L6-v2 (Reimers and Gurevych, 2019), run by our own forward pass. For
the ``minilm_tuned`` columns it was trained on graded pairs, for ``minilm_cross`` to read both
sentences together.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from embeddings.compiled.kernel import interpreting
from embeddings.encoder import Encoder, unit
from embeddings.tokenizers.ragged import Ids, Ragged
from embeddings.tokenizers.words import WordTokenizer
from features.batch import Batch, Column, once
from features.families import DCU, TAKELAB
from features.families.word_alignment import unit_vectors
from features.measures.contextual_rows import COLUMNS, Contextual
from features.measures.counts import bags_of
from features.measures.formulas import information, where_empty
from features.measures.sums import pair_cosines, sums
from features.measures.word_matching import BERTSCORE, HIGHEST_GAP
from features.registry import columnwise
from features.resources import PRETRAINED
from sts.tensors import read_tensors

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
    """Register |cos| of the weighted sums of unit LSA vectors (TakeLab, 2.4)."""

    @columnwise(name, "lsa", f"{TAKELAB} f{number}", needs=(space,))
    def column(batch: Batch) -> Column:
        return np.abs(pair_cosines(batch, unit_sums(batch, view, space, weighted)))


# TakeLab's spaces were learned from the New York Times and from Wikipedia. Ours
# come from news and from everyday text, see features/word_spaces/lsa.py.
_register_lsa("dist_sim", 17, "lsa-news", "lemmas", weighted=False)
_register_lsa("weighted_dist_sim_news", 18, "lsa-news", "content", weighted=True)
_register_lsa("weighted_dist_sim_daily", 19, "lsa-daily", "content", weighted=True)


@columnwise(
    "word2vec", "w2v", "Mikolov et al. (2013), summed by information", low=-1.0, needs=("word2vec",)
)
def word2vec(batch: Batch) -> Column:
    """Cosine of the information-weighted sums of the vectors of word_spaces/word2vec_space.py."""
    return pair_cosines(batch, unit_sums(batch, "words", "word2vec", weighted=True))


def _register_summed(name: str, view: str) -> None:
    """Register the cosine of the summed word vectors; 1 if neither side has any, 0 if one has none."""

    @columnwise(name, "w2v", DCU, low=-1.0, needs=("w2v",))
    def column(batch: Batch) -> Column:
        vectors, known = look_up(batch, view, "w2v")
        cosines = pair_cosines(batch, sums(batch, view, vectors, np.ones(len(known)), once=False))
        sizes = bags_of(batch, view, 1).totals(known.astype(np.float64))
        return where_empty(cosines, *batch.sides(sizes), neither=1.0)


_register_summed("nn_w2v", "nouns")
_register_summed("vb_w2v", "verbs")
_register_summed("sum_w2v", "content")


PATH = PRETRAINED / "usif.safetensors"
SOURCE = "Ethayarajh (2018), 4"


@dataclass(frozen=True)
class Usif:
    """A fitted uSIF transform.

    Attributes:
        a: the smoothing of the weights a / (a/2 + p(word)).
        directions: (m, dim) unit vectors; shares: (m,) how much of each is taken away.
    """

    a: float
    directions: NDArray[np.float32]
    shares: NDArray[np.float32]

    def weight(self, word: str) -> float:
        """The weight of a word, from its frequency."""
        return self.a / (self.a / 2 + math.exp(-information(word)))

    def without_common(self, means: Column) -> Column:
        """Sentence vectors (s, dim) without the common directions."""
        # Not by products of matrices: those are added up by how many sentences there are.
        along = np.einsum("sd,md->sm", means, self.directions) * self.shares
        left: Column = means - np.einsum("sm,md->sd", along, self.directions)
        return left


@cache
def fitted() -> Usif:
    """The transform that ships."""
    tensors, _ = read_tensors(PATH, ("a", "directions", "shares"))
    return Usif(float(tensors["a"][0]), tensors["directions"], tensors["shares"])


def means(batch: Batch, usif: Usif) -> Column:
    """(s, dim) the weighted sums of the unit word vectors of each distinct sentence."""
    weights = batch.view("words").weigh(usif.weight)
    return sums(batch, "words", unit_vectors(batch, "words"), weights, once=False)


@columnwise("usif", "paragram", SOURCE, low=-1.0)
def usif(batch: Batch) -> Column:
    """Cosine of the uSIF vectors over the bundled word vectors; 0 if a side has no words."""
    transform = fitted()
    return pair_cosines(batch, transform.without_common(means(batch, transform)))


MINILM = "Reimers and Gurevych (2019), 3; mean of token states"

LAST = COLUMNS[:5]
"""The columns of the states of the last layer."""

TUNED = "minilm_tuned"
"""The resource of the columns of a transformer that was trained on graded pairs."""

CROSS = "minilm_cross"
"""The resource of the column of one that was trained to read both sentences."""


@once
def _rows(batch: Batch) -> NDArray[np.float32]:
    return _rows_of(batch, batch.resources.minilm)


@once
def _tuned_rows(batch: Batch) -> NDArray[np.float32]:
    return _rows_of(batch, batch.resources.minilm_tuned)


def _rows_of(batch: Batch, contextual: Contextual) -> NDArray[np.float32]:
    return contextual.rows(_texts(batch))


def _texts(batch: Batch) -> list[tuple[str, str]]:
    return [(a.text, b.text) for a, b in zip(batch.left, batch.right, strict=True)]


@columnwise(CROSS, "contextual", "MacAvaney et al. (2020)", low=0.0, high=1.0, needs=(CROSS,))
def _cross(batch: Batch) -> Column:
    return batch.resources.minilm_cross.scores(_texts(batch)).astype(np.float64)


def _register(name: str, source: str, low: float = -1.0, high: float = 1.0) -> None:
    place = COLUMNS.index(name)

    @columnwise(name, "contextual", source, low=low, high=high, needs=("minilm",))
    def column(batch: Batch) -> Column:
        return _rows(batch)[:, place].astype(np.float64)

    if name in LAST:
        name = name.replace("minilm", TUNED)

        @columnwise(name, "contextual", source, low=low, high=high, needs=(TUNED,))
        def tuned_column(batch: Batch) -> Column:
            return _tuned_rows(batch)[:, place].astype(np.float64)


for _layer in ("minilm", "minilm_middle"):  # the last layer, and the third
    _register(_layer, MINILM)  # cosine of the means of the token states
    _register(f"{_layer}_tokens", BERTSCORE)  # mean of both sides' coverage by token states
    _register(f"{_layer}_least", BERTSCORE)  # the lesser coverage
    _register(f"{_layer}_gap", BERTSCORE, 0.0, HIGHEST_GAP)  # max information · (1 − best cosine)
_register("minilm_dynamax", "Zhelezniak et al. (2019), 3", 0.0)  # of the last layer's token states
