"""How encoders are trained on bitext, as a record, apart from the training: no JAX here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

EncoderName = Literal["SP", "TRIGRAM", "WORD", "LSTM-SP"]
"""What a sentence is cut into, and how the parts become its vector (2, Encoders)."""


@dataclass(frozen=True)
class Shape:
    """What a bilingual encoder is made of, before any training (2, Encoders; 3.1).

    Attributes:
        encoder: ``SP`` averages SentencePiece subwords, ``TRIGRAM`` character
            trigrams, ``WORD`` words; ``LSTM-SP`` reads subwords in both directions.
        size: entries of the vocabulary: subwords, or the most frequent types.
        dim: length of a sentence vector; even for LSTM-SP, half of it a direction.
        separate: learn a SentencePiece model for each language instead of one for
            both. Entries that both know share their row all the same.
        deviation: of the normal distribution that rows start from.
        seed: of the rows.
    """

    encoder: EncoderName = "SP"
    size: int = 20_000
    dim: int = 300
    separate: bool = False
    deviation: float = 0.1
    seed: int = 0


@dataclass(frozen=True)
class BitextTraining:
    """How an encoder is trained on bitext. Most defaults are the paper's (3.1).

    Attributes:
        epochs: passes over the pairs.
        batch: pairs a step.
        margin: δ of eq. 1.
        megabatch: at most so many batches are searched together for hard negatives …
        anneal: … from one batch at first, one more after so many steps.
        dropout: probability with which each number of each row is left out of a step.
        shuffle: fraction of the sentences whose parts a step reads in another order.
        teacher: weight of the term that pulls the English vectors to a teacher's.
        learning_rate: of Adam's first step …
        final_rate: … and at the end, as a fraction of it; between them a straight line.
        seed: of order, dropout and shuffling.
    """

    epochs: int = 10
    batch: int = 128
    margin: float = 0.4
    megabatch: int = 120
    anneal: int = 150
    dropout: float = 0.0
    shuffle: float = 0.0
    teacher: float = 0.0
    learning_rate: float = 1e-3
    final_rate: float = 1.0
    seed: int = 0


@dataclass(frozen=True)
class Teaching:
    """How a language is learned; every value was chosen on 2014 and 2015.

    Attributes:
        fewest: times that a word must occur in the bitext to have a row of its own, unless
            English has it too.
        borrowed: what a word that English has too is taken to mean there as well, in links.
        pieces: stretches of letters that other words are spelled from.
        iterations: of the alignment.
        epochs: passes over the pairs.
        batch: pairs a step.
        learning_rate: of Adam's first step …
        final_rate: … and at the end, as a fraction of it; between them a straight line.
        seed: of the order of pairs.
    """

    fewest: int = 3
    borrowed: float = 1.0
    pieces: int = 4_000
    iterations: int = 6
    epochs: int = 2
    batch: int = 256
    learning_rate: float = 2e-3
    final_rate: float = 0.05
    seed: int = 0
