"""The papers' losses, each written like its equation. Shapes: (n, dim) in, scalar out."""

from __future__ import annotations

import jax
import jax.numpy as jnp


def cosine(a: jax.Array, b: jax.Array) -> jax.Array:
    """Row-wise a·b / (‖a‖ ‖b‖), (n,); the floor keeps the gradient finite at the zero vector."""
    norms = jnp.sqrt(jnp.maximum((a * a).sum(-1) * (b * b).sum(-1), 1e-12))
    return (a * b).sum(-1) / norms


def paragram_margin(
    left: jax.Array,
    right: jax.Array,
    not_left: jax.Array,
    not_right: jax.Array,
    *,
    margin: float,
) -> jax.Array:
    """Mean over pairs of the two hinges of the Paragram objective.

        max(0, δ − cos(g(x₁), g(x₂)) + cos(g(x₁), g(t₁)))
      + max(0, δ − cos(g(x₁), g(x₂)) + cos(g(x₂), g(t₂)))              (eq. 2)

    Args:
        left, right: g(x₁), g(x₂), the two sides of each pair, (n, dim).
        not_left, not_right: g(t₁), g(t₂), a negative example for each side, (n, dim).
        margin: δ, from 0 to 2.

    Reference: Hokamp and Arora (2016), eq. 2; Wieting et al. (2015).
    """
    agreement = cosine(left, right)
    from_left = jnp.maximum(0.0, margin - agreement + cosine(left, not_left))
    from_right = jnp.maximum(0.0, margin - agreement + cosine(right, not_right))
    return jnp.mean(from_left + from_right)


def pull_to_start(table: jax.Array, start: jax.Array, *, weight: float) -> jax.Array:
    """λ ‖W_initial − W‖², the last term of eq. 2; both tables are (rows, dim)."""
    return weight * jnp.sum((start - table) ** 2)
