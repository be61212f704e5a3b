"""Training data in, fitted run out. Nothing here can see the gold of a test set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from embeddings import loading
from embeddings.encoder import Encoder
from embeddings.training.corpora import (
    SentencePair,
    distinct,
    keep_useful_round_trips,
)
from features.extractor import FeatureExtractor
from features.resources import Resources
from runs.pipeline import tuned_encoders
from runs.pipeline.models import CosineModel, FusionModel, Model
from runs.pipeline.recipe import RoundTrips, Run, Tuning, make_fusion
from runs.pipeline.strong_pairs import strong_pairs
from sts.data.pairs import Pairs, concatenate
from sts.progress import note

if TYPE_CHECKING:
    from embeddings.training.pairs_trainer import Corpus


@dataclass(frozen=True)
class Lesson:
    """What a run learns from.

    Attributes:
        training: data sets with gold; pairs without it take no part.
        round_trips: for each data set to be scored, (sentence, what came back).
        echoes: the training data sets again, one side of each pair gone abroad and back.
    """

    training: Sequence[Pairs]
    round_trips: Sequence[Sequence[SentencePair]] = ()
    echoes: Sequence[Pairs] = ()

    @property
    def scored(self) -> Pairs:
        """The training pairs that have gold, in one list; their echoes last."""
        every = (*self.training, *self.echoes)
        return concatenate([pairs.select(pairs.scored) for pairs in every])


def fit(run: Run, lesson: Lesson) -> Model:
    """Fit a run to its lesson."""
    encoders = [tune(run, tuning, lesson) for tuning in run.tunings]
    if run.fusion is None:
        return CosineModel(encoders[0] if encoders else loading.load_static(run.start))
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
    from embeddings.training.pairs_trainer import Corpus

    start = loading.load_static(run.start)
    strong = [
        Corpus(distinct(strong_pairs([pairs], tuning.strong)), pairs.sentences())
        for pairs in lesson.training
    ]
    trips = useful_round_trips(start, tuning.round_trips, lesson) if tuning.round_trips else []
    make = partial(_train, start, run.seed, tuning, strong, trips, after_epoch)
    if after_epoch is not None:
        return make()
    key = tuned_encoders.key_of(start, tuning, run.seed, strong, trips)
    return tuned_encoders.cached(key, start, make, f"{run.start}, seed {run.seed}")


def _train(
    start: Encoder,
    seed: int,
    tuning: Tuning,
    strong: Sequence[Corpus],
    trips: Sequence[Corpus],
    after_epoch: Callable[[int, Encoder], None] | None,
) -> Encoder:
    from embeddings.training.pairs_trainer import train

    encoder = start
    last = tuning.round_trips
    if last is None or any(corpus.pairs for corpus in strong):
        how = replace(tuning.training, seed=seed)
        told = None if last else after_epoch
        encoder = train(start, strong, how, after_epoch=told, label="tuning on strong pairs")
    if last is None:
        return encoder
    how = replace(last.training, seed=seed)
    return train(encoder, trips, how, after_epoch=after_epoch, label="tuning on round trips")


def useful_round_trips(start: Encoder, how: RoundTrips, lesson: Lesson) -> list[Corpus]:
    """The round trips of each data set that teach something, counted on stderr."""
    from embeddings.training.pairs_trainer import Corpus

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
