"""Poolings against values worked out by hand: two sentences of two and three tokens."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semaniacs.embeddings.transformer.poolings import POOLINGS, WeightedLayers

LAST = np.array([[[1, 5], [3, 1], [99, 99]], [[0, 2], [4, -2], [2, 9]]], np.float32)
BEFORE = np.array([[[2, 2], [4, 0], [99, 99]], [[1, 1], [1, 1], [1, 4]]], np.float32)
MASK = np.array([[1, 1, 0], [1, 1, 1]], np.float32)

BY_HAND = {
    "mean": [[2, 3], [2, 3]],
    "cls": [[1, 5], [0, 2]],
    "max": [[3, 5], [4, 9]],
    "multi-head": [[2, 3] * 3, [2, 3] * 3],  # as it starts: the mean, three times
    "multi-head-dimensions": [[2, 3] * 3, [2, 3] * 3],
}


def pooled(name: str, **own: Any) -> Any:
    pooling = POOLINGS[name]()
    found = own or pooling.initial(2, 2, 0)
    parameters = {key: jnp.asarray(value) for key, value in found.items()}
    return pooling(parameters, [jnp.asarray(BEFORE), jnp.asarray(LAST)], jnp.asarray(MASK))


@pytest.mark.parametrize("name", BY_HAND)
def test_poolings_without_training(name: str) -> None:
    np.testing.assert_allclose(pooled(name), BY_HAND[name], atol=1e-6)


def test_layers_are_weighted_by_a_softmax() -> None:
    share = 1 / 4
    weights = np.log(np.array([share, 1 - share], np.float32))
    found = pooled("weighted-layers", layer_weights=weights)
    first, last = np.array([[3, 1], [1, 2]]), np.array([[2, 3], [2, 3]])
    np.testing.assert_allclose(found, share * first + (1 - share) * last, rtol=1e-6)
    begins = WeightedLayers(last=0).initial(2, 2, 0)
    np.testing.assert_allclose(pooled("weighted-layers", **begins), (first + last) / 2, rtol=1e-6)


def heads(each_dimension: bool) -> dict[str, Any]:
    """One head whose hidden number is ReLU of the first dimension, and its weight ln 2."""
    out = np.array([[[np.log(2)], [0]]]) if each_dimension else np.array([[[np.log(2)]]])
    return {
        "w1": np.array([[[1, 0]]], np.float32),
        "b1": np.array([[-1]], np.float32),
        "w2": out.astype(np.float32),
        "b2": np.zeros((1, out.shape[1]), np.float32),
    }


def test_a_head_weighs_words() -> None:
    # ReLU(h - 1): 0 2 | 0 3 1; weights 2 to that: 1 4 | 1 8 2
    by_words = [[13 / 5, 9 / 5], [36 / 11, 4 / 11]]
    np.testing.assert_allclose(pooled("multi-head", **heads(False)), by_words, rtol=1e-5)
    by_dimension = [[13 / 5, 3], [36 / 11, 3]]  # nothing is learned of the second: its mean
    found = pooled("multi-head-dimensions", **heads(True))
    np.testing.assert_allclose(found, by_dimension, rtol=1e-5)


@pytest.mark.parametrize("name", POOLINGS)
def test_what_is_trained_encodes_the_same_without_jax(name: str) -> None:
    rng = np.random.default_rng(1)
    pooling = POOLINGS[name]()
    initial = pooling.initial(6, 2, 0)
    own = {n: v + rng.normal(size=v.shape).astype(np.float32) for n, v in initial.items()}
    lengths = np.array([4, 1, 3])
    states = rng.normal(size=(2, 3, 4, 6)).astype(np.float32)
    mask = (np.arange(4) < lengths[:, None]).astype(np.float32)
    with jax.numpy_rank_promotion("allow"):
        expected = np.asarray(pooling(own, [*states], mask))
    expected = expected / np.linalg.norm(expected, axis=1, keepdims=True)
    head = pooling.head(own)
    after = states[:, mask > 0][-len(head.reads(2)) :]
    np.testing.assert_allclose(head.vectors(after, lengths), expected, atol=1e-6)
    assert head.dim(6) == expected.shape[1]
