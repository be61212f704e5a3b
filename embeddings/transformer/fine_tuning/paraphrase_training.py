"""Training of a transformer on pairs that mean the same, against negatives (margin scale)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, Unpack

import numpy as np

from embeddings.training.configuration import FineTuning
from embeddings.training.loop import Options, train_encoder
from embeddings.training.losses import MarginScale
from embeddings.training.negatives import HardNegatives, distinct_by_rank
from embeddings.training.trainable import Batch, Trainable
from embeddings.transformer.fine_tuning.bi_encoder import BiEncoder, BiEncoderLoss, trained_encoder
from embeddings.transformer.fine_tuning.lower_layers import LowerLayers, Places, Tokens
from embeddings.transformer.fine_tuning.pair_batches import meanings, numbered, repeat
from embeddings.transformer.fine_tuning.upper_layers import (
    HEAD,
    starting_parameters,
    unit_vectors,
)
from embeddings.transformer.poolings import Mean, Pooling
from embeddings.transformer.transformer_encoder import Transformer
from sts.errors import StsError


@dataclass(frozen=True)
class MegaBatch:
    """Search for the hard negatives of an anchor.

    Fedorova and Musatow, Cross-lingual paraphrase identification, algorithm 2.

    Attributes:
        batches: so many are searched together, by the network as it is; 0 searches nothing.
        search: which of the sentences found are taken.
        most: of each batch; those of lower rank are left out, so that memory is bounded.
    """

    batches: int = 0
    search: HardNegatives = field(default_factory=HardNegatives)
    most: int = 32


@dataclass(frozen=True, eq=False)
class ParaphraseBatches:
    """Batches for :func:`embeddings.training.loop.run`; a round is a mega-batch.

    Attributes:
        lower: the distinct sentences.
        own: (n, 2) the two sentences of each pair.
        given: (n, k) hard negatives of each pair that are known, −1 for none.
        meaning: (sentences,) equal for those that mean the same, see :func:`meanings`.
        how: batch, seed.
        pooling: of the vectors that are searched.
        mega: how hard negatives are searched.
    """

    lower: LowerLayers
    own: Places
    given: Places
    meaning: Places
    how: FineTuning
    pooling: Pooling
    mega: MegaBatch = field(default_factory=MegaBatch)

    def rounds(self, epoch: int) -> int:
        """Mega-batches in an epoch."""
        return -(-len(self.order(epoch)) // self._together)

    def order(self, epoch: int) -> list[Places]:
        """The pairs of each batch of an epoch."""
        return _order(self, epoch)

    def batches(self, epoch: int, number: int, model: Trainable) -> Iterator[Batch]:
        """The batches of a mega-batch; its hard negatives are those of the model as it is.

        Their arrays: sentences as :meth:`LowerLayers.batch` gives them; a key of random numbers;
        which are the left sides, the right sides and the hard negatives; and which right side
        or hard negative is none of an anchor. A batch of fewer pairs repeats its first ones.
        """
        begin = number * self._together
        parts = self.order(epoch)[begin : begin + self._together]
        found = self._search(np.concatenate(parts), model)
        ends = np.cumsum([len(pairs) for pairs in parts])[:-1]
        for place, (pairs, mined) in enumerate(zip(parts, np.split(found, ends), strict=True)):
            yield self._batch(pairs, mined, epoch << 20 | begin + place)

    @property
    def _together(self) -> int:
        return max(1, self.mega.batches)

    def _search(self, pairs: Places, model: Trainable) -> Places:
        """The hard negatives (pairs, k) of each anchor, −1 where there is none."""
        if not self.mega.batches:
            return np.full((len(pairs), 0), -1)
        candidates = np.unique(np.concatenate([self.own[pairs], self.given[pairs]], axis=1))
        candidates = candidates[candidates >= 0]
        vectors = unit_vectors(model.dense, self.lower, self.pooling, candidates)
        anchors = self.own[pairs, 0]
        found = self.mega.search.search(
            vectors[np.searchsorted(candidates, anchors)],
            vectors,
            self.meaning[anchors],
            self.meaning[candidates],
        )
        return np.where(found < 0, -1, candidates[found])

    def _batch(self, pairs: Places, mined: Places, number: int) -> Batch:
        n, most = self.how.batch, self.mega.most if self.mega.batches else 0
        given = self.given[pairs]
        hard = np.unique(given[given >= 0])
        ranked = distinct_by_rank(mined)
        hard = np.concatenate([hard, ranked[~np.isin(ranked, hard)][:most]])
        left, right = self.own[np.resize(pairs, n)].T
        sentences, places = np.unique(np.concatenate([left, right, hard]), return_inverse=True)
        room = n * self.given.shape[1] + most
        never = np.ones((n, n + room), bool)
        others = np.concatenate([right, hard])
        never[:, : len(others)] = self.meaning[left][:, None] == self.meaning[others]
        own = np.zeros(2 * n + room, np.int32)
        own[: len(places)] = places
        texts = repeat(self.lower.batch(sentences), len(own))
        drawn = np.array([self.how.seed, number], np.uint32)
        return Batch(extra=(texts, drawn, own[:n], own[n : 2 * n], own[2 * n :], never))


@lru_cache(maxsize=4)
def _order(data: ParaphraseBatches, epoch: int) -> list[Places]:
    """Pairs in random order, cut into batches."""
    rng = np.random.default_rng([data.how.seed, epoch])
    order, size = rng.permutation(len(data.own)), data.how.batch
    return [order[begin : begin + size] for begin in range(0, len(order), size)]


class ParaphraseLoss(BiEncoderLoss):
    """The loss of a batch of :class:`ParaphraseBatches`."""

    def compared_with(self, vectors: Any, parameters: Mapping[str, Any], *others: Any) -> Any:
        """Return the vectors of the hard negatives, and which ones are none of an anchor."""
        hard, never = others
        return vectors[hard], never


def train_on_paraphrases(
    start: Transformer,
    left: Sequence[str],
    right: Sequence[str],
    how: FineTuning,
    objective: MarginScale,
    given: Sequence[str | None] = (),
    mega: MegaBatch | None = None,
    pooling: Pooling | None = None,
    **options: Unpack[Options[BiEncoder]],
) -> BiEncoder:
    """A bi-encoder trained so that a sentence is closer to its paraphrase than to negatives.

    Args:
        start: the network that training starts from.
        left, right: of n pairs that mean the same.
        how: schedule, and how much of the network is trained; within a mega-batch the learning
            rate stays as it is.
        objective: the loss.
        given: of each pair, a sentence that is close to both and means something else, or None.
        mega: how further hard negatives are searched; none are if it is not given.
        pooling: the mean if none is given.
        **options: see :class:`~embeddings.training.loop.Options`.

    Raises:
        StsError: fewer than two pairs, or as :func:`embeddings.training.loop.run`.
    """
    if len(left) < 2:
        label = options.get("label", "training")
        raise StsError(f"{label}: {len(left)} training pairs; at least two are needed")
    pooling = pooling or Mean()
    known = [sentence or a for sentence, a in zip(given, left, strict=True)] if given else []
    texts, sides = numbered([*left, *known], [*right, *known])
    own, hard = sides[: len(left)], sides[len(left) :, :1]
    if given:
        hard = np.where([[sentence is None] for sentence in given], -1, hard)
    lower = LowerLayers(start.weights, start.shape, Tokens.of(start, texts), how.frozen)
    data = ParaphraseBatches(
        lower,
        own,
        hard.reshape(len(own), -1),
        meanings(own, len(texts)),
        how,
        pooling,
        mega or MegaBatch(),
    )
    loss = ParaphraseLoss(start.shape, how.frozen, pooling, objective, how.dropout)
    parameters = starting_parameters(start, how, pooling) | {HEAD: {}}
    model = Trainable(parameters, loss, how.optimizer())
    current = partial(trained_encoder, start, pooling, model)
    parts = {"start": start.digest, "pairs": [texts, own, hard], "loss": repr((loss, mega))}
    return train_encoder(model, data, how, current, parts, **options)
