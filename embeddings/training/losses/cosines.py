"""Cosines, and the losses that have no settings."""

from __future__ import annotations

import jax
import jax.numpy as jnp


def cosine(a: jax.Array, b: jax.Array) -> jax.Array:
    """Row-wise a·b / (‖a‖ ‖b‖), (n,); the floor keeps the gradient finite at the zero vector."""
    norms = jnp.sqrt(jnp.maximum((a * a).sum(-1) * (b * b).sum(-1), 1e-12))
    return (a * b).sum(-1) / norms


def cosines(a: jax.Array, b: jax.Array) -> jax.Array:
    """Cosine of each row of ``a`` with each of ``b``, (len(a), len(b)); 0 at the zero vector."""
    return _unit(a) @ _unit(b).T


def cosine_agreement(student: jax.Array, teacher: jax.Array) -> jax.Array:
    """Mean over i ≠ j of (cos(sᵢ, sⱼ) − cos(tᵢ, tⱼ))²: relational distillation over cosines.

    Args:
        student: (n, dim).
        teacher: (n, other dim), not trained.

    Reference: Park et al. (2019).
    """
    differences = (cosines(student, student) - cosines(teacher, teacher)) ** 2
    n = len(student)
    return (differences.sum() - jnp.trace(differences)) / max(1, n * (n - 1))


def l2_to_init(rows: jax.Array, start: jax.Array, *, weight: float) -> jax.Array:
    """λ ‖W_initial − W‖², the last term of eq. 2; both arrays are (rows, dim)."""
    return weight * jnp.sum((start - rows) ** 2)


def _unit(vectors: jax.Array) -> jax.Array:
    return vectors / jnp.sqrt(jnp.maximum((vectors**2).sum(-1, keepdims=True), 1e-12))
