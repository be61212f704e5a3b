"""Training data in, fitted run out. Nothing here can see the gold of a test set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from embeddings import store
from embeddings.encoders import Encoder
from embeddings.paraphrases import SentencePair, distinct, keep_useful_round_trips, strong_pairs
from embeddings.training import train
from features.extractor import FeatureExtractor
from features.resources import Resources
from runs.models import CosineModel, FusionModel, Model
from runs.notes import note
from runs.recipe import RoundTrips, Run, Tuning, make_fusion
from sts.pairs import Pairs, concatenate


def fit(run: Run, training: Sequence[Pairs], round_trips: Sequence[SentencePair]) -> Model:
    """Fit a run.

    Args:
        run: the recipe.
        training: data sets with gold; pairs without it take no part.
        round_trips: (sentence, what came back) for the sentences to be scored.
    """
    lesson = lesson_of(run, training, round_trips)
    encoders = [lesson.tune(tuning) for tuning in run.tunings]
    if run.fusion is None:
        return CosineModel(encoders[0] if encoders else lesson.start)
    extractor = FeatureExtractor(run.columns, name_encoders(encoders, run.start), progress=True)
    matrix = extractor.transform(lesson.scored)
    fusion = make_fusion(run.fusion, run.seed).fit(matrix, lesson.scored.gold)
    return FusionModel(extractor, fusion)


def lesson_of(run: Run, training: Sequence[Pairs], round_trips: Sequence[SentencePair]) -> Lesson:
    """The scored pairs of all training sets in one list, and the start."""
    scored = concatenate([pairs.select(pairs.scored) for pairs in training])
    return Lesson(run, store.load(run.start), scored, round_trips)


def name_encoders(encoders: Sequence[Encoder], word_vectors: str) -> Resources:
    """The resources of a fusion: its encoders as ``paraphrase1``, ``paraphrase2``, …."""
    named = {f"paraphrase{number}": encoder for number, encoder in enumerate(encoders, start=1)}
    return Resources(named, word_vectors)


@dataclass(frozen=True)
class Lesson:
    """What a run learns from.

    Attributes:
        run: the recipe.
        start: the vectors that tuning starts from.
        scored: the training pairs, all with gold.
        round_trips: (sentence, what came back) for the sentences to be scored.
    """

    run: Run
    start: Encoder
    scored: Pairs
    round_trips: Sequence[SentencePair]

    def tune(
        self, tuning: Tuning, after_epoch: Callable[[int, Encoder], None] | None = None
    ) -> Encoder:
        """The encoder tuned on the strong pairs and, if the tuning asks for them, round trips.

        Strong pairs of the same words are left out: like a round trip that comes
        back unchanged, they have nothing to teach.
        """
        pairs = distinct(strong_pairs([self.scored], tuning.strong))
        label = "tuning task-internal"
        if tuning.round_trips:
            pairs += self.synthetic_pairs(tuning.round_trips)
            label = "tuning synthetic"
        how = replace(tuning.training, seed=self.run.seed)
        return train(self.start, pairs, how, after_epoch=after_epoch, label=label)

    def synthetic_pairs(self, how: RoundTrips) -> list[SentencePair]:
        """The useful round trips."""
        useful, counts = keep_useful_round_trips(
            self.round_trips, self.start, lowest=how.lowest, highest=how.highest
        )
        shown = ", ".join(f"{count} {reason}" for reason, count in counts.items())
        note(f"{len(self.round_trips)} round trips: {shown}")
        return useful
