"""Cosines of vectors in JAX."""

from __future__ import annotations

import jax.numpy as jnp
from jax import Array


def cosine(a: Array, b: Array) -> Array:
    """Row-wise a·b / (‖a‖ ‖b‖), (n,); the floor keeps the gradient finite at the zero vector."""
    norms = jnp.sqrt(jnp.maximum((a * a).sum(-1) * (b * b).sum(-1), 1e-12))
    return (a * b).sum(-1) / norms


def cosines(a: Array, b: Array) -> Array:
    """Cosine of each row of ``a`` with each of ``b``, (len(a), len(b)); 0 at the zero vector."""
    return _unit(a) @ _unit(b).T


def _unit(vectors: Array) -> Array:
    return vectors / jnp.sqrt(jnp.maximum((vectors**2).sum(-1, keepdims=True), 1e-12))
