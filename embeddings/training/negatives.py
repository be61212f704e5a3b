"""Negative examples: drawn at random, or the most similar candidates (paper, 3.1)."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from embeddings.training.losses import cosines

Indices = NDArray[np.int64]


def random_segment(
    rng: np.random.Generator, own: Indices, size: Indices, first: Indices
) -> Indices:
    """Draw for each of n pairs the number (n,) of a segment that is not one of its own two.

    The draw is uniform over the other segments of the pair's source, which has the
    numbers ``first`` … ``first + size - 1``.

    Args:
        rng: the random numbers.
        own: (n, 2) the segments of each pair, which may be equal.
        size, first: (n,) number of segments and first segment of each pair's source.

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


def forbidden(own: Indices, candidates: Indices) -> NDArray[np.bool_]:
    """(n, m) true where a candidate (m,) is one of the two segments of a pair (n, 2)."""
    never: NDArray[np.bool_] = (own[:, :1] == candidates) | (own[:, 1:] == candidates)
    return never


def hardest_or_own(anchors: jax.Array, candidates: jax.Array, never: jax.Array) -> jax.Array:
    """The number (n,) of the most similar candidate of each anchor, by cosine.

    An anchor without any candidate gets its own other side, which cancels out of a hinge
    loss: the pair then has no gradient.

    Args:
        anchors, candidates: (n, dim), the two sides of n pairs; among equal candidates the
            first is taken.
        never: (n, n), true where a candidate is no negative of an anchor.
    """
    best = jnp.argmax(jnp.where(never, -jnp.inf, cosines(anchors, candidates)), axis=1)
    return jnp.where(never.all(axis=1), jnp.arange(len(anchors)), best)
