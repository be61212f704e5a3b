"""A BERT in JAX: the network as a function of its weights, which trains.

Devlin et al. (2019) describe the network; every function here is one of its parts.
:mod:`embeddings.transformer.compiled_forward` computes the same, faster, and does not train.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from embeddings.transformer.shape import Shape

__all__ = ["ACTIVATIONS", "Shape", "Weights", "embedded", "layer_states", "token_states"]

Weights = dict[str, Any]

ACTIVATIONS: dict[str, Callable[[jax.Array], jax.Array]] = {
    "gelu": partial(jax.nn.gelu, approximate=False),
    "gelu_new": jax.nn.gelu,
    "gelu_pytorch_tanh": jax.nn.gelu,
    "relu": jax.nn.relu,
}
"""The functions of the inner layer by the names of ``hidden_act`` in a ``config.json``."""


@partial(jax.jit, static_argnames=("shape", "all_layers"))
def token_states(
    weights: Weights,
    shape: Shape,
    ids: jax.Array,
    mask: jax.Array,
    *,
    token_types: jax.Array | None = None,
    all_layers: bool = False,
) -> jax.Array:
    """The last layer's states (n, t, dim) of padded token ids (n, t).

    Args:
        weights: by the names of Devlin et al.'s own release.
        shape: what they do not show.
        ids: padded on the right.
        mask: (n, t), 1 for a token and 0 for padding.
        token_types: (n, t), 0 for the first text of a pair and 1 for the second; all 0 if not given.
        all_layers: return the states after each layer, (layers + 1, n, t, dim); the first are the
            embeddings.
    """
    states = embedded(weights, shape, ids, token_types)
    after = [states]
    for layer in range(shape.layers):
        states = layer_states(weights, shape, layer, states, mask)
        after.append(states)
    return jnp.stack(after) if all_layers else states


def embedded(
    weights: Weights,
    shape: Shape,
    ids: jax.Array,
    token_types: jax.Array | None = None,
    positions: jax.Array | None = None,
) -> jax.Array:
    """The states (n, t, dim) that the first layer is given; see :func:`token_states`.

    ``positions`` (n, t) are the places of the tokens in their texts, if a row holds several.
    """
    with jax.numpy_rank_promotion("allow"):  # one position is added to the tokens of all sentences
        places: Any = slice(shape.first_position, shape.first_position + ids.shape[1])
        if positions is not None:
            places = shape.first_position + positions
        types = weights["embeddings.token_type_embeddings.weight"]
        states = (
            weights["embeddings.word_embeddings.weight"][ids]
            + weights["embeddings.position_embeddings.weight"][places]
            + (types[0] if token_types is None else types[token_types])
        )
        return _layer_norm(weights, "embeddings.LayerNorm", states, shape.epsilon)


def layer_states(
    weights: Weights, shape: Shape, layer: int, states: jax.Array, mask: jax.Array
) -> jax.Array:
    """The states (n, t, dim) after one layer, counted from 0, of those before it."""
    with jax.numpy_rank_promotion("allow"):  # a layer adds one bias to the states of all tokens
        unseen = jnp.where(mask > 0, 0.0, -1e9)[:, None, None, :]
        return _block(weights, f"encoder.layer.{layer}.", states, unseen, shape)


def _block(
    weights: Weights, name: str, states: jax.Array, unseen: jax.Array, shape: Shape
) -> jax.Array:
    attended = _dense(
        weights, name + "attention.output.dense", _attention(weights, name, states, unseen, shape)
    )
    states = _layer_norm(
        weights, name + "attention.output.LayerNorm", states + attended, shape.epsilon
    )
    hidden = _dense(weights, name + "intermediate.dense", states)
    hidden = ACTIVATIONS[shape.activation](hidden)
    hidden = _dense(weights, name + "output.dense", hidden)
    return _layer_norm(weights, name + "output.LayerNorm", states + hidden, shape.epsilon)


def _attention(
    weights: Weights, name: str, states: jax.Array, unseen: jax.Array, shape: Shape
) -> jax.Array:
    n, t, dim = states.shape
    query, key, value = (
        _dense(weights, f"{name}attention.self.{part}", states).reshape(n, t, shape.heads, -1)
        for part in ("query", "key", "value")
    )
    scores = jnp.einsum("nqhd,nkhd->nhqk", query, key) / jnp.sqrt(dim // shape.heads)
    weight = jax.nn.softmax(scores + unseen, axis=-1)
    return jnp.einsum("nhqk,nkhd->nqhd", weight, value).reshape(n, t, dim)


def _dense(weights: Weights, name: str, x: jax.Array) -> jax.Array:
    product: jax.Array = x @ weights[name + ".weight"].T + weights[name + ".bias"]
    return product


def _layer_norm(weights: Weights, name: str, x: jax.Array, epsilon: float) -> jax.Array:
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + epsilon)
    normed: jax.Array = scaled * weights[name + ".weight"] + weights[name + ".bias"]
    return normed
