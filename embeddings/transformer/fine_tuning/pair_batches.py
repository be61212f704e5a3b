"""Pairs of sentences, and the order in which a transformer is trained on them.

Every batch depends on seed, epoch and round alone. Its arrays begin with the sentences, as
:meth:`LowerLayers.batch` returns them, and a key of random numbers. A batch of fewer sentences or
pairs than others repeats its first ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.configuration import FineTuning
from semaniacs.embeddings.training.negatives import HardNegatives, distinct_by_rank
from semaniacs.embeddings.training.trainable import Batch, Trainable
from semaniacs.embeddings.transformer.fine_tuning.lower_layers import LowerLayers, Places
from semaniacs.embeddings.transformer.fine_tuning.upper_layers import unit_vectors
from semaniacs.embeddings.transformer.poolings import Pooling
from semaniacs.sts.errors import StsError


def numbered(left: Sequence[str], right: Sequence[str]) -> tuple[list[str], Places]:
    """Return the distinct sentences of n pairs, and the numbers (n, 2) of their two sides."""
    texts = list(dict.fromkeys((*left, *right)))
    place = {text: i for i, text in enumerate(texts)}
    sides = [(place[a], place[b]) for a, b in zip(left, right, strict=True)]
    return texts, np.array(sides, np.int64).reshape(-1, 2)


def meanings(own: Places, sentences: int) -> NDArray[np.int64]:
    """(sentences,) equal for those that pairs (n, 2) connect, directly or through others."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    edges = coo_array((np.ones(len(own)), (own[:, 0], own[:, 1])), shape=(sentences, sentences))
    return np.asarray(connected_components(edges, directed=False)[1], np.int64)


def groups_of(own: Places) -> Places:
    """(n,) number of each pair's group, from 0: pairs that share a sentence are in one."""
    return np.unique(meanings(own, int(own.max()) + 1)[own[:, 0]], return_inverse=True)[1]


def check_pairs(label: str, gold: NDArray[np.float64]) -> None:
    """Raise an :class:`StsError` if nothing can be learned from the gold of pairs."""
    if len(gold) < 2:
        raise StsError(f"{label}: {len(gold)} training pairs; at least two are needed")
    if len(np.unique(gold)) < 2:
        raise StsError(
            f"{label}: all {len(gold)} pairs have the gold {gold[0]:g}; expected pairs that mean "
            "the same and pairs that do not"
        )


