"""Training on bitext: translations come close, the hardest other sentence stays away.

    max(0, δ − cos(s, t) + cos(s, t′)) + max(0, δ − cos(s, t) + cos(s′, t))

for a pair (s, t), a negative t′ from the language of t, and s′ from that of s
(Wieting et al., 2019, eq. 1, with a hinge for either side).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np

from embeddings.bitext.bitext_configuration import BitextTraining
from embeddings.bitext.corpus import Bitext
from embeddings.bitext.plan import BitextPlan
from embeddings.encoder import Encoder, SentenceEncoder, unit
from embeddings.multilingual import Multilingual
from embeddings.recurrent.lstm import RecurrentEncoder, lstm_pool
from embeddings.table import Vectors
from embeddings.training import loop, losses
from embeddings.training.loop import Checkpoint
from embeddings.training.optimizers import adam
from embeddings.training.pooling import MEAN, Pool
from embeddings.training.sparse_rows import Loss, SparseTable
from sts.errors import StsError
from sts.files import sha256_of_bytes


def train_on_bitext(
    start: Multilingual,
    bitexts: Sequence[Bitext],
    how: BitextTraining,
    *,
    teacher: Callable[[Sequence[str]], Vectors] | None = None,
    checkpoint: Path | None = None,
    seconds: float = 180.0,
    evaluate: Callable[[Multilingual], float] | None = None,
    curve: Path | None = None,
    label: str = "training on bitext",
) -> Multilingual:
    """New encoders of which either side of each pair is similar to the other.

    Args:
        start: where training starts from; its encoders share one table.
        bitexts: pairs of languages that ``start`` has.
        how: the schedule.
        teacher: vectors (n, dim) of the first sides, towards which those of the
            encoder are pulled with the weight ``how.teacher``.
        checkpoint: file that is written every ``seconds`` and resumed from if it is
            of this very training; removed at the end.
        evaluate: a figure of the encoders so far, ten times an epoch, for the curve.
        curve: where loss and figure are written at the end, as .csv and .png.
        label: of the progress bar.

    Raises:
        StsError: fewer than two pairs, a teacher of another dimension or none to go
            with its weight, a file that is no checkpoint, or a loss that is not finite.
    """
    total = sum(map(len, bitexts))
    if total < 2:
        raise StsError(f"{label}: {total} pairs of sentences; at least two are needed")
    if how.teacher and teacher is None:
        raise StsError(f"{label}: a weight of {how.teacher} for a teacher, and no teacher")
    taught = _ask(teacher, bitexts, start, label) if how.teacher and teacher else None
    plan = BitextPlan.of(bitexts, lambda language, s: start.of(language).ids(s), how, taught)
    learner = _Learner(start, plan)
    kept = None
    if checkpoint:
        kept = Checkpoint(checkpoint, _fingerprint(learner), seconds)
    learned = loop.run(
        plan,
        learner.table,
        label=label,
        checkpoint=kept,
        evaluate=(lambda: evaluate(learner.encoders())) if evaluate else None,
    )
    if curve:
        learned.write(curve)
    return learner.encoders()


def bitext_loss(how: BitextTraining) -> Loss:
    """The loss of a batch: two hinges, and how far the first side is from its teacher."""
    hinges = partial(losses.paragram_margin, margin=how.margin)
    if not how.teacher:
        return hinges

    def with_teacher(left: Any, right: Any, not_left: Any, not_right: Any, taught: Any) -> Any:
        apart = jnp.mean(1.0 - losses.cosine(left, taught))
        return hinges(left, right, not_left, not_right) + how.teacher * apart

    return with_teacher


@dataclass
class _Learner:
    """The rows that take part in a training, and the way back to encoders."""

    start: Multilingual
    plan: BitextPlan

    def __post_init__(self) -> None:
        how = self.plan.how
        self.first = next(iter(self.start.encoders.values()))
        self.table = SparseTable(
            self.first.table[self.plan.active],
            adam(),
            bitext_loss(how),
            pool=_pool_of(self.first),
            dropout=how.dropout,
            seed=how.seed,
        )

    def encoders(self) -> Multilingual:
        """All encoders over the table as it is now."""
        table = self.first.table.copy()
        table[self.plan.active] = self.table.rows()
        return self.start.mapped(lambda encoder: self._like(encoder, table))

    def _like(self, encoder: SentenceEncoder, table: Vectors) -> SentenceEncoder:
        if isinstance(encoder, RecurrentEncoder):
            return RecurrentEncoder(encoder.tokenizer, table, self.table.parameters)
        return Encoder(encoder.tokenizer, table)


def _pool_of(encoder: SentenceEncoder) -> Pool:
    return lstm_pool(encoder.parameters) if isinstance(encoder, RecurrentEncoder) else MEAN


def _ask(
    teacher: Callable[[Sequence[str]], Vectors],
    bitexts: Sequence[Bitext],
    start: Multilingual,
    label: str,
) -> Vectors:
    taught = teacher([sentence for bitext in bitexts for sentence in bitext.side(0)])
    dim = start.of(bitexts[0].languages[0]).dim
    if taught.shape[1] != dim:
        raise StsError(
            f"{label}: the teacher's vectors have {taught.shape[1]} numbers, these {dim}; "
            f"train with --dim {taught.shape[1]}"
        )
    return unit(np.asarray(taught, np.float32))


def _fingerprint(learner: _Learner) -> str:
    """What a checkpoint must agree on to be resumed: where it starts, and what is learned from."""
    plan, first = learner.plan, learner.first
    arrays = [first.table, plan.active, *plan.sides[0], *plan.sides[1], *plan.texts, plan.bounds]
    arrays += [array for _, array in sorted(learner.table.parameters.items())]
    if plan.taught is not None:
        arrays.append(plan.taught)
    said = [sha256_of_bytes(np.asarray(array).tobytes()) for array in arrays]
    return sha256_of_bytes(json.dumps([asdict(plan.how), said]).encode())
