"""Where negative examples come from (paper, §3.1)."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]


def random_segment(
    rng: np.random.Generator, own: Indices, size: Indices, first: Indices
) -> Indices:
    """For each of n pairs a segment (n,) that is not one of its own two.

    Uniform over the other segments of the pair's source, which are numbered
    ``first`` … ``first + size - 1``: the draw is from as many numbers as there
    are others, and steps over the pair's own.

    Args:
        rng: where it is drawn from.
        own: (n, 2) the segments of each pair; both may be the same one.
        size, first: (n,) of the source of each pair.

    Raises:
        ValueError: a source has no other segment.
    """
    low, high = own.min(axis=1) - first, own.max(axis=1) - first
    two = (low != high).astype(np.int64)
    if np.any(size - 1 - two < 1):
        raise ValueError("random negatives need a segment outside the pair")
    drawn: Indices = rng.integers(0, size - 1 - two)
    drawn += drawn >= low
    drawn += two * (drawn >= high)
    return first + drawn


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
