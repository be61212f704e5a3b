"""Training of word averaging on pairs that mean the same (paper, 3), source by source.

Only the rows of words that occur in the corpora take part: the gradient of every other row is
exactly zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Unpack

import jax
import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.configuration import HingeLoss, Training
from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.tokenizers.row_numbers import Ragged
from semaniacs.embeddings.training.corpora import SentencePair
from semaniacs.embeddings.training.loop import Options, train_encoder
from semaniacs.embeddings.training.losses import HardestInBatch, hardest_or_own
from semaniacs.embeddings.training.negatives import Indices, random_segment
from semaniacs.embeddings.training.sentence_model import Objective, SentenceModel, mean_pool
from semaniacs.embeddings.training.sparse_rows import compact, make_optimizer, replaced
from semaniacs.embeddings.training.trainable import Batch
from semaniacs.sts.errors import StsError

_hardest_or_own = jax.jit(hardest_or_own)


@dataclass(frozen=True)
class Corpus:
    """Pairs from one source, and further sentences of it.

    Random negatives are drawn from all of these: a sentence of another source, on another
    topic, would be too easy to tell apart.
    """

    pairs: Sequence[SentencePair]
    others: Sequence[str] = ()


def train(
    encoder: Encoder,
    corpora: Sequence[Corpus],
    configuration: Training,
    **options: Unpack[Options[Encoder]],
) -> Encoder:
    """Return a new encoder whose rows are tuned so that the two sides of each pair come closer.

    Pairs are given source by source; the options are
    :class:`~semaniacs.embeddings.training.loop.Options`. Raises an StsError for fewer than two pairs, no
    word in any of them, no negative for some pair, a batch too small for the objective, or as
    :func:`.loop.run`.
    """
    label = options.setdefault("label", "training")
    total = sum(len(corpus.pairs) for corpus in corpora)
    if total < 2:
        raise StsError(f"{label}: {total} training pairs; at least two are needed")
    data = PairData.of(corpora, encoder, configuration)
    if data.fewest > configuration.batch:
        raise StsError(
            f"{label}: --batch {configuration.batch} leaves a pair without another one in its "
            "batch to be told apart from; type --batch 2 or more, or choose --negatives random "
            "with --objective paragram or one-sided"
        )
    if not data.segments.lengths[data.own].any():
        raise StsError(f"{label}: no training pair holds a word")
    if data.fewest == 1 and np.any(data.size <= 1 + (data.own[:, 0] != data.own[:, 1])):
        raise StsError(f"{label}: no sentence outside the pair to draw as a negative")
    model = SentenceModel(
        encoder.table[data.active],
        make_optimizer(configuration.optimizer),
        data.loss,
        l2_to_init=configuration.l2_to_init,
        pool=mean_pool(encoder),
    )

    def current() -> Encoder:
        weight = np.float32(configuration.interpolation)
        rows = model.rows()
        if weight != 1:
            rows = encoder.table[data.active] * (1 - weight) + rows * weight
        return encoder.with_table(replaced(encoder.table, data.active, rows))

    pairs = [[list(corpus.pairs), list(corpus.others)] for corpus in corpora]
    parts = {"start": encoder, "list_of_pairs": pairs}
    return train_encoder(model, data, configuration, current, parts, **options)


@dataclass(frozen=True)
class PairData:
    """Pairs of several sources as numbers, and the order in which they are trained on.

    Attributes:
        configuration: objective, negatives and schedule.
        active: (rows,) the rows of the table that occur.
        segments: words of every segment, as places within ``active``.
        own: (n, 2) the two segments of each pair.
        text: (segments,) equal for segments of several sources that are the same sentence.
        size, first: (n,) number of segments of each pair's source, and its first one.
    """

    configuration: Training
    active: NDArray[np.int32]
    segments: Ragged
    own: Indices
    text: Indices
    size: Indices
    first: Indices

    @classmethod
    def of(cls, corpora: Sequence[Corpus], encoder: Encoder, configuration: Training) -> PairData:
        """Make the data of corpora; negatives of a source of one pair come from all sources."""
        texts: list[str] = []
        own, size, first = [], [], []
        for corpus in corpora:
            begin = len(texts)
            segments = list(dict.fromkeys((*chain.from_iterable(corpus.pairs), *corpus.others)))
            place = {text: begin + i for i, text in enumerate(segments)}
            texts += segments
            own += [(place[left], place[right]) for left, right in corpus.pairs]
            size += [len(segments)] * len(corpus.pairs)
            first += [begin] * len(corpus.pairs)
        active, ids = compact(encoder.ids(texts))
        sides = np.array(own, np.int64)
        alone = np.array(size) <= 1 + (sides[:, 0] != sides[:, 1])
        number = {text: i for i, text in enumerate(dict.fromkeys(texts))}
        text = np.array([number[text] for text in texts], np.int64)
        size_of, first_of = np.where(alone, len(texts), size), np.where(alone, 0, first)
        return cls(configuration, active, ids, sides, text, size_of, first_of)

    @property
    def fewest(self) -> int:
        """Smallest number of pairs in a batch: 2 if all negatives are from the batch, else 1."""
        needed = self.configuration.objective.negatives
        return 2 if needed == 0 or self.configuration.negatives.hardest == 1 else 1

    @property
    def loss(self) -> Objective:
        """Objective of a batch of :meth:`batches`."""
        objective = self.configuration.objective
        if self._searches_in_step:
            assert isinstance(objective, HingeLoss)
            return HardestInBatch(objective)
        return objective

    def _round_size(self, epoch: int) -> int:
        return self.configuration.batch * min(epoch + 1, self.configuration.negatives.megabatch)

    def rounds(self, epoch: int) -> int:
        """Return the number of mega-batches in an epoch; they grow by one batch per epoch."""
        return -(-len(self.own) // self._round_size(epoch))

    def batches(self, epoch: int, number: int, model: SentenceModel) -> Iterator[Batch]:
        """Yield the batches of a round; order and draws depend on seed, epoch and round alone."""
        size, seed = self._round_size(epoch), self.configuration.seed
        order = np.random.default_rng([seed, epoch]).permutation(len(self.own))
        chosen = order[number * size : (number + 1) * size]
        own = self.own[chosen]
        if len(own) < self.fewest:
            return  # a pair alone has no negative
        groups = [own[:, 0], own[:, 1]]
        if self.configuration.objective.negatives and not self._searches_in_step:
            rng = np.random.default_rng([seed, epoch, number])
            groups += self._negatives(rng, chosen, own, model)
        for begin in range(0, len(own), self.configuration.batch):
            part = slice(begin, begin + self.configuration.batch)
            if len(own[part]) < self.fewest and len(groups) == 2:
                continue  # its negatives would have to come from the batch
            masks = [self._never(own[part], group[part]) for group in groups]
            extra = tuple(masks) if self._searches_in_step else ()
            yield Batch([self.segments.take(group[part]) for group in groups], extra)

    @property
    def _searches_in_step(self) -> bool:
        """Whether the hardest negatives come from the batch: then the step finds them."""
        negatives = self.configuration.negatives
        needed = self.configuration.objective.negatives > 0
        return needed and negatives.hardest == 1 and negatives.megabatch == 1

    def _never(self, own: Indices, candidates: Indices) -> NDArray[np.bool_]:
        """(n, m) true where a candidate is, as a sentence, a side of the pair itself."""
        sides, texts = self.text[own], self.text[candidates]
        never: NDArray[np.bool_] = (sides[:, :1] == texts) | (sides[:, 1:] == texts)
        return never

    def _negatives(
        self, rng: np.random.Generator, chosen: Indices, own: Indices, model: SentenceModel
    ) -> list[Indices]:
        """Negative segments (n,) of each left side and, for two hinges, each right side.

        The hardest are the most similar sentences on the other side of the mega-batch; a
        pair without any gets its own other side, which cancels out of the loss.
        """
        sides = range(self.configuration.objective.negatives)
        fraction = self.configuration.negatives.hardest
        drawn = [own[:, 1 - side] for side in sides]
        if fraction < 1:
            size, first = self.size[chosen], self.first[chosen]
            drawn = [random_segment(rng, own, size, first) for _ in sides]
        if fraction == 0:
            return drawn
        vectors = [model.encode(self.segments.take(own[:, side])) for side in (0, 1)]
        found = []
        for side in sides:
            candidates = own[:, 1 - side]
            never = self._never(own, candidates)
            best: Any = _hardest_or_own(vectors[side], vectors[1 - side], never)
            hard = np.where(never.all(axis=1), drawn[side], candidates[np.asarray(best)])
            lucky = rng.random(len(own)) < fraction
            found.append(hard if fraction == 1 else np.where(lucky, hard, drawn[side]))
        return found
