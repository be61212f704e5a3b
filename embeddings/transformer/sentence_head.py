"""Head of a transformer: pooling of the states of tokens, dense layers, unit length.

As in sentence-transformers (Reimers and Gurevych, 2019, 3), whose folders name them, but for the
attention, which is :class:`semaniacs.embeddings.transformer.poolings.MultiHead` without JAX.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.table import Vectors

Lengths = NDArray[np.int64]


def _begins(lengths: Lengths) -> NDArray[np.int64]:
    return np.cumsum(lengths) - lengths


def _sum_over(states: Vectors, lengths: Lengths, divisors: NDArray[np.float64]) -> Vectors:
    sums = np.add.reduceat(states, _begins(lengths))
    return np.asarray(sums / divisors.astype(np.float32)[:, None])


POOLINGS: dict[str, Callable[[Vectors, Lengths], Vectors]] = {
    "cls": lambda states, lengths: states[_begins(lengths)],
    "max": lambda states, lengths: np.maximum.reduceat(states, _begins(lengths)),
    "mean": lambda states, lengths: _sum_over(states, lengths, lengths.astype(float)),
    "mean_sqrt_len_tokens": lambda states, lengths: _sum_over(states, lengths, np.sqrt(lengths)),
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


class Attention(NamedTuple):
    """Weights of :class:`semaniacs.embeddings.transformer.poolings.MultiHead`."""

    w1: Vectors
    b1: Vectors
    w2: Vectors
    b2: Vectors

    def vectors(self, states: Vectors, lengths: Lengths) -> Vectors:
        """Vectors (n, heads · width) of the states of n sentences, end to end."""
        parts = np.split(states, np.cumsum(lengths)[:-1])
        return np.stack([np.concatenate([*self._heads(one)]) for one in parts])

    def _heads(self, states: Vectors) -> Iterator[Vectors]:
        """Yield the vector of each head, from the states (t, width) of one sentence."""
        for w1, b1, w2, b2 in zip(*self, strict=True):
            scores = np.maximum(states @ w1.T + b1, 0) @ w2.T + b2
            weights = np.exp(scores - scores.max(axis=0))
            yield (weights / weights.sum(axis=0) * states).sum(axis=0)


class Head(NamedTuple):
    """Steps from the states of a sentence's tokens to its vector.

    Attributes:
        poolings: names in :data:`POOLINGS`; the vectors of several are joined.
        dense: layers over that, one after another.
        normalize: whether the vector is scaled to length 1.
        layers: weights of the states after the last layers; the last one alone by default.
        attention: replaces the poolings.
    """

    poolings: tuple[str, ...] = ("mean",)
    dense: tuple[Dense, ...] = ()
    normalize: bool = True
    layers: tuple[float, ...] = ()
    attention: Attention | None = None

    def dim(self, width: int) -> int:
        """Return the length of a vector, from states of this width."""
        if self.dense:
            return len(self.dense[-1].bias)
        return width * (len(self.attention.b1) if self.attention else len(self.poolings))

    def reads(self, layers: int) -> range:
        """Return the layers whose states it takes, of a network of so many."""
        return range(layers + 1 - (len(self.layers) or 1), layers + 1)

    def vectors(self, after: Sequence[Vectors] | Vectors, lengths: Lengths) -> Vectors:
        """Vectors (n, dim) of n sentences of ``lengths`` (n,) tokens, whose states (tokens, width) are end to
        end, after each layer of :meth:`reads`.
        """
        states = after[-1]
        if self.layers:
            states = np.sum(
                [np.float32(w) * one for w, one in zip(self.layers, after, strict=True)], axis=0
            )
        if self.attention:
            vectors = self.attention.vectors(states, lengths)
        else:
            pooled = [POOLINGS[name](states, lengths) for name in self.poolings]
            vectors = pooled[0] if len(pooled) == 1 else np.concatenate(pooled, axis=1)
        for weight, bias, activation in self.dense:  # a row alone: its bits are then its own
            products = np.stack([weight @ vector for vector in vectors])
            vectors = AFTER_DENSE[activation](products + bias)
        if self.normalize:
            lengths_of = np.linalg.norm(vectors, axis=1, keepdims=True)
            vectors = vectors / np.maximum(lengths_of, np.float32(1e-12))
        return np.asarray(vectors, np.float32)
