"""Training data in, fitted run out. Nothing here can see the gold of a test set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from embeddings import store
from embeddings.encoders import Encoder
from embeddings.paraphrases import SentencePair, distinct, keep_useful_round_trips, strong_pairs
from features.extractor import FeatureExtractor
from features.resources import Resources
from runs.models import CosineModel, FusionModel, Model
from runs.notes import note
from runs.recipe import RoundTrips, Run, Tuning, make_fusion
from sts.pairs import Pairs, concatenate

if TYPE_CHECKING:
    from embeddings.training import Corpus


@dataclass(frozen=True)
class Lesson:
    """What a run learns from.

    Attributes:
        training: data sets with gold; pairs without it take no part.
        round_trips: for each data set to be scored, (sentence, what came back).
    """

    training: Sequence[Pairs]
    round_trips: Sequence[Sequence[SentencePair]] = ()

    @property
    def scored(self) -> Pairs:
        """The training pairs that have gold, in one list."""
        return concatenate([pairs.select(pairs.scored) for pairs in self.training])


def fit(run: Run, lesson: Lesson) -> Model:
    """Fit a run to its lesson."""
    encoders = [tune(run, tuning, lesson) for tuning in run.tunings]
    if run.fusion is None:
        return CosineModel(encoders[0] if encoders else store.load(run.start))
    extractor = FeatureExtractor(run.columns, name_encoders(encoders, run.start), progress=True)
    scored = lesson.scored
    fusion = make_fusion(run, run.columns).fit(extractor.transform(scored), scored.gold)
    return FusionModel(extractor, fusion)


def name_encoders(encoders: Sequence[Encoder], word_vectors: str) -> Resources:
    """The resources of a fusion: its encoders as ``paraphrase1``, ``paraphrase2``, …."""
    named = {f"paraphrase{number}": encoder for number, encoder in enumerate(encoders, start=1)}
    return Resources(named, word_vectors)


def tune(
    run: Run,
    tuning: Tuning,
    lesson: Lesson,
    after_epoch: Callable[[int, Encoder], None] | None = None,
) -> Encoder:
    """The run's start, tuned on strong pairs and then, if the tuning asks for it, on round trips.

    Strong pairs of the same words are left out: like a round trip that comes
    back unchanged, they have nothing to teach.
    """
    from embeddings.training import Corpus, train

    start = store.load(run.start)
    corpora = [
        Corpus(distinct(strong_pairs([pairs], tuning.strong)), pairs.sentences())
        for pairs in lesson.training
    ]
    how = replace(tuning.training, seed=run.seed)
    trips = tuning.round_trips
    tuned = start
    if trips is None or any(corpus.pairs for corpus in corpora):
        told = None if trips else after_epoch
        tuned = train(start, corpora, how, after_epoch=told, label="tuning on strong pairs")
    if trips is None:
        return tuned
    how = replace(trips.training, seed=run.seed)
    corpora = useful_round_trips(start, trips, lesson)
    return train(tuned, corpora, how, after_epoch=after_epoch, label="tuning on round trips")


def useful_round_trips(start: Encoder, how: RoundTrips, lesson: Lesson) -> list[Corpus]:
    """The round trips of each data set that teach something, counted on stderr."""
    from embeddings.training import Corpus

    corpora = []
    total: dict[str, int] = {}
    for trips in lesson.round_trips:
        useful, counts = keep_useful_round_trips(
            trips, start, lowest=how.lowest, highest=how.highest
        )
        corpora.append(Corpus(useful, [sentence for sentence, _ in trips]))
        total = {reason: total.get(reason, 0) + count for reason, count in counts.items()}
    shown = ", ".join(f"{count} {reason}" for reason, count in total.items())
    note(f"{sum(map(len, lesson.round_trips))} round trips: {shown}")
    return corpora
