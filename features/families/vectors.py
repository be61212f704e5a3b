"""Similarity of sentence vectors: Paragram encoders, word spaces, LSA, uSIF and a transformer.

The transformer is gte-small (Li et al., 2023), run by our own forward pass. For the column
``reader`` its upper layers were trained to read both sentences together.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.compiled import interpreting
from semaniacs.embeddings.encoder import Encoder, SentenceEncoder, unit
from semaniacs.embeddings.tokenizers.row_numbers import Ids, Ragged, WordTokenizer
from semaniacs.features.batch import Batch, Column, Flags, once, where_empty
from semaniacs.features.families import DCU, TAKELAB
from semaniacs.features.measures.counts import bags_of
from semaniacs.features.measures.word_matching import BERTSCORE, HIGHEST_GAP, pair_cosines, sums
from semaniacs.features.registry import columnwise
from semaniacs.features.resources import NETWORK

Vectors = NDArray[np.float32]


def encoded(batch: Batch, encoder: SentenceEncoder) -> Vectors:
    """(s, dim) the vector of each distinct sentence, as the encoder itself computes it."""
    if not isinstance(encoder, Encoder) or not isinstance(encoder.tokenizer, WordTokenizer):
        return encoder.encode([sentence.text for sentence in batch.sentences])
    used, sentences = sentence_rows(batch, encoder.tokenizer)
    rows = encoder.rows.part(used)
    if interpreting():
        return rows.means(sentences, encoder.limit)
    from semaniacs.embeddings.compiled.mean_rows import average_rows

    vectors = np.empty((len(batch.sentences), encoder.dim), np.float32)
    average_rows(rows.values, rows.scale, sentences, vectors, encoder.limit)
    return vectors


def sentence_rows(batch: Batch, vocabulary: WordTokenizer) -> tuple[Ids, Ragged]:
    """Return the rows that occur, and for each distinct sentence the places of its rows in them.

    Tuned encoders share those of their start.
    """
    key = "rows", vocabulary.known, vocabulary.buckets
    return batch.once(key, lambda: _sentence_rows(batch, vocabulary))


def _sentence_rows(batch: Batch, vocabulary: WordTokenizer) -> tuple[Ids, Ragged]:
    view = batch.view("words")
    rows = Ragged.of([vocabulary.rows_of(word) for word in view.words])
    used, places = np.unique(rows.flat, return_inverse=True)
    by_word = Ragged(places.astype(np.int32), rows.offsets)
    spelled = by_word.take(view.sequences.flat.astype(np.int64))
    return used.astype(np.int32), Ragged(spelled.flat, spelled.offsets[view.sequences.offsets])


def _of_encoder(batch: Batch, name: str) -> Column:
    return pair_cosines(batch.pairs, encoded(batch, batch.resources.encoder(name)))


for _name, _source in {
    "paraphrase1": DCU,  # task-internal and synthetic, Table 4
    "paraphrase2": DCU,
    "paragram": "Wieting et al. (2016), 3, on vectors of our own",
    "paragram-small": "Wieting et al. (2016), 3, on vectors of our own",
}.items():
    columnwise(_name, "paragram", _source, low=-1.0, needs=(_name,))(
        partial(_of_encoder, name=_name)
    )


class Looked(NamedTuple):
    """(v, dim) vectors of the words of a view, zeros for unknown ones; (v,) which are known."""

    vectors: Vectors
    known: Flags


@once
def look_up(batch: Batch, view: str, space: str) -> Looked:
    """Return the vectors of the distinct words of a view."""
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
    return sums(batch.view(view).sequences, vectors, weights, once=not weighted)


def _lsa(batch: Batch, space: str, view: str, weighted: bool) -> Column:
    return np.abs(pair_cosines(batch.pairs, unit_sums(batch, view, space, weighted)))


# TakeLab's spaces were learned from the New York Times and from Wikipedia (2.4). Ours come from
# news and from everyday text, see features/word_spaces.py.
for _name, _number, _space, _view in (
    ("dist_sim", 17, "lsa-news", "lemmas"),
    ("weighted_dist_sim_news", 18, "lsa-news", "content"),
    ("weighted_dist_sim_daily", 19, "lsa-daily", "content"),
):
    columnwise(_name, "lsa", f"{TAKELAB} f{_number}", needs=(_space,))(
        partial(_lsa, space=_space, view=_view, weighted=_number > 17)
    )


def _summed(batch: Batch, view: str) -> Column:
    """Cosine of the summed word vectors; 1 if neither side has any, 0 if one has none."""
    vectors, known = look_up(batch, view, "w2v")
    totals = sums(batch.view(view).sequences, vectors, np.ones(len(known)), once=False)
    sizes = bags_of(batch, view, 1).totals(known.astype(np.float64))
    return where_empty(pair_cosines(batch.pairs, totals), *batch.sides(sizes), neither=1.0)


for _name, _view in {"nn_w2v": "nouns", "vb_w2v": "verbs", "sum_w2v": "content"}.items():
    columnwise(_name, "w2v", DCU, low=-1.0, needs=("w2v",))(partial(_summed, view=_view))


@once
def _rows(batch: Batch) -> NDArray[np.float32]:
    texts = [(a.text, b.text) for a, b in zip(batch.left, batch.right, strict=True)]
    return batch.resources.network.rows(texts)


def _contextual(batch: Batch, place: int) -> Column:
    return _rows(batch)[:, place].astype(np.float64)


_MEANS = "Reimers and Gurevych (2019), 3; mean of token states"
BY_STATES = {
    "gte": (_MEANS, -1.0, 1.0),
    "gte_tokens": (BERTSCORE, -1.0, 1.0),
    "gte_least": (BERTSCORE, -1.0, 1.0),
    "gte_gap": (BERTSCORE, 0.0, HIGHEST_GAP),
    "gte_dynamax": ("Zhelezniak et al. (2019), 3", 0.0, 1.0),
    "gte_middle": (_MEANS, -1.0, 1.0),
    "gte_middle_tokens": (BERTSCORE, -1.0, 1.0),
    "gte_middle_least": (BERTSCORE, -1.0, 1.0),
    "gte_middle_gap": (BERTSCORE, 0.0, HIGHEST_GAP),
    "reader": ("MacAvaney et al. (2020)", 0.0, 1.0),
}
"""Columns of :mod:`semaniacs.features.contextual_rows`, in order: their source and range."""

for _place, (_name, (_source, _low, _high)) in enumerate(BY_STATES.items()):
    columnwise(_name, "contextual", _source, low=_low, high=_high, needs=(NETWORK,))(
        partial(_contextual, place=_place)
    )


NEARNESS, SURENESS = 20, 3
"""Powers in the doubt about a pair. What is not near is not told apart by details, and a reader that
is half sure doubts many pairs that people grade as near."""


@columnwise("reader_doubt", "contextual", "MacAvaney et al. (2020)", needs=(NETWORK,))
def _doubt(batch: Batch) -> Column:
    near, chance = np.clip(_contextual(batch, 0), 0, 1), _contextual(batch, -1)
    return np.maximum(0.0, 1 - 2 * chance) ** SURENESS * near**NEARNESS
