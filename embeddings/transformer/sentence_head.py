"""From the states of a sentence's tokens to its vector: pooling, dense layers, unit length.

As in sentence-transformers (Reimers and Gurevych, 2019, 3), whose folders name them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from embeddings.table import Vectors

Lengths = NDArray[np.int64]


def _sum(states: Vectors, lengths: Lengths) -> Vectors:
    return np.add.reduceat(states, _begins(lengths))


def _begins(lengths: Lengths) -> NDArray[np.int64]:
    return np.cumsum(lengths) - lengths


def _over(states: Vectors, numbers: NDArray[np.float64]) -> Vectors:
    return states / numbers.astype(np.float32)[:, None]


POOLINGS: dict[str, Callable[[Vectors, Lengths], Vectors]] = {
    "cls": lambda states, lengths: states[_begins(lengths)],
    "max": lambda states, lengths: np.maximum.reduceat(states, _begins(lengths)),
    "mean": lambda states, lengths: _over(_sum(states, lengths), lengths.astype(float)),
    "mean_sqrt_len_tokens": lambda states, lengths: _over(_sum(states, lengths), np.sqrt(lengths)),
    "lasttoken": lambda states, lengths: states[np.cumsum(lengths) - 1],
}
"""Vectors (n, dim) of the states of n sentences' tokens, end to end, each of one token or more."""

AFTER_DENSE: dict[str, Callable[[Vectors], Vectors]] = {
    "Tanh": np.tanh,
    "Identity": lambda vectors: vectors,
    "ReLU": lambda vectors: np.maximum(vectors, 0),
}
"""Functions after a dense layer, by the names of torch's classes."""


class Dense(NamedTuple):
    """A dense layer over sentence vectors: weight (out, in), bias (out,), and its function."""

    weight: Vectors
    bias: Vectors
    activation: str = "Tanh"


class Head(NamedTuple):
    """What is made of the last states.

    Attributes:
        poolings: names in :data:`POOLINGS`; the vectors of several stand side by side.
        dense: layers over that, one after another.
        normalize: scale the vector to length 1.
    """

    poolings: tuple[str, ...] = ("mean",)
    dense: tuple[Dense, ...] = ()
    normalize: bool = True

    def dim(self, width: int) -> int:
        """Length of a vector, of states of this width."""
        return len(self.dense[-1].bias) if self.dense else width * len(self.poolings)

    def vectors(self, states: Vectors, lengths: Lengths) -> Vectors:
        """Vectors (n, dim) of the states (tokens, width) of n sentences, end to end."""
        pooled = [POOLINGS[name](states, lengths) for name in self.poolings]
        vectors = pooled[0] if len(pooled) == 1 else np.concatenate(pooled, axis=1)
        for weight, bias, activation in self.dense:  # a row alone: its bits are then its own
            products = np.stack([weight @ vector for vector in vectors])
            vectors = AFTER_DENSE[activation](products + bias)
        if self.normalize:
            lengths_of = np.linalg.norm(vectors, axis=1, keepdims=True)
            vectors = vectors / np.maximum(lengths_of, np.float32(1e-12))
        return np.asarray(vectors, np.float32)
