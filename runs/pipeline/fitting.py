"""Training data in, fitted run out. Nothing here can see the gold of a test set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from embeddings import loading
from embeddings.encoder import Encoder
from embeddings.training.corpora import (
    SentencePair,
    distinct,
    keep_useful_round_trips,
)
from features.extractor import FeatureExtractor
from features.registry import get_feature
from features.resources import Resources
from runs.pipeline import tuned_encoders
from runs.pipeline.models import CosineModel, FusionModel, Model
from runs.pipeline.out_of_fold import Describe, Matrix, out_of_fold
from runs.pipeline.recipe import RoundTrips, Run, Tuning, make_ensemble
from runs.pipeline.strong_pairs import strong_pairs
from sts.data.pairs import Pairs, concatenate
from sts.progress import note

if TYPE_CHECKING:
    from embeddings.training.pair_data import Corpus

FIRST_STAGE, LAST_STAGE = "tuning on strong pairs", "tuning on round trips"
"""What the progress bars of a tuning say."""

Trips = Mapping[RoundTrips, "Sequence[Corpus]"]
"""The round trips that each configuration of a last stage learns from."""


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
    def scored_sets(self) -> list[Pairs]:
        """Of each data set the pairs that have gold; the back-translated ones last."""
        return [pairs.select(pairs.scored) for pairs in (*self.training, *self.echoes)]

    @property
    def scored(self) -> Pairs:
        """The pairs of :attr:`scored_sets` in one list."""
        return concatenate(self.scored_sets)


def fit(run: Run, lesson: Lesson) -> Model:
    """Fit a run to its training data.

    Raises:
        StsError: fewer than two pairs to tune an encoder on.
    """
    if run.fusion is not None:
        extractor, matrix = fit_features(run, lesson)
        fusion = make_ensemble(run, run.columns).fit(matrix, lesson.scored.gold)
        return FusionModel(extractor, fusion)
    if run.tuning is None:
        return CosineModel(loading.load_static(run.start))
    trips = useful_round_trips(run, lesson)
    return CosineModel(tune(run, run.tuning, lesson.training, trips))


def fit_features(run: Run, lesson: Lesson) -> tuple[FeatureExtractor, Matrix]:
    """The extractor of the run's features for new pairs, and the features of the training pairs.

    New pairs are described by encoders that were tuned on all training data sets; the scored
    training pairs, (n, k), by encoders that saw no data set of their source.
    """
    trips = useful_round_trips(run, lesson)
    names = [f"paraphrase{number}" for number in range(1, len(run.tunings) + 1)]
    tuned = [name for name in run.columns if set(names) & set(get_feature(name).needs)]
    plain = [name for name in run.columns if name not in tuned]

    def train(training: Sequence[Pairs]) -> Describe:
        encoders = [tune_if_possible(run, tuning, training, trips) for tuning in run.tunings]
        return FeatureExtractor(tuned, name_encoders(encoders, run.start)).transform

    encoders = [tune(run, tuning, lesson.training, trips) for tuning in run.tunings]
    resources = name_encoders(encoders, run.start)
    plain_features = FeatureExtractor(plain, resources, progress=True).transform(lesson.scored)
    columns = dict(zip(plain, plain_features.T, strict=True))
    if tuned:
        tuned_features = np.vstack(out_of_fold(lesson.training, lesson.scored_sets, train))
        columns |= zip(tuned, tuned_features.T, strict=True)
    matrix = np.stack([columns[name] for name in run.columns], axis=1)
    return FeatureExtractor(run.columns, resources, progress=True), matrix


def name_encoders(encoders: Sequence[Encoder], word_vectors: str) -> Resources:
    """The resources of a fusion: its encoders as ``paraphrase1``, ``paraphrase2``, …."""
    named = {f"paraphrase{number}": encoder for number, encoder in enumerate(encoders, start=1)}
    return Resources(named, word_vectors)


def tune_if_possible(run: Run, tuning: Tuning, training: Sequence[Pairs], trips: Trips) -> Encoder:
    """The tuned encoder; without the two strong pairs that it takes, the starting vectors."""
    if tuning.round_trips is None and len(strong_pairs(training, tuning.strong)) < 2:
        return loading.load_static(run.start)
    return tune(run, tuning, training, trips)


def tune(
    run: Run,
    tuning: Tuning,
    training: Sequence[Pairs],
    trips: Trips,
    after_epoch: Callable[[int, Encoder], None] | None = None,
) -> Encoder:
    """The run's starting vectors, tuned on strong pairs and then, if asked for, on round trips.

    Strong pairs of the same words are left out: like a round trip that comes back unchanged, they
    teach nothing. Every encoder is cached, so that tunings that share the first stage train it
    once.

    Args:
        run: its starting vectors and its seed.
        tuning: the configuration of both stages.
        training: data sets with gold.
        trips: see :func:`useful_round_trips`.
        after_epoch: called after each epoch of the last stage; the encoder is then not cached.

    Raises:
        StsError: fewer than two pairs for the only stage.
    """
    from embeddings.training.pair_data import Corpus
    from embeddings.training.pair_training import train

    start = loading.load_static(run.start)
    strong = [
        Corpus(distinct(strong_pairs([pairs], tuning.strong)), pairs.sentences())
        for pairs in training
    ]
    last = tuning.round_trips
    own_trips = trips[last] if last else []

    def make() -> Encoder:
        if last is None:
            how = replace(tuning.training, seed=run.seed)
            return train(start, strong, how, after_epoch=after_epoch, label=FIRST_STAGE)
        first = tune_if_possible(run, replace(tuning, round_trips=None), training, trips)
        how = replace(last.training, seed=run.seed)
        return train(first, own_trips, how, after_epoch=after_epoch, label=LAST_STAGE)

    if after_epoch is not None:
        return make()
    key = tuned_encoders.key_of(start, tuning, run.seed, strong, own_trips)
    return tuned_encoders.cached(key, start, make, f"{run.start}, seed {run.seed}")


def useful_round_trips(run: Run, lesson: Lesson) -> Trips:
    """The round trips of each data set that teach something, counted on stderr."""
    from embeddings.training.pair_data import Corpus

    start = loading.load_static(run.start)
    found: dict[RoundTrips, list[Corpus]] = {}
    for how in dict.fromkeys(t.round_trips for t in run.tunings if t.round_trips):
        counts: Counter[str] = Counter()
        found[how] = []
        for trips in lesson.round_trips:
            useful, counted = keep_useful_round_trips(
                trips, start, lowest=how.lowest, highest=how.highest
            )
            found[how].append(Corpus(useful, [sentence for sentence, _ in trips]))
            counts.update(counted)
        shown = ", ".join(f"{count} {reason}" for reason, count in counts.items())
        note(f"{sum(map(len, lesson.round_trips))} round trips: {shown}")
    return found
