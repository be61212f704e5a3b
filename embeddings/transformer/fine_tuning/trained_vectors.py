"""Sentence vectors by parameters that are in training, from the states of the frozen layers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from embeddings.table import Vectors
from embeddings.transformer.fine_tuning.lower_layers import (
    TEXTS_AT_ONCE,
    LowerLayers,
    Places,
    Rows,
)
from embeddings.transformer.fine_tuning.pair_batches import repeat
from embeddings.transformer.fine_tuning.tuning_configuration import FineTuning
from embeddings.transformer.fine_tuning.upper_layers import run_upper, upper_weights
from embeddings.transformer.network import Dropout
from embeddings.transformer.poolings import Pooling
from embeddings.transformer.shape import Shape
from embeddings.transformer.transformer_encoder import Transformer

NETWORK, POOLING, HEAD = "network", "pooling", "head"
"""Names of the parts of the parameters: what is trained of the layers, of how their states become
a vector, and of how two vectors are compared."""


def starting_parameters(
    start: Transformer, how: FineTuning, pooling: Pooling
) -> dict[str, dict[str, Any]]:
    """Return the trained parameters of a network and a pooling, as they are at first."""
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
    """Vectors (n, out) of texts as :meth:`LowerLayers.batch` gives them.

    The pooling is given the states after the highest frozen layer too, if one is frozen.
    """
    found = run_upper(parameters[NETWORK], shape, frozen, texts, dropout)
    if frozen:
        found = [texts.tokens.astype(jnp.float32), *found]
    with jax.numpy_rank_promotion("allow"):
        each = [layer.reshape(-1, layer.shape[-1])[texts.places] for layer in found]
        return pooling(parameters[POOLING], each, texts.mask)


def unit_vectors(
    parameters: Mapping[str, Any], lower: LowerLayers, pooling: Pooling, rows: Places
) -> Vectors:
    """Vectors (k, out) of length 1 of some texts.

    Args:
        parameters: as :func:`pooled_vectors` takes them.
        lower: the texts.
        pooling: of their states.
        rows: (k,) which of them, at least one.
    """
    found = []
    for begin in range(0, len(rows), TEXTS_AT_ONCE):
        part = rows[begin : begin + TEXTS_AT_ONCE]
        texts = repeat(lower.batch(part), TEXTS_AT_ONCE)
        vectors = _unit_vectors(parameters, lower.shape, lower.frozen, pooling, texts)
        found.append(np.asarray(vectors)[: len(part)])
    return np.concatenate(found)


@partial(jax.jit, static_argnames=("shape", "frozen", "pooling"))
def _unit_vectors(
    parameters: Mapping[str, Any], shape: Shape, frozen: int | None, pooling: Pooling, texts: Rows
) -> jax.Array:
    vectors = pooled_vectors(parameters, shape, frozen, pooling, texts)
    with jax.numpy_rank_promotion("allow"):
        return vectors / jnp.maximum(jnp.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
