"""A BERT (Devlin et al., 2019) in JAX: its layers as a function of weights, which trains.

:mod:`semaniacs.embeddings.transformer.compiled_forward` computes the same, faster, and does not train.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from semaniacs.embeddings.transformer.plain_forward import Gates, Shape

Weights = dict[str, Any]

ACTIVATIONS: dict[str, Callable[[jax.Array], jax.Array]] = {
    "gelu": partial(jax.nn.gelu, approximate=False),
    "gelu_new": jax.nn.gelu,
    "gelu_pytorch_tanh": jax.nn.gelu,
    "relu": jax.nn.relu,
}
"""The functions of the inner layer by the names of ``hidden_act`` in a ``config.json``."""


class Dropout(NamedTuple):
    """Dropout (Srivastava et al., 2014) of numbers with this probability, drawn from this key."""

    key: jax.Array
    probability: float

    def __call__(self, x: jax.Array, place: int) -> jax.Array:
        """``x`` without some numbers; every ``place`` in the network draws its own."""
        kept = jax.random.bernoulli(
            jax.random.fold_in(self.key, place), 1 - self.probability, x.shape
        )
        return jnp.where(kept, x / (1 - self.probability), 0.0)


def embedded(
    weights: Weights,
    shape: Shape,
    ids: jax.Array,
    token_types: jax.Array | None = None,
    positions: jax.Array | None = None,
) -> jax.Array:
    """Return the states (n, t, dim) that the first layer is given, of token ids (n, t).

    ``token_types`` (n, t) are 0 for the first text of a pair, as by default, and 1 for the second.
    ``positions`` (n, t) are places of the tokens in their texts, if a row holds several.
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
        return layer_norm(weights, "embeddings.LayerNorm", states, shape.epsilon)


def run_layers(
    weights: Weights,
    shape: Shape,
    states: jax.Array,
    texts: jax.Array,
    first: int,
    dropout: Dropout | None = None,
    gates: Gates | None = None,
    ids: jax.Array | None = None,
) -> list[jax.Array]:
    """Return states (n, t, dim) after each layer from ``first`` on, the last one last.

    Args:
        states: after ``first`` layers; they are returned as they are if there are no more.
        texts: (n, t), text of its row that a token is of; it attends to those of the same text.
        gates: of the last layers. A token of text 1 attends to text 2 too, one of 3 to 4, and so on.
        ids: (n, t) the tokens, if there are gates.
    """
    found = [states]
    with jax.numpy_rank_promotion("allow"):
        same, pair = (_equal(x)[:, None] for x in (texts, (texts + 1) // 2))
        alike: Any = None if ids is None else _equal(ids)[:, None]
        for layer in range(first, shape.layers):
            across: Any = -1e9
            if gates is not None and layer >= shape.layers - len(gates[0]):
                other, more = (part[layer - shape.layers][:, None, None] for part in gates)
                across = other + jnp.where(alike, more, 0.0)
            bias = jnp.where(same, 0.0, jnp.where(pair, across, -1e9))
            found.append(_layer(weights, shape, layer, found[-1], bias, dropout))
    return found[1:] or found


def _equal(texts: jax.Array) -> jax.Array:
    return texts[:, :, None] == texts[:, None, :]


def _layer(
    weights: Weights,
    shape: Shape,
    layer: int,
    states: jax.Array,
    bias: jax.Array,
    dropout: Dropout | None,
) -> jax.Array:
    name = f"encoder.layer.{layer}."

    def drop(x: jax.Array, place: int) -> jax.Array:
        return dropout(x, 3 * layer + place) if dropout else x

    n, t, dim = states.shape
    query, key, value = (
        dense(weights, f"{name}attention.self.{part}", states).reshape(n, t, shape.heads, -1)
        for part in ("query", "key", "value")
    )
    scores = jnp.einsum("nqhd,nkhd->nhqk", query, key) / jnp.sqrt(dim // shape.heads)
    shares = drop(jax.nn.softmax(scores + bias, axis=-1), 0)
    attended = jnp.einsum("nhqk,nkhd->nqhd", shares, value).reshape(n, t, dim)
    attended = drop(dense(weights, name + "attention.output.dense", attended), 1)
    states = layer_norm(
        weights, name + "attention.output.LayerNorm", states + attended, shape.epsilon
    )
    hidden = ACTIVATIONS[shape.activation](dense(weights, name + "intermediate.dense", states))
    hidden = drop(dense(weights, name + "output.dense", hidden), 2)
    return layer_norm(weights, name + "output.LayerNorm", states + hidden, shape.epsilon)


def dense(weights: Weights, name: str, x: jax.Array) -> jax.Array:
    """``x`` (…, in) through a dense layer of this name, (…, out)."""
    product: jax.Array = x @ weights[name + ".weight"].T + weights[name + ".bias"]
    return product


def layer_norm(weights: Weights, name: str, x: jax.Array, epsilon: float) -> jax.Array:
    """``x`` (…, dim), each row with mean 0 and variance 1, through the scales and shifts of this name."""
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + epsilon)
    normed: jax.Array = scaled * weights[name + ".weight"] + weights[name + ".bias"]
    return normed
