"""Training on pairs that mean the same: the paper's 3, and what later papers made of it.

Only the rows of words that occur in the corpora are kept in training. For every
other row the gradient is exactly zero.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from embeddings.encoder import Encoder
from embeddings.formats.fingerprint import fingerprint
from embeddings.tokenizers.ragged import Ragged
from embeddings.training import loop, losses
from embeddings.training.configuration import Training
from embeddings.training.corpora import SentencePair
from embeddings.training.history import Curve
from embeddings.training.loop import Batch, Checkpoint
from embeddings.training.negatives import Indices, forbidden, hardest, random_segment
from embeddings.training.optimizers import make_optimizer
from embeddings.training.sparse_rows import Loss, SparseTable
from sts.errors import StsError
from sts.files import sha256_of_bytes


@dataclass(frozen=True)
class Corpus:
    """Pairs from one source.

    Attributes:
        pairs: sentences that mean the same.
        others: further sentences of the source. Random negatives are drawn from
            these and from all sides: a sentence of another source, on another
            topic, is too easy to tell apart to teach anything.
    """

    pairs: Sequence[SentencePair]
    others: Sequence[str] = ()

    @property
    def segments(self) -> list[str]:
        """Every distinct sentence of the source."""
        sides = (side for pair in self.pairs for side in pair)
        return list(dict.fromkeys((*sides, *self.others)))


def train(
    encoder: Encoder,
    corpora: Sequence[Corpus],
    how: Training,
    *,
    checkpoint: Path | None = None,
    seconds: float = 180.0,
    keep: bool = False,
    after_epoch: Callable[[int, Encoder], None] | None = None,
    evaluate: Callable[[Encoder], float] | None = None,
    curve: Path | None = None,
    label: str = "training",
) -> Encoder:
    """A new encoder whose table is tuned so that both sides of each pair come close.

    Args:
        encoder: where training starts from, and what λ pulls towards.
        corpora: the pairs, source by source.
        how: objective and schedule.
        checkpoint: file that is written every ``seconds`` and resumed from if it
            belongs to the same pairs, start and schedule; removed at the end
            unless ``keep``.
        after_epoch: called with the number of epochs done and the encoder so far.
        evaluate: a figure of the encoder so far, ten times an epoch, for the curve.
        curve: where loss and figure are written at the end, as .csv and .png.
        label: of the progress bar.

    Raises:
        StsError: fewer than two pairs, no word in any of them, a file that is no
            checkpoint, or a loss that is not finite.
    """
    total = sum(len(corpus.pairs) for corpus in corpora)
    if total < 2:
        raise StsError(f"{label}: {total} training pairs; at least two are needed")
    plan = PairPlan.of(corpora, encoder, how)
    if plan.wordless:
        raise StsError(f"{label}: no training pair holds a word")
    if how.negatives != "hardest" and how.objective in _HINGES and plan.lonely:
        raise StsError(f"{label}: no sentence outside the pair to draw as a negative")
    learner = Learner(encoder, plan.active, how, pair_loss(how))
    kept = None
    if checkpoint:
        kept = Checkpoint(checkpoint, _fingerprint(encoder, corpora, how), seconds, keep)
    learned = learner.learn(plan, label, kept, after_epoch, evaluate)
    if curve:
        learned.write(curve)
    return learner.encoder()


class Learner:
    """The rows of an encoder that take part in a training, and the way back to an encoder.

    Args:
        encoder: where training starts from.
        active: (rows,) which rows of its table take part, in order.
        how: optimizer, pull and share.
        loss: of the sentence vectors of a batch.
    """

    def __init__(self, encoder: Encoder, active: Any, how: Training, loss: Loss) -> None:
        self.start, self.active, self.how = encoder, active, how
        optimizer = make_optimizer(how.optimizer)
        self.table = SparseTable(encoder.table[active], optimizer, loss, how.pull)

    def learn(
        self,
        plan: loop.Plan,
        label: str,
        checkpoint: Checkpoint | None = None,
        after_epoch: Callable[[int, Encoder], None] | None = None,
        evaluate: Callable[[Encoder], float] | None = None,
    ) -> Curve:
        """Run the loop, handing the encoder so far to whoever asks for it."""
        return loop.run(
            plan,
            self.table,
            label=label,
            checkpoint=checkpoint,
            evaluate=(lambda: evaluate(self.encoder())) if evaluate else None,
            after_epoch=(lambda done: after_epoch(done, self.encoder())) if after_epoch else None,
        )

    def encoder(self) -> Encoder:
        """The start with its active rows as they are now, or a share of the way there."""
        table = self.start.table.copy()
        trained, share = self.table.rows(), np.float32(self.how.share)
        between = table[self.active] * (1 - share) + trained * share
        table[self.active] = trained if share == 1 else between
        return Encoder(self.start.tokenizer, table)


def compact(ids: Ragged) -> tuple[NDArray[np.int32], Ragged]:
    """The distinct rows in ``ids``, in order, and the same sentences counted within them."""
    active, places = np.unique(ids.flat, return_inverse=True)
    return active, Ragged(places.astype(np.int32), ids.offsets)


@dataclass(frozen=True)
class PairPlan:
    """Corpora as numbers, and the order in which they are learned from.

    Attributes:
        how: objective and schedule.
        active: (rows,) the rows of the table that occur.
        segments: words of every segment, counted within ``active``.
        own: (n, 2) the two segments of each pair.
        text: (segments,) equal for segments of several sources that are the same sentence.
        size, first: (n,) how many segments each pair's source has, and its first one.
    """

    how: Training
    active: Any
    segments: Ragged
    own: Indices
    text: Indices
    size: Indices
    first: Indices

    @classmethod
    def of(cls, corpora: Sequence[Corpus], encoder: Encoder, how: Training) -> PairPlan:
        """The plan of some corpora; a source of one pair alone may use all others' segments."""
        texts: list[str] = []
        own, size, first = [], [], []
        for corpus in corpora:
            begin, segments = len(texts), corpus.segments
            place = {text: begin + i for i, text in enumerate(segments)}
            texts += segments
            own += [(place[left], place[right]) for left, right in corpus.pairs]
            size += [len(segments)] * len(corpus.pairs)
            first += [begin] * len(corpus.pairs)
        active, ids = compact(encoder.ids(texts))
        sides = np.array(own, np.int64)
        alone = np.array(size) <= 1 + (sides[:, 0] != sides[:, 1])
        number = {text: i for i, text in enumerate(dict.fromkeys(texts))}
        return cls(
            how,
            active,
            ids,
            sides,
            np.array([number[text] for text in texts], np.int64),
            np.where(alone, len(texts), size),
            np.where(alone, 0, first),
        )

    @property
    def epochs(self) -> int:
        """Passes over the pairs."""
        return self.how.epochs

    @property
    def wordless(self) -> bool:
        """Whether no pair holds a word."""
        return not self.segments.lengths[self.own].any()

    @property
    def lonely(self) -> bool:
        """Whether some pair has no segment to be told apart from."""
        return bool(np.any(self.size <= 1 + (self.own[:, 0] != self.own[:, 1])))

    def rate(self, done: float) -> float:
        """The learning rate, which falls on a straight line to ``final_rate`` of itself."""
        return self.how.learning_rate * (1 - (1 - self.how.final_rate) * done)

    def _round_size(self, epoch: int) -> int:
        return self.how.batch * min(epoch + 1, self.how.megabatch)

    def rounds(self, epoch: int) -> int:
        """Mega-batches in an epoch; they grow by a batch an epoch."""
        return -(-len(self.own) // self._round_size(epoch))

    def batches(self, epoch: int, number: int, table: SparseTable) -> Iterator[Batch]:
        """The batches of a round; order and draws depend on seed, epoch and round alone."""
        size = self._round_size(epoch)
        order = np.random.default_rng([self.how.seed, epoch]).permutation(len(self.own))
        chosen = order[number * size : (number + 1) * size]
        own = self.own[chosen]
        if self._needs_others and len(own) < 2:
            return  # a pair alone has no negative in its batch
        groups = [own[:, 0], own[:, 1]]
        searched = not self._searches_in_step
        if self.how.objective in _HINGES and searched:
            rng = np.random.default_rng([self.how.seed, epoch, number])
            groups += self._negatives(rng, chosen, own, table)
        for begin in range(0, len(own), self.how.batch):
            part = slice(begin, begin + self.how.batch)
            if self._needs_others and len(own[part]) < 2:
                continue
            extra = () if searched else tuple(self._never(own[part], g[part]) for g in groups)
            yield Batch([self.segments.take(group[part]) for group in groups], extra)

    @property
    def _searches_in_step(self) -> bool:
        """Whether the hardest negatives are found within the step: then no table is asked."""
        how = self.how
        return how.objective in _HINGES and how.negatives == "hardest" and how.megabatch == 1

    @property
    def _needs_others(self) -> bool:
        return self._searches_in_step or self.how.objective not in _HINGES

    def _never(self, own: Indices, candidates: Indices) -> NDArray[np.bool_]:
        """Which candidates are, as sentences, a side of the pair itself: (n, m)."""
        return forbidden(self.text[own], self.text[candidates])

    def _negatives(
        self, rng: np.random.Generator, chosen: Indices, own: Indices, table: SparseTable
    ) -> list[Indices]:
        """A negative segment (n,) for each left side and, for two hinges, each right side."""
        sides = 1 if self.how.objective == "one-sided" else 2
        drawn = [own[:, 0]] * sides
        if self.how.negatives != "hardest":
            size, first = self.size[chosen], self.first[chosen]
            drawn = [random_segment(rng, own, size, first) for _ in range(sides)]
        if self.how.negatives == "random":
            return drawn
        vectors = [table.encode(self.segments.take(own[:, side])) for side in (0, 1)]
        found = []
        for side in range(sides):
            candidates = own[:, 1 - side]
            never = self._never(own, candidates)
            best = np.asarray(_hardest(vectors[side], vectors[1 - side], never))
            hard = np.where(never.all(axis=1), drawn[side], candidates[best])
            luck = rng.random(len(own)) < 0.5
            mixed = self.how.negatives == "mixed"
            found.append(np.where(luck, hard, drawn[side]) if mixed else hard)
        return found


_HINGES = ("paragram", "one-sided")
_hardest = jax.jit(hardest)


def pair_loss(how: Training) -> Loss:
    """The loss of a batch by name; see :mod:`embeddings.training.losses`."""
    if how.objective == "ranking":
        return partial(losses.multiple_negatives, scale=how.scale)
    if how.objective == "additive":
        return partial(losses.multiple_negatives, scale=how.scale, margin=how.margin)
    two_hinges = partial(losses.paragram_margin, margin=how.margin)
    one_hinge = partial(losses.one_sided_margin, margin=how.margin)
    if how.negatives != "hardest" or how.megabatch > 1:
        return two_hinges if how.objective == "paragram" else one_hinge

    def in_batch(left: Any, right: Any, never_left: Any, never_right: Any) -> jax.Array:
        not_left = right[hardest(left, right, never_right)]
        if how.objective == "one-sided":
            return one_hinge(left, right, not_left)
        return two_hinges(left, right, not_left, left[hardest(right, left, never_left)])

    return in_batch


def _fingerprint(encoder: Encoder, corpora: Sequence[Corpus], how: Training) -> str:
    """What a checkpoint must agree on to be resumed."""
    texts = [[list(corpus.pairs), list(corpus.others)] for corpus in corpora]
    return sha256_of_bytes(json.dumps([asdict(how), texts, fingerprint(encoder)]).encode())
