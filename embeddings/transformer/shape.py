"""The hyper-parameters of a BERT that its weights do not show."""

from __future__ import annotations

from typing import Any, NamedTuple

HIDDEN_ACTS = ("gelu", "gelu_new", "gelu_pytorch_tanh", "relu")
"""Names of the functions of the inner layer, as ``hidden_act`` in a ``config.json``."""


class Shape(NamedTuple):
    """Hyper-parameters that the weights do not show.

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
    """Numbers that a head adds to the attention of a token to the other text of its pair.

    Attributes:
        other: (layers, heads) float32.
        same: (layers, heads), further, if both are the same token.
    """

    other: Any
    same: Any
