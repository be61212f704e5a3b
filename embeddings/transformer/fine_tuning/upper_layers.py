"""The layers of a BERT that are trained, over texts that the frozen layers below have read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from semaniacs.embeddings.configuration import FineTuning
from semaniacs.embeddings.table import Vectors
from semaniacs.embeddings.training.loop import Options, train_encoder
from semaniacs.embeddings.training.trainable import Trainable
from semaniacs.embeddings.transformer.fine_tuning.lower_layers import (
    TEXTS_AT_ONCE,
    LowerLayers,
    Places,
    Rows,
)
from semaniacs.embeddings.transformer.network import Dropout, Weights, embedded, run_layers
from semaniacs.embeddings.transformer.plain_forward import Gates, Shape
from semaniacs.embeddings.transformer.poolings import Pooling
from semaniacs.embeddings.transformer.small_file import from_numbers, in_numbers, is_rounded
from semaniacs.embeddings.transformer.transformer_encoder import Transformer

NETWORK, POOLING, HEAD = "network", "pooling", "head"
"""Parts of the trained parameters: layers, pooling, and the comparison of two vectors."""

ModelT = TypeVar("ModelT")


def upper_weights(weights: Weights, first: int | None) -> Weights:
    """Return the floating weights of the layers from ``first`` on; if it is None, of the embeddings too."""

    def is_upper(name: str) -> bool:
        parts = name.split(".")
        in_layers = parts[:2] == ["encoder", "layer"]
        return parts[0] != "pooler" if first is None else in_layers and int(parts[2]) >= first

    floating = {n: v for n, v in weights.items() if np.issubdtype(v.dtype, np.floating)}
    return {name: value for name, value in floating.items() if is_upper(name)}


def run_upper(
    weights: Weights,
    shape: Shape,
    frozen: int | None,
    texts: Rows,
    dropout: Dropout | None = None,
    gates: Gates | None = None,
) -> list[jax.Array]:
    """Return the states of :func:`run_layers` of texts in rows."""
    states = texts.tokens
    if states.ndim == 2:
        states = embedded(weights, shape, states, texts.types, texts.positions)
    states, first = states.astype(jnp.float32), frozen or 0
    return run_layers(weights, shape, states, texts.texts, first, dropout, gates, texts.ids)


def starting_parameters(
    start: Transformer, how: FineTuning, pooling: Pooling
) -> dict[str, dict[str, Any]]:
    """Return the parameters of a network and a pooling before training."""
    trained = upper_weights(start.weights, how.frozen)
    given = start.shape.layers - (how.frozen or 0) + bool(how.frozen)
    return {NETWORK: trained, POOLING: pooling.initial(start.width, given, how.seed)}


def pooled_vectors(
    parameters: Mapping[str, Any],
    shape: Shape,
    frozen: int | None,
    pooling: Pooling,
    texts: Rows,
    dropout: Dropout | None = None,
) -> jax.Array:
    """Vectors (n, out) of texts as :meth:`LowerLayers.batch` returns them.

    The pooling is given the states after the highest frozen layer too, if one is frozen.
    """
    found = run_upper(parameters[NETWORK], shape, frozen, texts, dropout)
    if frozen:
        found = [texts.tokens.astype(jnp.float32), *found]
    with jax.numpy_rank_promotion("allow"):
        each = [layer.reshape(-1, layer.shape[-1])[texts.places] for layer in found]
        return pooling(parameters[POOLING], each, texts.mask)


def unit_vectors(
    parameters: Mapping[str, Any], lower: LowerLayers, pooling: Pooling, chosen: Places
) -> Vectors:
    """Unit vectors (k, out) of k chosen texts, one or more."""
    found = []
    for begin in range(0, len(chosen), TEXTS_AT_ONCE):
        part = chosen[begin : begin + TEXTS_AT_ONCE]
        texts = lower.batch(part, TEXTS_AT_ONCE)
        vectors = _unit_vectors(parameters, lower.network.shape, lower.frozen, pooling, texts)
        found.append(np.asarray(vectors)[: len(part)])
    return np.concatenate(found)


@partial(jax.jit, static_argnames=("shape", "frozen", "pooling"))
def _unit_vectors(
    parameters: Mapping[str, Any], shape: Shape, frozen: int | None, pooling: Pooling, texts: Rows
) -> jax.Array:
    vectors = pooled_vectors(parameters, shape, frozen, pooling, texts)
    with jax.numpy_rank_promotion("allow"):
        return vectors / jnp.maximum(jnp.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


@dataclass(frozen=True)
class Rounded:
    """Loss of a network as a small file holds it, so that little is lost when it is written.

    The gradient goes past the rounding (the straight-through estimator, Bengio et al., 2013).
    """

    loss: Any

    def __call__(self, parameters: Mapping[str, Any], *arrays: Any) -> jax.Array:
        """Return the loss, from the arrays of a batch."""
        network = {
            name: value + jax.lax.stop_gradient(from_numbers(*in_numbers(jnp, value)) - value)
            if is_rounded(name, value)
            else value
            for name, value in parameters[NETWORK].items()
        }
        found: jax.Array = self.loss({**parameters, NETWORK: network}, *arrays)
        return found


def train_network(
    data: Any,
    loss: Any,
    parameters: Mapping[str, Any],
    build: Callable[[Transformer, Mapping[str, Any]], ModelT],
    parts: dict[str, Any],
    options: Options[ModelT],
) -> ModelT:
    """Train the upper layers of a network on batches, and build the model that has them.

    ``data`` are batches, with the network before training and its settings. Further ``parameters`` are
    given by the names of their parts; ``build`` makes the model from the trained network and all of
    them. ``parts`` are data of the training, for its checkpoint.
    """
    start, how = data.lower.network, data.how
    parameters = {NETWORK: upper_weights(start.weights, how.frozen), **parameters}
    loss = Rounded(loss) if how.rounded else loss
    model = Trainable(parameters, loss, how.optimizer())

    def current() -> ModelT:
        changed = {name: np.asarray(value) for name, value in model.dense[NETWORK].items()}
        return build(start.with_weights({**start.weights, **changed}), model.dense)

    parts = {"start": start.digest, "loss": repr(loss)} | parts
    return train_encoder(model, data, how, current, parts, **options)
