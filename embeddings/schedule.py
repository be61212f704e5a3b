"""How an encoder is trained, as a record; apart from the training, so that recipes need no JAX."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Training:
    """How an encoder is trained. The defaults are the paper's (§3.6).

    Attributes:
        epochs: passes over the pairs.
        batch: pairs a step.
        margin: δ of eq. 2.
        pull: λ of eq. 2, towards the starting vectors.
        negatives: ``random`` (drawn again each epoch) or ``hardest`` in the batch.
        optimizer: ``adadelta`` or ``adam``; learning_rate is that of the optimizer.
        seed: of shuffling and of random negatives.
    """

    epochs: int = 10
    batch: int = 100
    margin: float = 0.8
    pull: float = 1e-5
    negatives: Literal["random", "hardest"] = "random"
    optimizer: Literal["adadelta", "adam"] = "adadelta"
    learning_rate: float = 1.0
    seed: int = 0
