"""Shape of a BERT, and its forward pass in plain NumPy, for a few texts: nothing is compiled.

The numbers are those of :mod:`.compiled_forward` but for their last digits. Each text is read alone,
so that its numbers do not depend on what else is read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

Array = NDArray[np.float32]

HIDDEN_ACTS = ("gelu", "gelu_new", "gelu_pytorch_tanh", "relu")
"""Names of the functions of the inner layer, as ``hidden_act`` in a ``config.json``."""


class Shape(NamedTuple):
    """Hyper-parameters of a network that its weights do not show.

    Attributes:
        first_position: row of the first token's position embedding; RoBERTa leaves some rows free.
        activation: of the inner layer, one of :data:`HIDDEN_ACTS`.
    """

    layers: int
    heads: int
    epsilon: float
    first_position: int = 0
    activation: str = "gelu"


class Gates(NamedTuple):
    """Numbers (layers, heads) float32 that a head adds to the attention of a token to the other text of
    its pair; ``same`` are added further, if both are the same token.
    """

    other: Any
    same: Any


class Lower(NamedTuple):
    """States (tokens, dim) of tokens of all texts, end to end, after so many lower layers."""

    layers: int
    states: Array


OVER = [
    *(0.3989422619342804, 0.03266853094100952, 0.00461382744833827),
    *(0.00015784920833539218, 6.3865822994557675e-06, 2.4437188272941057e-08),
]
UNDER = [
    *(1.0, 0.2485542595386505, 0.027991455048322678),
    *(0.001822698744945228, 7.067374099278823e-05, 1.2488586662584567e-06),
]
CUT = 5.25
"""The normal distribution function less a half is x · P(x²) / Q(x²) for |x| up to 5.25, to 4e-9;
both fitted by us with reweighted least squares, and 3e-7 in single precision. These are their
coefficients, from that of x⁰ on."""

_ONE_AT_A_TIME = Lock()


def _gelu(x: Array) -> Array:
    """x · Φ(x) (Hendrycks and Gimpel, 2016, 2)."""
    z = np.clip(x, -CUT, CUT)
    over, under = (_polynomial(coefficients, z * z) for coefficients in (OVER, UNDER))
    return np.asarray(x * (np.float32(0.5) + z * over / under), np.float32)


def _polynomial(coefficients: Sequence[float], x: Array) -> Array:
    total = np.zeros_like(x)
    for coefficient in reversed(coefficients):
        total = total * x + np.float32(coefficient)
    return total


def _gelu_by_tanh(x: Array) -> Array:
    cubed = x + np.float32(0.044715) * x * x * x
    return np.asarray(x / (1 + np.exp(-2 * math.sqrt(2 / math.pi) * cubed)), np.float32)


def _relu(x: Array) -> Array:
    return np.maximum(x, 0)


_ACTIVATIONS: dict[str, Callable[[Array], Array]] = {"gelu": _gelu, "relu": _relu}
"""The others are approximations by tanh."""


def states_after(
    weights: Mapping[str, Any],
    shape: Shape,
    ids: Sequence[Sequence[int]],
    layers: Sequence[int],
    token_types: Sequence[Sequence[int]] | None = None,
    gates: Gates | None = None,
    lower: Lower | None = None,
) -> Array:
    """Return states (len(layers), tokens, dim), see :func:`.compiled_forward.states_after`."""
    types = token_types or [[0] * len(one) for one in ids]
    sides = 1 if gates is None else 2
    network, found = _Network(weights, shape, gates), []
    ends = np.cumsum([0, *map(len, ids)])
    with _ONE_AT_A_TIME, threadpool_limits(1):  # matrices so small are slower with more threads
        for place in range(0, len(ids), sides):
            text, own = slice(place, place + sides), slice(ends[place], ends[place + sides])
            known = lower and Lower(lower.layers, lower.states[own])
            found.append(network.read(ids[text], types[text], layers, known))
    return np.concatenate(found, axis=1)


class _Network:
    def __init__(self, weights: Mapping[str, Any], shape: Shape, gates: Gates | None) -> None:
        self.weights, self.shape, self.gates = weights, shape, gates

    def read(
        self,
        ids: Sequence[Sequence[int]],
        types: Sequence[Sequence[int]],
        layers: Sequence[int],
        lower: Lower | None,
    ) -> Array:
        """Return the states of one text, or of two that are a pair."""
        first, states = lower or (0, np.concatenate(list(map(self._embed, ids, types))))
        numbers = np.concatenate([np.asarray(one) for one in ids])
        side = np.repeat(np.arange(len(ids)), [len(one) for one in ids])
        other, same = side[:, None] != side, numbers[:, None] == numbers
        kept = {first: states}
        for layer in range(first, max(layers, default=0)):
            states = self._layer(layer, states, self._added(layer, other, same))
            kept[layer + 1] = states
        return np.stack([kept[layer] for layer in layers])

    def _embed(self, ids: Sequence[int], types: Sequence[int]) -> Array:
        first = self.shape.first_position
        states = (
            self._get("embeddings.word_embeddings.weight")[np.asarray(ids, int)]
            + self._get("embeddings.position_embeddings.weight")[first : first + len(ids)]
            + self._get("embeddings.token_type_embeddings.weight")[np.asarray(types, int)]
        )
        return self._normalise("embeddings.LayerNorm", states)

    def _added(self, layer: int, other: NDArray[np.bool_], same: NDArray[np.bool_]) -> Array:
        """Return what is added to the scores (heads, tokens, tokens) of attention: the other side of a pair
        is seen in the upper layers alone.
        """
        heads = np.full((self.shape.heads, 1, 1), -np.inf, np.float32)
        if self.gates is not None:
            own = layer - (self.shape.layers - len(self.gates.other))
            if own >= 0:
                across, alike = (np.asarray(gate[own])[:, None, None] for gate in self.gates)
                heads = across + alike * same
        return np.where(other, heads, np.float32(0))

    def _layer(self, layer: int, states: Array, added: Array) -> Array:
        name = f"encoder.layer.{layer}"
        query, key, value = (
            self._dense(f"{name}.attention.self.{part}", states)
            .reshape(len(states), self.shape.heads, -1)
            .swapaxes(0, 1)
            for part in ("query", "key", "value")
        )
        scores = query @ key.swapaxes(1, 2) / np.float32(math.sqrt(query.shape[2])) + added
        chances = np.exp(scores - scores.max(axis=2, keepdims=True))
        seen = chances / chances.sum(axis=2, keepdims=True) @ value
        mixed = self._dense(
            f"{name}.attention.output.dense", seen.swapaxes(0, 1).reshape(len(states), -1)
        )
        states = self._normalise(f"{name}.attention.output.LayerNorm", states + mixed)
        activate = _ACTIVATIONS.get(self.shape.activation, _gelu_by_tanh)
        inner = activate(self._dense(f"{name}.intermediate.dense", states))
        outer = self._dense(f"{name}.output.dense", inner)
        return self._normalise(f"{name}.output.LayerNorm", states + outer)

    def _dense(self, name: str, states: Array) -> Array:
        product: Array = states @ self._get(f"{name}.weight").T
        return product + self._get(f"{name}.bias")

    def _normalise(self, name: str, states: Array) -> Array:
        apart = states - states.mean(axis=1, keepdims=True)
        variance = np.square(apart).mean(axis=1, keepdims=True) + np.float32(self.shape.epsilon)
        scaled: Array = apart / np.sqrt(variance) * self._get(f"{name}.weight")
        return scaled + self._get(f"{name}.bias")

    def _get(self, name: str) -> Array:
        return np.asarray(self.weights[name], np.float32)
