"""Settings of trainings on bitext; importing them does not import JAX."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from semaniacs.embeddings.configuration import HingeLoss, Schedule

if TYPE_CHECKING:
    from semaniacs.embeddings.training.losses import HardestInBatch, TowardsTeacher

EncoderName = Literal["SP", "TRIGRAM", "WORD", "LSTM-SP"]
"""The units of a sentence, and how they become its vector (2, Encoders)."""


@dataclass(frozen=True)
class Shape:
    """Parts of a bilingual encoder, before any training (2, Encoders; 3.1).

    Attributes:
        encoder: ``SP`` averages SentencePiece subwords, ``TRIGRAM`` character
            trigrams, ``WORD`` words; ``LSTM-SP`` reads subwords in both directions.
        size: entries of the vocabulary.
        dim: length of a sentence vector; even for LSTM-SP, which has half of it a direction.
        separate: train a SentencePiece model for each language instead of one for both.
            Subwords that both have still share their row.
        deviation, seed: standard deviation and seed of the random rows.
    """

    encoder: EncoderName = "SP"
    size: int = 20_000
    dim: int = 300
    separate: bool = False
    deviation: float = 0.1
    seed: int = 0


@dataclass(frozen=True)
class BitextTraining(Schedule):
    """Settings of training on bitext, by Adam. Most defaults are the paper's (3.1).

    Attributes:
        margin: δ of eq. 1.
        megabatch: at most so many batches are searched together for hard negatives. With 1
            they are found in the step itself, at half the cost: nothing is encoded twice.
        anneal: the mega-batch begins as one batch and grows by one after so many steps.
        dropout: probability of each number of each row to be left out of a step.
        shuffle: fraction of the sentences whose words a step reads in random order.
        teacher_weight: of the cosine distance of the English vectors from a teacher's.
    """

    batch: int = 128
    learning_rate: float = 1e-3
    margin: float = 0.4
    megabatch: int = 120
    anneal: int = 150
    dropout: float = 0.0
    shuffle: float = 0.0
    teacher_weight: float = 0.0

    @property
    def objective(self) -> HingeLoss | HardestInBatch | TowardsTeacher:
        """The loss of a batch."""
        from semaniacs.embeddings.training.losses import HardestInBatch, TowardsTeacher

        hinges = HingeLoss(self.margin)
        objective = HardestInBatch(hinges) if self.megabatch == 1 else hinges
        return TowardsTeacher(objective, self.teacher_weight) if self.teacher_weight else objective


@dataclass(frozen=True)
class Levelling:
    """How far rows are brought to one length, see :func:`semaniacs.embeddings.bitext.teaching.levelled`.

    ``share`` is from 0, not at all, to 1, for a word that hardly occurs; a word of ``rare`` occurrences
    is levelled half as far.
    """

    share: float = 0.5
    rare: int = 300


@dataclass(frozen=True)
class Teaching(Schedule):
    """Settings of teaching a language from English vectors; chosen on 2014 and 2015.

    Attributes:
        min_count: how often a word must occur to get a row of its own, unless English has it.
        borrowed: weight, in links, of the assumption that a word that English has too means
            the same there.
        pieces: stretches of letters that other words are spelled from.
        iterations: of the word alignment.
        levelling: brings the rows of rare words towards the length of the others in the end.
    """

    epochs: int = 2
    batch: int = 256
    learning_rate: float = 2e-3
    final_rate: float = 0.05
    min_count: int = 3
    borrowed: float = 1.0
    pieces: int = 4_000
    iterations: int = 6
    levelling: Levelling | None = None
