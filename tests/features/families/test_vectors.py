"""Cosines of sums in vector spaces, against gensim's and numpy's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from gensim.models import KeyedVectors

from embeddings.encoder import Encoder
from embeddings.table import quantize_columns
from embeddings.tokenizers.words import WordTokenizer
from features.batch import Batch
from features.families.vectors import encoded, look_up, pair_cosines, sums, unit_sums
from features.measures.information import information
from features.registry import get_feature
from features.resources import Resources
from tests.features.support import MakeBatch, Value, make_batch, make_encoder

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


def test_words_are_looked_up_once(space: Any) -> None:
    batch = batch_in(space, ["w3 stranger nowhere w3"], ["w7"])
    looked = look_up(batch, "words", "w2v")
    assert batch.view("words").words == ("w3", "stranger", "nowhere", "w7")
    np.testing.assert_array_equal(looked.known, [True, False, True, True])
    np.testing.assert_array_equal(looked.vectors[[0, 3]], [space["w3"], space["w7"]])
    assert not looked.vectors[[1, 2]].any()
    assert look_up(batch, "words", "w2v") is looked


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


def test_a_word_may_count_once(space: Any) -> None:
    batch = batch_in(space, ["w1 w2 w1", "w2 w1"], ["w1 w1", "w1"])
    vectors = look_up(batch, "words", "w2v").vectors
    ones = np.ones(len(vectors))
    once = sums(batch, "words", vectors, ones, once=True)
    every = sums(batch, "words", vectors, ones, once=False)
    expected = space["w1"].astype(np.float64) + space["w2"]
    np.testing.assert_allclose(once[:2], [expected, expected], atol=1e-6)
    np.testing.assert_allclose(every[0], expected + space["w1"], atol=1e-6)
    np.testing.assert_array_equal(2 * once[2], every[2])


def test_summed_is_gensims_n_similarity(space: Any, drawn: Batch) -> None:
    pairs = zip(drawn.left, drawn.right, strict=True)
    expected = [space.n_similarity(a.words, b.words) for a, b in pairs]
    np.testing.assert_allclose(get_feature("sum_w2v").compute(drawn), expected, atol=1e-6)


def test_pair_cosines(space: Any) -> None:
    batch = batch_in(space, ["a", "b"], ["b", "c"])
    totals = np.array([[3.0, 4.0], [4.0, 3.0], [0.0, 0.0]])
    np.testing.assert_allclose(pair_cosines(batch, totals), [24 / 25, 0])


def test_words_that_the_space_does_not_know(space: Any) -> None:
    left = ["", "stranger", "w1", "stranger", "w1 stranger", "nowhere"]
    right = ["", "other", "", "w1", "w1", "w1"]
    column = get_feature("sum_w2v").compute(batch_in(space, left, right))
    # neither side has words, twice; one side has none, twice; a stranger more; no direction
    np.testing.assert_allclose(column, [1, 1, 0, 0, 1, 0], atol=1e-6)


# The columns


def test_opposite_lsa_vectors_count_as_alike(value: Value) -> None:
    # (2, 0) and (-1, 0.37): the cosine is negative, its absolute value 1 / √(1 + 0.37²)
    assert value("dist_sim", "cat", "ship") == pytest.approx(1 / math.hypot(1, 0.37), abs=1e-6)
    # (1, 0) and (-1, -0.37): elsewhere it stays negative
    assert value("sum_w2v", "cat", "port") == pytest.approx(-1 / math.hypot(1, 0.37), abs=1e-6)
    assert value("word2vec", "cat", "ship") == pytest.approx(-1 / math.hypot(1, 0.37), abs=1e-6)


def test_dist_sim_takes_each_lemma_once(value: Value) -> None:
    assert value("dist_sim", "cat, cats and a dog", "a cat and a dog") == pytest.approx(1.0)


@pytest.mark.parametrize("name", ["weighted_dist_sim_news", "word2vec"])
def test_weighted_sums_take_a_word_as_often_as_it_occurs(value: Value, name: str) -> None:
    twice = value(name, "cat cat dog", "cat")
    assert 1 > twice > value(name, "cat dog", "cat")


def test_weighted_dist_sim_looks_up_words_and_not_lemmas(value: Value) -> None:
    assert value("dist_sim", "cats", "cat") == pytest.approx(1.0)
    assert value("weighted_dist_sim_news", "cats", "cat") == 0.0


@pytest.mark.parametrize(
    "name", ["dist_sim", "weighted_dist_sim_news", "weighted_dist_sim_daily", "word2vec"]
)
def test_sums_of_strangers_are_like_nothing(value: Value, name: str) -> None:
    assert value(name, "qqzzxy", "cat") == value(name, "", "") == 0.0


@pytest.mark.parametrize("name", ["paraphrase1", "paraphrase2", "paragram", "paragram-small"])
def test_an_encoders_column_is_the_cosine_of_its_means(
    value: Value, tiny: Resources, name: str
) -> None:
    left, right = "Cat, cat, dog!", "the dog"
    a, b = tiny.encoders[name].encode([left, right]).astype(np.float64)
    expected = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
    assert value(name, left, right) == pytest.approx(expected, abs=1e-6)
    assert value(name, "", "cat") == value(name, "", "") == 0.0


@pytest.mark.parametrize("name", ["paragram", "paragram-small"])
def test_the_bundled_encoders_columns_are_their_similarities(name: str) -> None:
    import embeddings

    left, right = ["A dog runs.", "Stocks fell."], ["A dog is running.", "A cat sleeps."]
    batch = make_batch(left, right, Resources())
    expected = embeddings.load(name).similarity_pairwise(left, right)
    np.testing.assert_allclose(get_feature(name).compute(batch), expected, atol=1e-6)


def test_distinct_sentences_are_encoded_as_the_encoder_does(batch_of: MakeBatch) -> None:
    import embeddings

    texts = ["A dog runs.", "", "qqzzxy 汉字 \ud800", "😀", "Unfriended U.S. cats weren't 7"]
    small = embeddings.load("paragram-small")
    by_column = Encoder(small.tokenizer, quantize_columns(small.table))
    for encoder in (embeddings.load("paragram"), small, by_column):
        batch = batch_of(texts, texts[::-1])
        np.testing.assert_array_equal(encoded(batch, encoder), encoder.encode(texts))


def test_encoders_of_unlike_vocabularies_in_one_batch(batch_of: MakeBatch) -> None:
    rows = np.random.default_rng(0).standard_normal((99, 3)).astype(np.float32)
    texts = ["cat qqzzxy dog", "xqzzyq cat"]
    batch = batch_of(texts, texts)
    for vocabulary in (
        WordTokenizer(["cat"], 9),
        WordTokenizer(["dog"], 9),
        WordTokenizer(["cat", "##s"], 9),
        WordTokenizer(["cat"], 30),  # other rows for unknown words
    ):
        encoder = Encoder(vocabulary, rows[: len(vocabulary)])
        np.testing.assert_array_equal(encoded(batch, encoder), encoder.encode(texts))


def test_only_nouns_and_only_verbs(value: Value) -> None:
    assert value("nn_w2v", "The cat sleeps", "The cat runs") == pytest.approx(1.0)
    assert value("vb_w2v", "The cat sleeps", "The dog sleeps") == pytest.approx(1.0)
    assert value("vb_w2v", "The cat sleeps", "The cat") == 0.0
    assert value("vb_w2v", "The cat", "The dog") == 1.0
