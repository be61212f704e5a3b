"""The differentiable layers against the network that encodes, and cached states against none."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from semaniacs.embeddings.transformer.compiled_forward import pack, states_after
from semaniacs.embeddings.transformer.fine_tuning.lower_layers import LowerLayers, Tokens, fill_rows
from semaniacs.embeddings.transformer.fine_tuning.upper_layers import run_upper, upper_weights
from semaniacs.embeddings.transformer.network import Dropout, run_layers
from tests.embeddings.transformer import tiny

TEXTS = ["aa bb cc", "dd", "ee ff gg hh aa bb", ("aa bb", "cc dd ee")]
ROWS = np.array([2, 0, 3, 1])


@pytest.mark.parametrize("frozen", [None, 0, 1, 2, 3])
def test_the_states_from_any_layer_on_are_those_of_each_text_alone(frozen: int | None) -> None:
    network = tiny.network()
    tokens = Tokens.of(network, TEXTS)
    texts = LowerLayers(network, tokens, frozen).batch(ROWS, len(ROWS))
    found = run_upper(upper_weights(network.weights, frozen), tiny.SHAPE, frozen, texts)
    assert len(found) == max(1, tiny.LAYERS - (frozen or 0))
    flat = np.asarray(found[-1]).reshape(-1, tiny.DIM)
    ids, types = tokens.of_texts(ROWS)
    packed = pack(network.weights, tiny.SHAPE)
    expected = states_after(packed, tiny.SHAPE, ids, [tiny.LAYERS], types)[0]
    np.testing.assert_allclose(flat[texts.places[texts.mask > 0]], expected, atol=0.02)


def test_texts_fill_rows_and_none_is_cut() -> None:
    lengths = np.array([5, 3, 7, 2, 8, 1])
    begins, rows = fill_rows(lengths, 10)
    assert rows == 3  # 26 tokens: 8 + 2, 7 + 3, 5 + 1
    taken = [range(b, b + n) for b, n in zip(begins.tolist(), lengths.tolist(), strict=True)]
    assert len(set().union(*taken)) == lengths.sum()
    assert all(r.start // 10 == (r.stop - 1) // 10 for r in taken)


def test_the_gradient_is_that_of_small_differences() -> None:
    network = tiny.network()
    states = np.random.default_rng(1).standard_normal((2, 4, tiny.DIM)).astype(np.float32)
    mask = np.array([[1, 1, 1, 0], [1, 1, 1, 1]], np.float32)
    name = "encoder.layer.2.attention.self.query.weight"

    def loss(value: jax.Array) -> jax.Array:
        weights = {**network.weights, name: value}
        last = run_layers(weights, tiny.SHAPE, jnp.asarray(states), mask, 1)[-1]
        return (last[..., 0] * mask).sum()

    value = network.weights[name]
    gradient = jax.grad(loss)(value)
    step = np.zeros((tiny.DIM, tiny.DIM), np.float32)
    step[3, 5] = 0.01
    slope = (loss(value + step) - loss(value - step)) / 0.02
    assert abs(float(gradient[3, 5])) > 1e-4
    np.testing.assert_allclose(gradient[3, 5], slope, rtol=0.02, atol=1e-4)


def test_dropout_leaves_out_its_share_and_keeps_the_mean() -> None:
    drop = Dropout(np.array([1, 2], np.uint32), 0.25)  # type: ignore[arg-type]
    found = np.asarray(drop(jnp.ones((200, 100)), 0))
    assert set(np.unique(found)) == {0.0, np.float32(1 / 0.75)}
    assert found.mean() == pytest.approx(1, abs=0.02)
    assert not np.array_equal(found, drop(jnp.ones((200, 100)), 1))
    np.testing.assert_array_equal(found, drop(jnp.ones((200, 100)), 0))


def test_what_is_trained_follows_from_the_layer() -> None:
    names = [
        "embeddings.LayerNorm.bias",
        "encoder.layer.2.output.dense.bias",
        "encoder.layer.10.output.dense.bias",
        "pooler.dense.weight",
    ]
    weights = {name: np.zeros(1, np.float32) for name in names}
    assert list(upper_weights(weights, None)) == names[:3]
    assert list(upper_weights(weights, 0)) == names[1:3]
    assert list(upper_weights(weights, 3)) == names[2:3]
