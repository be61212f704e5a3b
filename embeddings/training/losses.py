"""The losses, each with its equation. Shapes: (n, dim) in, scalar out."""

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
    from_right = one_sided_margin(right, left, not_right, margin=margin)
    return one_sided_margin(left, right, not_left, margin=margin) + from_right


def one_sided_margin(
    left: jax.Array, right: jax.Array, not_left: jax.Array, *, margin: float
) -> jax.Array:
    """The first hinge alone: max(0, δ − cos(g(x₁), g(x₂)) + cos(g(x₁), g(t₁))).

    Reference: Wieting et al. (2019), eq. 1, where t₁ is of x₂'s language.
    """
    return jnp.mean(jnp.maximum(0.0, margin - cosine(left, right) + cosine(left, not_left)))


def multiple_negatives(
    left: jax.Array, right: jax.Array, *, scale: float, margin: float = 0.0
) -> jax.Array:
    """Cross-entropy of finding the other side in the batch, by softmax over scaled cosines.

        − log exp s(cᵢᵢ − m) / (exp s(cᵢᵢ − m) + Σⱼ≠ᵢ exp s cᵢⱼ),   cᵢⱼ = cos(g(x₁ᵢ), g(x₂ⱼ))

    averaged over both directions. With m = 0 it is the multiple-negatives
    ranking loss of Henderson et al. (2017), eq. 4; with m > 0 the additive margin
    softmax of Yang et al. (2019), eq. 4 to 6.

    Args:
        left, right: (n, dim).
        scale: s, the inverse temperature.
        margin: m, what the cosine of a pair is lowered by.
    """
    scores = scale * (cosines(left, right) - margin * jnp.eye(len(left)))
    to_right = jnp.diag(jax.nn.log_softmax(scores, axis=1))
    to_left = jnp.diag(jax.nn.log_softmax(scores, axis=0))
    return -jnp.mean(to_right + to_left) / 2


def cosine_agreement(student: jax.Array, teacher: jax.Array) -> jax.Array:
    """Mean squared difference between the cosines of two encoders over one batch.

        mean over i ≠ j of (cos(sᵢ, sⱼ) − cos(tᵢ, tⱼ))²

    Args:
        student: (n, dim).
        teacher: (n, other dim), not trained.

    Reference: relational distillation, Park et al. (2019), here over cosines.
    """
    differences = (cosines(student, student) - cosines(teacher, teacher)) ** 2
    n = len(student)
    return (differences.sum() - jnp.trace(differences)) / max(1, n * (n - 1))


def l2_to_init(rows: jax.Array, start: jax.Array, *, weight: float) -> jax.Array:
    """λ ‖W_initial − W‖², the last term of eq. 2; both arrays are (rows, dim)."""
    return weight * jnp.sum((start - rows) ** 2)


def _unit(vectors: jax.Array) -> jax.Array:
    return vectors / jnp.sqrt(jnp.maximum((vectors**2).sum(-1, keepdims=True), 1e-12))
