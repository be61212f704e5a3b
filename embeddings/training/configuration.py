"""How an encoder is trained, as a record; apart from the training, so that recipes need no JAX."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Objective = Literal["paragram", "one-sided", "ranking", "additive"]
Negatives = Literal["random", "hardest", "mixed"]
OptimizerName = Literal["adadelta", "adam", "adagrad", "momentum"]


@dataclass(frozen=True)
class Training:
    """How an encoder is trained on pairs. The defaults are the paper's (3.6).

    Attributes:
        epochs: passes over the pairs.
        batch: pairs a step.
        objective: ``paragram`` (eq. 2), ``one-sided`` (its first hinge alone),
            ``ranking`` (multiple negatives) or ``additive`` (that, with a margin),
            see :mod:`embeddings.training.losses`.
        margin: δ of the margin objectives.
        scale: what cosines are multiplied by in the ranking objectives.
        pull: λ of eq. 2, towards the starting vectors.
        negatives: of the margin objectives: ``random`` (drawn again each epoch),
            ``hardest`` in the batch, or ``mixed``, each in half of the cases. The
            ranking objectives always contrast a pair with all others of its batch.
        megabatch: so many batches are searched together for hard negatives, from 1
            in the first epoch, one more in each, up to this (Wieting and Gimpel, 2018, 4.2).
        optimizer: ``adadelta``, ``adam``, ``adagrad`` or ``momentum``, see
            :mod:`embeddings.training.optimizers`.
        learning_rate: of the first step …
        final_rate: … and at the end, as a fraction of it; between them a straight line.
        share: how far to go in the end, as a fraction of the way from the starting
            vectors to the trained ones. Vectors in between lose less on text that is
            unlike the pairs (Wortsman et al., 2022, on fine-tuned networks).
        seed: of shuffling and of random negatives.
    """

    epochs: int = 10
    batch: int = 100
    objective: Objective = "paragram"
    margin: float = 0.8
    scale: float = 20.0
    pull: float = 1e-5
    negatives: Negatives = "random"
    megabatch: int = 1
    optimizer: OptimizerName = "adadelta"
    learning_rate: float = 1.0
    final_rate: float = 1.0
    share: float = 1.0
    seed: int = 0
