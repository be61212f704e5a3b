"""The layers of a BERT that are trained, over texts that the frozen layers below have read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from embeddings.transformer.fine_tuning.lower_layers import Rows
from embeddings.transformer.network import Dropout, Weights, embedded, run_layers
from embeddings.transformer.shape import Gates, Shape
from embeddings.transformer.transformer_encoder import Transformer


def upper_weights(weights: Weights, first: int | None) -> Weights:
    """Return the weights of the layers from ``first`` on; if it is None, of the embeddings too.

    Whole numbers, such as the positions that old files hold, are none.
    """
    return {
        name: value
        for name, value in weights.items()
        if _is_upper(name, first) and np.issubdtype(value.dtype, np.floating)
    }


def _is_upper(name: str, first: int | None) -> bool:
    if name.startswith("pooler."):
        return False
    if first is None:
        return True
    parts = name.split(".")
    return parts[:2] == ["encoder", "layer"] and int(parts[2]) >= first


def with_trained(start: Transformer, trained: Mapping[str, Any]) -> Transformer:
    """A network with these weights in the place of its own."""
    changed = {name: np.asarray(value) for name, value in trained.items()}
    return start.with_weights({**start.weights, **changed})


def run_upper(
    weights: Weights,
    shape: Shape,
    frozen: int | None,
    texts: Rows,
    dropout: Dropout | None = None,
    gates: Gates | None = None,
) -> list[jax.Array]:
    """The states of :func:`run_layers` of texts that stand in rows."""
    states = texts.tokens
    if states.ndim == 2:
        states = embedded(weights, shape, states, texts.types, texts.positions)
    states, first = states.astype(jnp.float32), frozen or 0
    return run_layers(weights, shape, states, texts.texts, first, dropout, gates, texts.ids)
