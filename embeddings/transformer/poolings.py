"""Poolings: states of the tokens of a sentence to its vector, as records.

Vatolin et al. (2021), section on poolings; the multi-head pooling is that of Chen et al. (2018),
Enhancing Sentence Embedding with Generalized Pooling. After training, the head of
:mod:`semaniacs.embeddings.transformer.sentence_head` does the same without JAX.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.transformer.sentence_head import Attention, Head

Parameters = Mapping[str, Any]


class Pooling:
    """Function from token states to a sentence vector."""

    encodes_as: ClassVar[Head] = Head()

    def initial(self, dim: int, layers: int, seed: int) -> dict[str, NDArray[np.float32]]:
        """Return the parameters that training starts from, of states (dim,) after so many layers, by name."""
        return {}

    def head(self, own: Parameters) -> Head:
        """Return the head that encodes as the trained pooling does, without JAX."""
        return self.encodes_as

    def __call__(self, own: Parameters, states: Sequence[jax.Array], mask: jax.Array) -> jax.Array:
        """Sentence vectors (n, out) of states (n, t, dim) after each layer, the last one last.

        ``own`` are the pooling's parameters; ``mask`` (n, t) is 1 for a token, of which each row has one.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class Mean(Pooling):
    """Mean of the last states."""

    def __call__(self, own: Parameters, states: Sequence[jax.Array], mask: jax.Array) -> jax.Array:
        """(n, dim)."""
        return mean(states[-1], mask)


@dataclass(frozen=True)
class FirstToken(Pooling):
    """Last state of the first token, [CLS]."""

    encodes_as: ClassVar[Head] = Head(("cls",))

    def __call__(self, own: Parameters, states: Sequence[jax.Array], mask: jax.Array) -> jax.Array:
        """(n, dim)."""
        return states[-1][:, 0]


@dataclass(frozen=True)
class Largest(Pooling):
    """Largest number of the last states in each dimension: max over time."""

    encodes_as: ClassVar[Head] = Head(("max",))

    def __call__(self, own: Parameters, states: Sequence[jax.Array], mask: jax.Array) -> jax.Array:
        """(n, dim)."""
        return jnp.where(mask[:, :, None] > 0, states[-1], -jnp.inf).max(axis=1)


@dataclass(frozen=True)
class WeightedLayers(Pooling):
    """Means of the states of each layer, weighted by a softmax of one number per layer.

        u = Σₗ softmax(w)ₗ · mean(Hₗ)

    It starts close to the mean of the last layer, whose number is larger by ``last``.
    """

    last: float = 4.0

    def initial(self, dim: int, layers: int, seed: int) -> dict[str, NDArray[np.float32]]:
        """Return the numbers (layers,)."""
        weights = np.zeros(layers, np.float32)
        weights[-1] = self.last
        return {"layer_weights": weights}

    def head(self, own: Parameters) -> Head:
        """Return the head with the weights of the layers."""
        weights = np.exp(np.asarray(own["layer_weights"], np.float64))
        return Head(layers=tuple((weights / weights.sum()).tolist()))

    def __call__(self, own: Parameters, states: Sequence[jax.Array], mask: jax.Array) -> jax.Array:
        """(n, dim)."""
        shares = jax.nn.softmax(own["layer_weights"])
        means = jnp.stack([mean(layer, mask) for layer in states])
        return jnp.einsum("l,lnd->nd", shares, means)


@dataclass(frozen=True)
class MultiHead(Pooling):
    """Global multi-head attention: each head is a mean of the last states with learned weights.

        Aᵢ = softmax over words of (W₂ ReLU(W₁ Hᵀ + b₁) + b₂),   uᵢ = Σₜ Aᵢₜ ⊙ Hₜ,   u = [u₁ … uₙ]

    W₂ starts at zero, so that every head starts as the plain mean. ``hidden`` are the rows of W₁. There
    is a weight for each word and dimension (Chen et al., 2018), if ``each_dimension``, or one for
    each word alone (Vatolin et al., 2021).
    """

    heads: int = 3
    hidden: int = 128
    each_dimension: bool = False

    def initial(self, dim: int, layers: int, seed: int) -> dict[str, NDArray[np.float32]]:
        """Return W₁ (heads, hidden, dim) as Glorot and Bengio (2010), the others zero."""
        width = np.sqrt(6 / (dim + self.hidden))
        rng = np.random.default_rng(seed)
        out = dim if self.each_dimension else 1
        return {
            "w1": rng.uniform(-width, width, (self.heads, self.hidden, dim)).astype(np.float32),
            "b1": np.zeros((self.heads, self.hidden), np.float32),
            "w2": np.zeros((self.heads, out, self.hidden), np.float32),
            "b2": np.zeros((self.heads, out), np.float32),
        }

    def head(self, own: Parameters) -> Head:
        """Return the head with the weights of the attention."""
        learned = (np.asarray(own[name], np.float32) for name in Attention._fields)
        return Head((), attention=Attention(*learned))

    def __call__(self, own: Parameters, states: Sequence[jax.Array], mask: jax.Array) -> jax.Array:
        """(n, heads · dim)."""
        last = states[-1]
        inner = jnp.einsum("ntd,khd->nkth", last, own["w1"]) + own["b1"][None, :, None]
        scores = jnp.einsum("nkth,koh->nkto", jax.nn.relu(inner), own["w2"])
        scores = scores + own["b2"][None, :, None]
        seen = mask[:, None, :, None] > 0
        weights = jax.nn.softmax(jnp.where(seen, scores, -1e9), axis=2)
        heads = (weights * last[:, None]).sum(axis=2)
        return heads.reshape(len(last), -1)


def mean(states: jax.Array, mask: jax.Array) -> jax.Array:
    """Mean (n, dim) of the states (n, t, dim) of the tokens that ``mask`` (n, t) shows."""
    total = jnp.einsum("ntd,nt->nd", states, mask)
    return total / jnp.maximum(mask.sum(1, keepdims=True), 1.0)


POOLINGS: dict[str, Callable[[], Pooling]] = {
    "mean": Mean,
    "cls": FirstToken,
    "max": Largest,
    "weighted-layers": WeightedLayers,
    "multi-head": MultiHead,
    "multi-head-dimensions": lambda: MultiHead(each_dimension=True),
}
"""Poolings by name on a command line."""
