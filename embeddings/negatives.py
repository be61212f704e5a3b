"""Where negative examples come from (paper, §3.1)."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray


def random_other(
    rng: np.random.Generator, pairs: NDArray[np.int64], total: int
) -> NDArray[np.int64]:
    """For each pair in ``pairs`` (n,), the index (n,) of another pair out of ``total``.

    Uniform over the others: a shift of 1 … total-1 never lands on the pair itself.

    Raises:
        ValueError: there is no other pair.
    """
    if total < 2:
        raise ValueError("random negatives need at least two pairs")
    return (pairs + rng.integers(1, total, size=len(pairs))) % total


def hardest_in_batch(anchors: jax.Array, candidates: jax.Array) -> jax.Array:
    """For each anchor i, the candidate j ≠ i that is most similar to it: (n, dim).

    Args:
        anchors, candidates: (n, dim); row i of both belongs to pair i.
    """
    similarities = _rows(anchors) @ _rows(candidates).T
    others = jnp.where(jnp.eye(len(anchors), dtype=bool), -jnp.inf, similarities)
    return candidates[jnp.argmax(others, axis=1)]


def _rows(vectors: jax.Array) -> jax.Array:
    return vectors / jnp.sqrt(jnp.maximum((vectors**2).sum(-1, keepdims=True), 1e-12))
