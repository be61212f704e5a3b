"""The configuration of a tuning: strong pairs first, then perhaps round trips."""

from __future__ import annotations

from dataclasses import dataclass

from embeddings.training.configuration import Training


@dataclass(frozen=True)
class RoundTrips:
    """Synthetic paraphrases of the test sentences (paper, 3.2), the last stage of a tuning.

    Attributes:
        training: objective and schedule. Negatives must not be the hardest ones: that
            of a test sentence would be the very sentence it is to be compared with.
        pivot: the language that each sentence is translated to and back from.
        lowest, highest: similarity, under the starting vectors, that a round trip
            must have with its sentence, see
            :func:`embeddings.training.pairs.corpora.keep_useful_round_trips`.
    """

    training: Training
    pivot: str = "es"
    lowest: float = 0.0
    highest: float = 1.0


@dataclass(frozen=True)
class Tuning:
    """How an encoder is tuned from its starting vectors on pairs that mean the same.

    Attributes:
        training: objective and schedule of the strong pairs.
        strong: gold score from which a training pair counts (paper, 2.1).
        round_trips: synthetic pairs to go on with, if any.
    """

    training: Training
    strong: float = 3.8
    round_trips: RoundTrips | None = None
