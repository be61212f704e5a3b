"""Cosines in vector spaces, against gensim's and numpy's."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gensim.models import KeyedVectors

from features.resources import Resources
from features.vectors import cosine, product, summed, unit_rows, weighted_sum

Value = Callable[[str, str, str], float]
WORDS = [f"w{i}" for i in range(30)]


@pytest.fixture(scope="module")
def space() -> Any:
    """Thirty random words in 20 dimensions, and one without a direction."""
    vectors = KeyedVectors(20)
    rows = np.random.default_rng(0).standard_normal((30, 20)).astype(np.float32)
    vectors.add_vectors([*WORDS, "nowhere"], np.vstack([rows, np.zeros((1, 20), np.float32)]))
    return vectors


def draws(n: int = 20) -> list[list[str]]:
    rng = np.random.default_rng(1)
    return [list(rng.choice(WORDS, rng.integers(1, 6))) for _ in range(n)]


def test_cosine() -> None:
    assert cosine(np.array([3.0, 4.0]), np.array([4.0, 3.0])) == pytest.approx(24 / 25)
    assert cosine(np.array([1.0, 0.0]), np.array([-2.0, 0.0])) == -1.0
    assert cosine(np.zeros(2), np.ones(2)) == cosine(np.zeros(2), np.zeros(2)) == 0.0


def test_unit_rows_are_gensims(space: Any) -> None:
    units = unit_rows(["w3", "stranger", "w7", "w3"], space)
    expected = [space.get_vector(word, norm=True) for word in ("w3", "w7", "w3")]
    np.testing.assert_allclose(units, expected, atol=1e-6)
    assert unit_rows(["stranger"], space).shape == unit_rows([], space).shape == (0, 20)
    assert not unit_rows(["nowhere"], space).any()


def test_summed_is_gensims_n_similarity(space: Any) -> None:
    for a, b in zip(draws(), reversed(draws()), strict=True):
        assert summed(a, b, space) == pytest.approx(space.n_similarity(a, b), abs=1e-6)
        assert summed([*a, "stranger"], b, space) == summed(a, b, space)


def test_weighted_sum_is_gensims_weighted_mean(space: Any) -> None:
    rng = np.random.default_rng(2)
    for words in draws():
        weights = {word: float(rng.random()) for word in words}
        mean = space.get_mean_vector(list(weights), list(weights.values()), pre_normalize=True)
        total = weighted_sum({**weights, "stranger": 9.0}, space)
        np.testing.assert_allclose(total, mean * sum(weights.values()), atol=1e-5)


def test_weighted_sum_of_strangers_is_zero(space: Any) -> None:
    for weights in ({}, {"stranger": 2.0}):
        np.testing.assert_array_equal(weighted_sum(weights, space), np.zeros(20))


def test_product_is_the_geometric_mean_of_gensims_best_cosines(space: Any) -> None:
    for a, b in zip(draws(), reversed(draws()), strict=True):
        best = [max(space.similarity(x, y) for y in b) for x in a]
        best += [max(space.similarity(x, y) for x in a) for y in b]
        expected = math.prod(max(c, 0.05) for c in best) ** (1 / len(best))
        assert product(a, b, space) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("compare", [summed, product])
def test_words_that_the_space_does_not_know(space: Any, compare: Callable[..., float]) -> None:
    assert compare([], [], space) == compare(["stranger"], ["other"], space) == 1.0
    assert compare(["w1"], [], space) == compare(["stranger"], ["w1"], space) == 0.0


def test_nowhere_is_similar_to_nothing(space: Any) -> None:
    assert summed(["nowhere"], ["w1"], space) == 0.0
    assert product(["nowhere"], ["nowhere"], space) == pytest.approx(0.05)


# The columns


def test_opposite_lsa_vectors_count_as_alike(value: Value, tiny: Resources) -> None:
    # (2, 0) and (-1, 0.37): the cosine is negative, its absolute value 1 / √(1 + 0.37²)
    assert value("dist_sim", "cat", "ship") == pytest.approx(1 / math.hypot(1, 0.37), abs=1e-6)
    # (1, 0) and (-1, -0.37): elsewhere it stays negative
    assert value("sum_w2v", "cat", "port") == pytest.approx(-1 / math.hypot(1, 0.37), abs=1e-6)


def test_dist_sim_takes_each_lemma_once(value: Value) -> None:
    assert value("dist_sim", "cat, cats and a dog", "a cat and a dog") == pytest.approx(1.0)


def test_weighted_dist_sim_takes_a_word_as_often_as_it_occurs(value: Value) -> None:
    twice = value("weighted_dist_sim_news", "cat cat dog", "cat")
    assert 1 > twice > value("weighted_dist_sim_news", "cat dog", "cat")


def test_weighted_dist_sim_looks_up_words_and_not_lemmas(value: Value) -> None:
    assert value("dist_sim", "cats", "cat") == pytest.approx(1.0)
    assert value("weighted_dist_sim_news", "cats", "cat") == 0.0


@pytest.mark.parametrize("name", ["dist_sim", "weighted_dist_sim_news", "weighted_dist_sim_daily"])
def test_lsa_of_strangers_is_0(value: Value, name: str) -> None:
    assert value(name, "qqzzxy", "cat") == value(name, "", "") == 0.0


@pytest.mark.parametrize("name", ["paraphrase1", "paraphrase2"])
def test_paraphrase_is_the_cosine_of_the_encoders_means(
    value: Value, tiny: Resources, name: str
) -> None:
    left, right = "Cat, cat, dog!", "the dog"
    a, b = tiny.encoders[name].encode([left, right]).astype(np.float64)
    expected = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
    assert value(name, left, right) == pytest.approx(expected)
    assert value(name, "", "cat") == value(name, "", "") == 0.0


def test_only_nouns_and_only_verbs(value: Value) -> None:
    assert value("nn_w2v", "The cat sleeps", "The cat runs") == pytest.approx(1.0)
    assert value("vb_w2v", "The cat sleeps", "The dog sleeps") == pytest.approx(1.0)
    assert value("vb_w2v", "The cat sleeps", "The cat") == 0.0
    assert value("vb_w2v", "The cat", "The dog") == 1.0
