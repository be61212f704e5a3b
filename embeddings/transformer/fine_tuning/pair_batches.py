"""Pairs of sentences with gold, and the order in which a transformer is trained on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from embeddings.training.configuration import FineTuning
from embeddings.training.trainable import Batch, Trainable
from embeddings.transformer.fine_tuning.lower_layers import LowerLayers, Places, Rows
from sts.errors import StsError


@dataclass(frozen=True, eq=False)
class PairBatches:
    """Batches of pairs for :func:`embeddings.training.loop.run`, each a round of its own.

    Pairs that share a sentence stand in one batch where they can, so that it is read once.

    Attributes:
        lower: the distinct sentences.
        own: (n, 2) the two sentences of each pair.
        groups: (n,) equal for pairs that share a sentence, see :func:`groups_of`.
        gold: (n,) float32.
        how: batch, seed.
        sets: (n,) the data set of each pair; those of a batch are of one. None: all are of one.
    """

    lower: LowerLayers
    own: Places
    groups: Places
    gold: NDArray[np.float32]
    how: FineTuning
    sets: Places | None = None

    def rounds(self, epoch: int) -> int:
        """Batches in an epoch."""
        return len(self.order(epoch))

    def order(self, epoch: int) -> list[Places]:
        """The pairs of each batch of an epoch."""
        return _order(self, epoch)

    def batches(self, epoch: int, number: int, model: Trainable) -> Iterator[Batch]:
        """The batch of a round; it depends on seed, epoch and round alone.

        Its arrays: sentences as :meth:`LowerLayers.batch` gives them, 2 · batch of them; a key
        of random numbers; which are the left and the right sides, and the gold, (k,) for one k:
        a batch of fewer sentences or pairs repeats its first ones.
        """
        pairs = self.order(epoch)[number]
        sentences, sides = np.unique(self.own[pairs], return_inverse=True)
        repeated = np.resize(np.arange(len(pairs)), self._most)
        left, right = sides.reshape(-1, 2)[repeated].T.astype(np.int32)
        drawn = np.array([self.how.seed, epoch << 20 | number], np.uint32)
        texts = repeat(self.lower.batch(sentences), 2 * self.how.batch)
        yield Batch(extra=(texts, drawn, left, right, self.gold[pairs[repeated]]))

    @property
    def _most(self) -> int:
        return -(-max(map(len, self.order(0))) // 16) * 16


@lru_cache(maxsize=4)
def _order(data: PairBatches, epoch: int) -> list[Places]:
    """Groups in random order, cut into batches of one data set that come in random order.

    What is left over of a data set, less than half a batch, waits for another epoch.
    """
    rng = np.random.default_rng([data.how.seed, epoch])
    rank = rng.permutation(data.groups.max() + 1)[data.groups]
    order = np.lexsort((rng.permutation(len(rank)), rank))
    most = data._most if epoch else 4 * data.how.batch
    sentences = 2 * data.how.batch
    if data.sets is None:
        return list(_cut(order, data.own, sentences, most))
    found: list[Places] = []
    for number in np.unique(data.sets):
        *full, last = _cut(order[data.sets[order] == number], data.own, sentences, most)
        found += [*full, last] if len(last) >= data.how.batch / 2 or not full else full
    return [found[place] for place in rng.permutation(len(found))]


def _cut(pairs: Places, own: Places, sentences: int, most: int) -> Iterator[Places]:
    """Runs of pairs with at most so many distinct sentences, and at most so many pairs."""
    begin, seen = 0, set[int]()
    for place, sides in enumerate(own[pairs].tolist()):
        if len(seen.union(sides)) > sentences or place - begin == most:
            yield pairs[begin:place]
            begin, seen = place, set()
        seen.update(sides)
    yield pairs[begin:]


def repeat(texts: Rows, n: int) -> Rows:
    """Return the rows with n texts to read: the first ones again if there are fewer."""
    again = np.arange(n) % len(texts.mask)
    return texts._replace(places=texts.places[again], mask=texts.mask[again])


def groups_of(own: Places) -> Places:
    """(n,) the number of each pair's group, from 0: pairs that share a sentence are in one."""
    return np.unique(meanings(own, int(own.max()) + 1)[own[:, 0]], return_inverse=True)[1]


def meanings(own: Places, sentences: int) -> NDArray[np.int64]:
    """(sentences,) equal for those that pairs (n, 2) connect, directly or through others."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    edges = coo_array((np.ones(len(own)), (own[:, 0], own[:, 1])), shape=(sentences, sentences))
    return np.asarray(connected_components(edges, directed=False)[1], np.int64)


def numbered(left: Sequence[str], right: Sequence[str]) -> tuple[list[str], Places]:
    """The distinct sentences of n pairs, and the numbers (n, 2) of their two sides."""
    texts = list(dict.fromkeys((*left, *right)))
    place = {text: i for i, text in enumerate(texts)}
    sides = [(place[a], place[b]) for a, b in zip(left, right, strict=True)]
    return texts, np.array(sides, np.int64).reshape(-1, 2)


def check_pairs(label: str, gold: NDArray[np.float64]) -> None:
    """Raise an :class:`StsError` if nothing can be learned from the gold of pairs."""
    if len(gold) < 2:
        raise StsError(f"{label}: {len(gold)} training pairs; at least two are needed")
    if len(np.unique(gold)) < 2:
        raise StsError(
            f"{label}: all {len(gold)} pairs have the gold {gold[0]:g}; expected pairs that mean "
            "the same and pairs that do not"
        )
