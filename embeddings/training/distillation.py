"""Distillation: the cosines of a static encoder are trained to agree with a transformer's.

In every batch some of the sentences are on one topic, so that all degrees of similarity
occur, and the others are drawn from all sentences, so that unrelated ones stay apart.
Topics are clusters around sentences that are drawn anew in each epoch: a sentence belongs
to the nearest of them, by the teacher's cosine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.configuration import Schedule
from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.tokenizers.row_numbers import Ragged
from semaniacs.embeddings.training.loop import Options, train_encoder
from semaniacs.embeddings.training.losses import NeighbourAgreement
from semaniacs.embeddings.training.sentence_model import SentenceModel, mean_pool
from semaniacs.embeddings.training.sparse_rows import at_own_pace, compact, make_optimizer, replaced
from semaniacs.embeddings.training.trainable import Batch

_AT_ONCE = 16384  # sentences whose topic is determined at a time


@dataclass(frozen=True)
class Distillation(Schedule):
    """Settings of a distillation, by Adam.

    Attributes:
        neighbours: sentences of a batch that are on one topic.
        topics: number of topics drawn in each epoch.
        temperature: of :class:`~semaniacs.embeddings.training.losses.NeighbourAgreement`.
        rare: rows that occur n times in the sentences learn at √(n / rare) of the rate, at most 1.
    """

    epochs: int = 10
    batch: int = 512
    learning_rate: float = 2.5e-4
    final_rate: float = 0.1
    neighbours: int = 256
    topics: int = 2000
    temperature: float = 0.1
    rare: int = 200


def distil(
    encoder: Encoder,
    sentences: Sequence[str],
    teacher: NDArray[np.float16],
    configuration: Distillation,
    **options: Unpack[Options[Encoder]],
) -> Encoder:
    """Train a new encoder whose cosines agree with the teacher's.

    ``teacher`` (n, any dim) are unit vectors of n distinct sentences. Options and errors are those of :func:`semaniacs.embeddings.training.loop.train_encoder`.
    """
    active, words = compact(encoder.ids(sentences))
    data = DistillationData(configuration, words, teacher)
    seen = np.bincount(words.flat)[:, None] / max(1, configuration.rare)
    pace = np.minimum(1.0, np.sqrt(seen)).astype(np.float32)
    optimizer = at_own_pace(make_optimizer("adam"), pace)
    objective = NeighbourAgreement(configuration.temperature)
    model = SentenceModel(encoder.table[active], optimizer, objective, pool=mean_pool(encoder))

    def current() -> Encoder:
        return encoder.with_table(replaced(encoder.table, active, model.rows()))

    parts = {"start": encoder, "list_of_sentences": list(sentences), "teacher": teacher}
    return train_encoder(model, data, configuration, current, parts, **options)


@dataclass(frozen=True, eq=False)
class DistillationData:
    """Words of n sentences and their teacher's unit vectors (n, any dim), in training order."""

    configuration: Distillation
    words: Ragged
    teacher: NDArray[np.float16]

    def rounds(self, epoch: int) -> int:
        """Return the batches in an epoch; each sentence is once among the neighbours of a topic."""
        return max(1, len(self.teacher) // self.configuration.neighbours)

    def batches(self, epoch: int, number: int, model: SentenceModel) -> Iterator[Batch]:
        """Yield one batch: sentences on one topic, and others drawn from all."""
        runs, shuffled = self._order(epoch)
        others = self.configuration.batch - self.configuration.neighbours
        rng = np.random.default_rng([self.configuration.seed, epoch, number])
        start = rng.integers(len(shuffled))
        drawn = np.take(shuffled, np.arange(start, start + others), mode="wrap")
        chosen = np.sort(np.concatenate([runs[number], drawn]))
        yield Batch([self.words.take(chosen)], (self.teacher[chosen].astype(np.float32),))

    @lru_cache(maxsize=1)  # noqa: B019  the object lives as long as its training
    def _order(self, epoch: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return runs of sentences on one topic (rounds, neighbours), and all sentences, shuffled."""
        rng = np.random.default_rng([self.configuration.seed, epoch])
        shuffled = rng.permutation(len(self.teacher))
        topic = nearest_centre(self.teacher, np.sort(shuffled[: self.configuration.topics]))
        by_topic = shuffled[np.argsort(topic[shuffled], kind="stable")]
        runs = np.resize(by_topic, (self.rounds(epoch), self.configuration.neighbours))
        return rng.permutation(runs), rng.permutation(len(self.teacher))


def nearest_centre(vectors: NDArray[np.float16], centres: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each of n unit vectors (n, dim) the place (n,) of the nearest of ``centres``."""
    columns = vectors[centres].astype(np.float32).T
    found = np.empty(len(vectors), np.int64)
    for begin in range(0, len(vectors), _AT_ONCE):
        part = vectors[begin : begin + _AT_ONCE].astype(np.float32)
        found[begin : begin + _AT_ONCE] = np.argmax(part @ columns, axis=1)
    return found


def centred(vectors: NDArray[np.float16], mean: NDArray[np.float64]) -> NDArray[np.float16]:
    """Return unit vectors (n, dim) that point from a mean (dim,) to vectors (n, dim).

    The cosines of sentences that have nothing in common are then around 0, and spread.
    """
    away = vectors - mean.astype(np.float32)
    away /= np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-6)
    return away.astype(np.float16)
