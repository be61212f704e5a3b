"""Learning from a teacher: the static cosine made to agree with a transformer's.

In every batch a part of the sentences is on one topic, so that all degrees of
similarity occur, and the rest is drawn from everywhere, so that unrelated
sentences stay apart. A topic is whatever lies nearest, by the teacher, to one
of many sentences drawn anew in each epoch.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from embeddings.encoder import Encoder
from embeddings.formats.fingerprint import fingerprint
from embeddings.tokenizers.ragged import Ragged
from embeddings.training.configuration import Training
from embeddings.training.history import Curve
from embeddings.training.loop import Batch, Checkpoint
from embeddings.training.losses import agreement
from embeddings.training.pairs_trainer import Learner, compact
from embeddings.training.sparse_rows import SparseTable
from sts.files import sha256_of_bytes

Runs = NDArray[np.int64]

_AT_ONCE = 16384
"""Sentences whose topic is looked for at once."""


@dataclass(frozen=True)
class Distillation:
    """How an encoder learns from a teacher.

    Attributes:
        epochs: passes over the sentences.
        batch: sentences a step.
        neighbours: so many of them are on one topic.
        topics: drawn in each epoch.
        learning_rate: of Adam's first step …
        final_rate: … and at the end, as a fraction of it; between them a straight line.
        seed: of order and topics.
    """

    epochs: int = 6
    batch: int = 512
    neighbours: int = 256
    topics: int = 2000
    learning_rate: float = 1e-3
    final_rate: float = 0.1
    seed: int = 0


def distil(
    encoder: Encoder,
    sentences: Sequence[str],
    teacher: NDArray[np.float16],
    how: Distillation,
    *,
    checkpoint: Path | None = None,
    keep: bool = False,
    evaluate: Callable[[Encoder], float] | None = None,
    curve: Path | None = None,
    label: str = "distilling",
) -> Encoder:
    """A new encoder whose cosines agree with the teacher's.

    Args:
        encoder: where training starts from.
        sentences: n distinct ones.
        teacher: (n, any dim) unit vectors of the sentences; may be mapped from a file.
        how: the schedule.
        checkpoint, keep, evaluate, curve, label: as for :func:`embeddings.training.pairs_trainer.train`.

    Raises:
        StsError: a file that is no checkpoint, or a loss that is not finite.
    """
    active, words = compact(encoder.ids(sentences))
    plan = TaughtPlan(how, words, teacher)
    adam = Training(optimizer="adam", pull=0.0)
    learner = Learner(encoder, active, adam, agreement)
    kept = None
    if checkpoint:
        said = _fingerprint(encoder, sentences, teacher, how)
        kept = Checkpoint(checkpoint, said, keep=keep)
    learned: Curve = learner.learn(plan, label, kept, evaluate=evaluate)
    if curve:
        learned.write(curve)
    return learner.encoder()


@dataclass
class TaughtPlan:
    """Sentences with their teacher's vectors, and the order in which they are learned from."""

    how: Distillation
    words: Ragged
    teacher: NDArray[np.float16]

    def __post_init__(self) -> None:
        self._ordered: tuple[int, Runs, NDArray[np.int64]] | None = None

    @property
    def epochs(self) -> int:
        """Passes over the sentences."""
        return self.how.epochs

    def rate(self, done: float) -> float:
        """The learning rate, which falls on a straight line."""
        return self.how.learning_rate * (1 - (1 - self.how.final_rate) * done)

    def rounds(self, epoch: int) -> int:
        """Batches in an epoch: each sentence is once among the neighbours of its topic."""
        return max(1, len(self.teacher) // self.how.neighbours)

    def batches(self, epoch: int, number: int, table: SparseTable) -> Iterator[Batch]:
        """One batch: a run of sentences on one topic and a run of any others."""
        runs, shuffled = self._order(epoch)
        others = self.how.batch - self.how.neighbours
        start = np.random.default_rng([self.how.seed, epoch, number]).integers(len(shuffled))
        drawn = np.take(shuffled, np.arange(start, start + others), mode="wrap")
        chosen = np.sort(np.concatenate([runs[number], drawn]))
        yield Batch([self.words.take(chosen)], (self.teacher[chosen].astype(np.float32),))

    def _order(self, epoch: int) -> tuple[Runs, NDArray[np.int64]]:
        """Runs of sentences on one topic (rounds, neighbours), shuffled; and all sentences so."""
        if self._ordered is None or self._ordered[0] != epoch:
            rng = np.random.default_rng([self.how.seed, epoch])
            shuffled = rng.permutation(len(self.teacher))
            topic = nearest(self.teacher, np.sort(shuffled[: self.how.topics]))
            by_topic = shuffled[np.argsort(topic[shuffled], kind="stable")]
            rounds = self.rounds(epoch)
            runs = np.resize(by_topic, (rounds, self.how.neighbours))
            self._ordered = epoch, rng.permutation(runs), rng.permutation(len(self.teacher))
        return self._ordered[1], self._ordered[2]


def nearest(vectors: NDArray[np.float16], centres: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each of n unit vectors (n, dim) the number (n,) of the nearest of some of them."""
    columns = vectors[centres].astype(np.float32).T
    found = np.empty(len(vectors), np.int64)
    for begin in range(0, len(vectors), _AT_ONCE):
        part = vectors[begin : begin + _AT_ONCE].astype(np.float32)
        found[begin : begin + _AT_ONCE] = np.argmax(part @ columns, axis=1)
    return found


def _fingerprint(
    encoder: Encoder, sentences: Sequence[str], teacher: NDArray[np.float16], how: Distillation
) -> str:
    """What a checkpoint must agree on to be resumed."""
    taught = sha256_of_bytes(np.ascontiguousarray(teacher).tobytes())
    said = [asdict(how), list(sentences), taught, fingerprint(encoder)]
    return sha256_of_bytes(json.dumps(said).encode())