@dataclass(frozen=True, eq=False)
class PairBatches:
    """Batches of pairs whose sentences are read one by one, each batch a round.

    Pairs that share a sentence are in one batch where they can be, so that it is read once.

    Attributes:
        own: (n, 2) the two of the distinct sentences of each pair.
        groups: (n,) equal for pairs that share a sentence, see :func:`groups_of`.
        gold: (n,) float32.
        sets: (n,) data set of each pair; those of a batch are of one. None: all are of one.
    """

    lower: LowerLayers
    own: Places
    groups: Places
    gold: NDArray[np.float32]
    how: FineTuning
    sets: Places | None = None

    def rounds(self, epoch: int) -> int:
        """Return the number of batches in an epoch."""
        return len(self.order(epoch))

    @lru_cache(maxsize=4)  # noqa: B019  the object lives as long as its training
    def order(self, epoch: int) -> list[Places]:
        """Return the pairs of each batch of an epoch: groups in random order, cut into batches.

        Batches of several data sets come in random order; the last one of a data set is left out if
        it has less than half a batch.
        """
        rng, order = self.shuffled(epoch)
        most = self.most if epoch else 4 * self.how.batch
        sentences = 2 * self.how.batch
        if self.sets is None:
            return list(_cut(order, self.own, sentences, most))
        found: list[Places] = []
        for number in np.unique(self.sets):
            *full, last = _cut(order[self.sets[order] == number], self.own, sentences, most)
            found += [*full, last] if len(last) >= self.how.batch / 2 or not full else full
        return [found[place] for place in rng.permutation(len(found))]

    def shuffled(self, epoch: int) -> tuple[np.random.Generator, Places]:
        """Return the random numbers of an epoch, and its pairs in random order, group by group."""
        rng = np.random.default_rng([self.how.seed, epoch])
        rank = rng.permutation(self.groups.max() + 1)[self.groups]
        return rng, np.lexsort((rng.permutation(len(rank)), rank))

    def batches(self, epoch: int, number: int, model: Trainable) -> Iterator[Batch]:
        """Yield the batch of a round: sentences, key, left sides, right sides, and the gold."""
        pairs = self.order(epoch)[number]
        sentences, sides = np.unique(self.own[pairs], return_inverse=True)
        repeated = np.resize(np.arange(len(pairs)), self.most)
        left, right = sides.reshape(-1, 2)[repeated].T.astype(np.int32)
        texts = self.lower.batch(sentences, 2 * self.how.batch)
        key = self.key(epoch, number)
        yield Batch(extra=(texts, key, left, right, self.gold[pairs[repeated]]))

    def key(self, epoch: int, number: int) -> NDArray[np.uint32]:
        """Return the key of the random numbers of a batch."""
        return np.array([self.how.seed, epoch << 20 | number], np.uint32)

    @property
    def most(self) -> int:
        """Number of pairs that a batch is filled up to."""
        return -(-max(map(len, self.order(0))) // 16) * 16


def _cut(pairs: Places, own: Places, sentences: int, most: int) -> Iterator[Places]:
    """Yield runs of pairs with at most so many distinct sentences, and at most so many pairs."""
    begin, seen = 0, set[int]()
    for place, sides in enumerate(own[pairs].tolist()):
        if len(seen.union(sides)) > sentences or place - begin == most:
            yield pairs[begin:place]
            begin, seen = place, set()
        seen.update(sides)
    yield pairs[begin:]


@dataclass(frozen=True)
class MegaBatch:
    """Search for the hard negatives of an anchor.

    Fedorova and Musatow, Cross-lingual paraphrase identification, algorithm 2. The network as it is
    searches a number of ``batches`` together; 0 for none. ``most`` is the largest number of hard
    negatives per batch, to bound the memory; those of lower rank are left out.
    """

    batches: int = 0
    search: HardNegatives = field(default_factory=HardNegatives)
    most: int = 32


@dataclass(frozen=True, eq=False)
class ParaphraseBatches:
    """Batches of paraphrases and hard negatives; a round is a mega-batch.

    Attributes:
        own: (n, 2) the two of the distinct sentences of each pair.
        given: (n, k) hard negatives of each pair that are known, −1 for none.
        meaning: (sentences,) equal for those that mean the same, see :func:`meanings`.
        pooling: of the vectors that are searched.
    """

    lower: LowerLayers
    own: Places
    given: Places
    meaning: Places
    how: FineTuning
    pooling: Pooling
    mega: MegaBatch = field(default_factory=MegaBatch)

    def rounds(self, epoch: int) -> int:
        """Return the number of mega-batches in an epoch."""
        return -(-len(self.order(epoch)) // max(1, self.mega.batches))

    def order(self, epoch: int) -> list[Places]:
        """Return the pairs of each batch of an epoch, in random order."""
        rng = np.random.default_rng([self.how.seed, epoch])
        order, size = rng.permutation(len(self.own)), self.how.batch
        return [order[begin : begin + size] for begin in range(0, len(order), size)]

    def batches(self, epoch: int, number: int, model: Trainable) -> Iterator[Batch]:
        """Yield the batches of a mega-batch; its hard negatives are those of the model as it is.

        Their arrays: sentences, key, the left sides, the right sides and the hard negatives; and
        whether a right side or hard negative is no negative of an anchor.
        """
        together = max(1, self.mega.batches)
        begin = number * together
        parts = self.order(epoch)[begin : begin + together]
        found = self._search(np.concatenate(parts), model)
        ends = np.cumsum([len(pairs) for pairs in parts])[:-1]
        for place, (pairs, mined) in enumerate(zip(parts, np.split(found, ends), strict=True)):
            yield self._batch(pairs, mined, epoch << 20 | begin + place)

    def _search(self, pairs: Places, model: Trainable) -> Places:
        """Return the hard negatives (pairs, k) of each anchor, −1 where there is none."""
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
        hard = np.unique(self.given[pairs])
        hard = hard[hard >= 0]
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
        texts = self.lower.batch(sentences, len(own))
        key = np.array([self.how.seed, number], np.uint32)
        return Batch(extra=(texts, key, own[:n], own[n : 2 * n], own[2 * n :], never))
