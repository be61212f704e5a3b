"""Training data in, fitted run out. Nothing here can see the gold of a test set."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from embeddings import store
from embeddings.encoders import Encoder
from embeddings.paraphrases import SentencePair, keep_useful_round_trips, strong_pairs
from embeddings.training import train
from features.extractor import FeatureExtractor
from features.resources import Resources
from runs.models import CosineModel, FusionModel, Model
from runs.notes import note
from runs.recipe import Run, Tuning, make_fusion
from sts.pairs import Pairs, Scores, concatenate


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
    matrix = training_matrix(lesson, extractor)
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
        self,
        tuning: Tuning,
        part: NDArray[np.bool_] | None = None,
        what: str = "",
        after_epoch: Callable[[int, Encoder], None] | None = None,
    ) -> Encoder:
        """The encoder tuned on strong pairs (of ``part``) and the round trips it asks for."""
        scored = self.scored if part is None else self.scored.select(part)
        pairs = strong_pairs([scored], tuning.strong)
        kind = "task-internal"
        if tuning.round_trips:
            kind = "synthetic"
            pairs += self.synthetic_pairs(tuning, len(pairs), quiet=part is not None)
        how = replace(tuning.training, seed=self.run.seed)
        label = f"tuning {kind} {what}".rstrip()
        return train(self.start, pairs, how, after_epoch=after_epoch, label=label)

    def synthetic_pairs(self, tuning: Tuning, strong: int, quiet: bool) -> list[SentencePair]:
        """The useful round trips, thinned to the recipe's number for each strong pair."""
        how = tuning.round_trips
        assert how is not None
        useful, counts = keep_useful_round_trips(
            self.round_trips, self.start, lowest=how.lowest, highest=how.highest
        )
        if how.each_strong is not None:
            wanted = round(how.each_strong * strong)
            drawn = np.random.default_rng(self.run.seed).permutation(len(useful))[:wanted]
            useful = [useful[i] for i in np.sort(drawn)]
        if not quiet:
            shown = ", ".join(f"{count} {reason}" for reason, count in counts.items())
            note(f"{len(self.round_trips)} round trips: {shown}; {len(useful)} drawn")
        return useful


def training_matrix(lesson: Lesson, extractor: FeatureExtractor) -> NDArray[np.float64]:
    """Features (n, k) of the training pairs.

    An encoder rates the pairs that it was tuned on too high, and a regressor
    that learned from such ratings would trust them too much on new pairs. So
    the Paragram columns of each fold come from encoders tuned on the others.
    """
    matrix = extractor.transform(lesson.scored)
    columns = list(extractor.columns)
    for number, tuning in enumerate(lesson.run.tunings, start=1):
        if (name := f"paraphrase{number}") in columns:
            matrix[:, columns.index(name)] = cross_fitted(lesson, tuning)
    return matrix


def cross_fitted(lesson: Lesson, tuning: Tuning) -> Scores:
    """Similarity (n,) of each training pair under an encoder that was tuned without its fold."""
    assert lesson.run.fusion is not None
    count = lesson.run.fusion.folds
    similarities = np.empty(len(lesson.scored))
    for number, inside in enumerate(folds(len(lesson.scored), count, lesson.run.seed), start=1):
        held = lesson.scored.select(inside)
        encoder = lesson.tune(tuning, ~inside, f"{number} of {count}")
        similarities[inside] = encoder.similarity_pairwise(held.left, held.right)
    return similarities


def folds(pairs: int, count: int, seed: int) -> Iterator[NDArray[np.bool_]]:
    """Masks (pairs,) of ``count`` random parts; every pair is in exactly one."""
    part = np.random.default_rng(seed).permutation(pairs) % count
    return (part == number for number in range(count))
