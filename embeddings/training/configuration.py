"""Settings of trainings, as records; importing them does not import JAX."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Literal

from embeddings.training.objectives import HingeLoss, NegativeSampling, Objective

OptimizerName = Literal["adadelta", "adam", "adagrad", "momentum"]


@dataclass(frozen=True)
class Schedule:
    """Length and speed of a training; every kind of training extends it.

    Attributes:
        epochs: passes over the training data.
        batch: pairs or sentences a step.
        learning_rate: of the first step.
        final_rate: that of the last step as a fraction of it; in between it falls linearly.
        seed: of everything that is drawn.
    """

    epochs: int = 10
    batch: int = 100
    learning_rate: float = 1.0
    final_rate: float = 1.0
    seed: int = 0

    def rate(self, done: float) -> float:
        """The learning rate when a fraction of the training, from 0 to 1, is done."""
        return self.learning_rate * (1 - (1 - self.final_rate) * done)

    def as_dict(self) -> dict[str, Any]:
        """The fields by name; a field that is an object is written as its ``repr``."""
        values = {own.name: getattr(self, own.name) for own in fields(self)}
        plain = (int, float, str, type(None))
        return {k: v if isinstance(v, plain) else repr(v) for k, v in values.items()}


@dataclass(frozen=True)
class Training(Schedule):
    """Settings of a training on pairs that mean the same; the defaults are the paper's (3.6).

    Attributes:
        objective: the loss of a batch, see :mod:`embeddings.training.objectives`.
        negatives: how the negative examples of a hinge loss are chosen.
        l2_to_init: λ of eq. 2, the weight decay towards the starting vectors.
        optimizer: see :mod:`embeddings.training.optimizers`.
        interpolation: weight of the trained vectors in the result, from 0 to 1; the rest is
            the starting vectors. Vectors in between lose less on text that is unlike the
            training pairs (Wortsman et al., 2022, on fine-tuned networks).
    """

    objective: Objective = field(default_factory=HingeLoss)
    negatives: NegativeSampling = field(default_factory=NegativeSampling)
    l2_to_init: float = 1e-5
    optimizer: OptimizerName = "adadelta"
    interpolation: float = 1.0
