"""Cosines of sums in vector spaces, against gensim's and numpy's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from gensim.models import KeyedVectors

from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.table import quantize_columns
from semaniacs.features.batch import Batch
from semaniacs.features.families.vectors import encoded, unit_sums
from semaniacs.features.registry import get_feature
from semaniacs.features.resources import Resources
from semaniacs.sts.text.analysis import information
from tests.features.support import MakeBatch, make_batch, make_encoder

WORDS = [f"w{i}" for i in range(30)]


class OneSpace(Resources):
    """One space under the name "w2v"."""

    def __init__(self, space: Any) -> None:
        super().__init__()
        rows = np.vstack([space.vectors, np.zeros((1, space.vector_size))])
        self.spaces = {"w2v": make_encoder(rows, *space.index_to_key)}


@pytest.fixture(scope="module")
def space() -> Any:
    """Thirty random words in 20 dimensions, and one without a direction."""
    vectors = KeyedVectors(20)
    rows = np.random.default_rng(0).standard_normal((30, 20)).astype(np.float32)
    vectors.add_vectors([*WORDS, "nowhere"], np.vstack([rows, np.zeros((1, 20), np.float32)]))
    return vectors


def batch_in(space: Any, left: Sequence[str], right: Sequence[str]) -> Batch:
    return make_batch(left, right, OneSpace(space))


@pytest.fixture(scope="module")
def drawn(space: Any) -> Batch:
    """Twenty pairs of one to five words."""
    rng = np.random.default_rng(1)
    texts = [" ".join(rng.choice(WORDS, rng.integers(1, 6))) for _ in range(40)]
    return batch_in(space, texts[:20], texts[20:])


# Lookup


def test_unit_vectors_are_gensims(space: Any) -> None:
    batch = batch_in(space, ["w3 w3", "stranger", "w7"], ["nowhere", "", ""])
    found = unit_sums(batch, "words", "w2v", weighted=False)
    w3, w7 = (space.get_vector(word, norm=True) for word in ("w3", "w7"))
    zeros = np.zeros(20)
    np.testing.assert_allclose(found, [w3, zeros, w7, zeros, zeros], atol=1e-6)


# Sums


def test_sums_are_gensims_weighted_means(space: Any, drawn: Batch) -> None:
    totals = unit_sums(drawn, "words", "w2v", weighted=True)
    for sentence, total in zip(drawn.sentences, totals, strict=True):
        wanted = [information(word) for word in sentence.words]
        mean = space.get_mean_vector(list(sentence.words), wanted, pre_normalize=True)
        np.testing.assert_allclose(total, mean * sum(wanted), atol=1e-4)


def test_summed_is_gensims_n_similarity(space: Any, drawn: Batch) -> None:
    pairs = zip(drawn.left, drawn.right, strict=True)
    expected = [space.n_similarity(a.words, b.words) for a, b in pairs]
    np.testing.assert_allclose(get_feature("sum_w2v").compute(drawn), expected, atol=1e-6)


# The columns


def test_distinct_sentences_are_encoded_as_the_encoder_does(batch_of: MakeBatch) -> None:
    from semaniacs import embeddings

    texts = ["A dog runs.", "", "qqzzxy 汉字 \ud800", "😀", "Unfriended U.S. cats weren't 7"]
    small = embeddings.load("paragram-small")
    by_column = Encoder(small.tokenizer, quantize_columns(small.table))
    for encoder in (embeddings.load("paragram"), small, by_column):
        batch = batch_of(texts, texts[::-1])
        np.testing.assert_array_equal(encoded(batch, encoder), encoder.encode(texts))
