"""Where negative examples come from (paper, 3.1; mega-batches: Wieting and Gimpel, 2018, 4.2)."""

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


def forbidden(own: Indices, candidates: Indices) -> NDArray[np.bool_]:
    """Which candidates (m,) are no negative for a pair (n, 2): its own two segments; (n, m)."""
    never: NDArray[np.bool_] = (own[:, :1] == candidates) | (own[:, 1:] == candidates)
    return never


def hardest(anchors: jax.Array, candidates: jax.Array, never: jax.Array) -> jax.Array:
    """For each anchor the number (n,) of the candidate with the highest cosine.

    Args:
        anchors: (n, dim).
        candidates: (m, dim); of equal ones the first is taken.
        never: (n, m), true where a candidate is no negative for an anchor.
    """
    return jnp.argmax(jnp.where(never, -jnp.inf, cosines(anchors, candidates)), axis=1)
