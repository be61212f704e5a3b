"""Where negative examples come from (paper, §3.1)."""

from __future__ import annotations

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]


def random_other(
    rng: np.random.Generator, pairs: Indices, size: int | Indices, first: int | Indices = 0
) -> Indices:
    """For each pair in ``pairs`` (n,), the index (n,) of another pair of the same block.

    Uniform over the others: a shift of 1 … size-1, counted round the block,
    never lands on the pair itself.

    Args:
        rng: where the shifts are drawn from.
        pairs: (n,) indices.
        size: length of the block that each pair lies in, one for all or (n,).
        first: index at which that block begins, one for all or (n,).

    Raises:
        ValueError: a block holds no other pair.
    """
    if np.min(size) < 2:
        raise ValueError("random negatives need at least two pairs")
    return first + (pairs - first + rng.integers(1, size, size=len(pairs))) % size


def blocks(sizes: Sequence[int]) -> tuple[Indices, Indices]:
    """For each of n pairs the length (n,) and the first index (n,) of its block.

    Args:
        sizes: lengths of the blocks, which lie end to end. A block of one pair
            holds no other, so its pair may meet every pair.
    """
    total = sum(sizes)
    length = np.repeat(np.array(sizes, np.int64), sizes)
    first = np.repeat(np.cumsum([0, *sizes])[:-1], sizes)
    alone = length < 2
    return np.where(alone, total, length), np.where(alone, 0, first)


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
