"""A network that reads both sentences of a pair, for grades and for labels, and its training.

The lower layers read each sentence alone. In the upper ones a token attends to the other sentence
too, through gates, see :mod:`.pair_scorers`. The head compares the means and the maxima of the last
states of both sides, and gives two numbers: a grade, and the logit of the chance that the two mean
the same. It learns from both kinds of pairs together.

A score does not depend on which sentence is the left one, to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, Unpack

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.compiled import in_this_context
from semaniacs.embeddings.configuration import CrossAttentionTuning
from semaniacs.embeddings.encoder import threads
from semaniacs.embeddings.training.checkpoint import digest
from semaniacs.embeddings.training.loop import Options
from semaniacs.embeddings.training.losses import correlation
from semaniacs.embeddings.training.trainable import Batch, Trainable
from semaniacs.embeddings.transformer.fine_tuning.lower_layers import (
    TEXTS_AT_ONCE,
    LowerLayers,
    Places,
    Rows,
    Tokens,
)
from semaniacs.embeddings.transformer.fine_tuning.pair_batches import groups_of, numbered
from semaniacs.embeddings.transformer.fine_tuning.pair_scorers import (
    CrossAttention,
    PairScorer,
    gates_of,
)
from semaniacs.embeddings.transformer.fine_tuning.scorer_training import SLOPE, cross_entropy
from semaniacs.embeddings.transformer.fine_tuning.upper_layers import (
    HEAD,
    NETWORK,
    run_upper,
    train_network,
    upper_weights,
)
from semaniacs.embeddings.transformer.plain_forward import Lower, Shape
from semaniacs.embeddings.transformer.transformer_encoder import Text, Transformer
from semaniacs.sts.errors import StsError
from semaniacs.sts.progress import Bar

RANKING = 0.5
"""Weight of the ranking loss beside the cross-entropy."""

PART = 2048
"""Sentences, two a pair, whose lower states are in memory at once."""

LABELS = -1
"""Number of the data set of pairs with labels; those with grades are numbered from 0."""


class Reader(PairScorer):
    """Network and head that grade pairs, and tell which mean the same."""

    @property
    def first(self) -> int:
        """Number of the layers that read each sentence alone."""
        return self.network.shape.layers - len(self.head["gates"])

    def predict(
        self, left: Sequence[str], right: Sequence[str], *, label: str = "reading"
    ) -> NDArray[np.float64]:
        """Return grades from 0 to 1, and chances to mean the same (n, 2); see :class:`PairScorer`.

        The lower layers read each sentence once, however many pairs of a part it is in.
        """
        texts = CrossAttention.texts_of(left, right)
        found = [np.empty((0, 2), np.float32)]
        with Bar(label, "pairs", len(left)) as bar:
            for begin in range(0, len(texts), PART):
                part = texts[begin : begin + PART]
                found.append(self._read(part))
                bar.update(len(part) // 2)
        numbers = np.concatenate(found).astype(np.float64)
        if not np.isfinite(numbers).all():
            raise StsError(f"{label}: a score is no finite number; the weights are damaged")
        return np.stack([numbers[:, 0], 1 / (1 + np.exp(-numbers[:, 1]))], axis=1)

    def _read(self, texts: Sequence[Text]) -> NDArray[np.float32]:
        """Grade and logit (k, 2) of k pairs, of whose sentences there are 2k."""
        place = {text: number for number, text in enumerate(dict.fromkeys(texts))}
        ids, (lower,) = self.network.layers([str(text) for text in place], (self.first,))
        places = [place[text] for text in texts]

        def read(chosen: Sequence[int]) -> NDArray[np.float32]:
            own = [lower[number] for number in chosen]
            return self._numbers([ids[number] for number in chosen], own)

        parts = [places[at : at + TEXTS_AT_ONCE] for at in range(0, len(places), TEXTS_AT_ONCE)]
        with ThreadPoolExecutor(threads()) as pool:
            return np.concatenate([*pool.map(in_this_context(read), parts)])

    @np.errstate(all="ignore")  # all numbers together are checked for being finite
    def _numbers(self, ids: Sequence[Any], lower: Sequence[Any]) -> NDArray[np.float32]:
        """Grade and logit (k, 2), from the tokens of 2k sentences and their lower states."""
        shape, below = self.network.shape, Lower(self.first, np.concatenate(lower))
        (states,) = self.network.states(ids, [shape.layers], gates=gates_of(self.head), lower=below)
        read = np.split(states, np.cumsum([len(own) for own in ids])[:-1])
        means = np.stack([own.mean(axis=0) for own in read])
        tops = np.stack([own.max(axis=0) for own in read])
        cosines, compared = compare(np, means, tops)
        inner = np.stack([self.head["dense"] @ row for row in compared]) + self.head["bias"]
        given = np.stack([np.tanh(row) @ self.head["out"] for row in inner])
        found: NDArray[np.float32] = given + self.head["slope"] * cosines[:, None]
        return np.asarray(found + self.head["level"], np.float32)

    @cached_property
    def digest(self) -> str:
        """Hash of everything that decides a score."""
        return digest([self.network.digest, sorted(self.head.items())])


def compare(numpy: Any, means: Any, tops: Any) -> tuple[Any, Any]:
    """Return the cosines (k,) and further comparisons (k, 4 · dim) of the sides of k pairs.

    Args:
        numpy: the library of the arrays, NumPy or that of JAX.
        means, tops: (2k, dim) means and maxima of the states, a left side before each right side.
    """
    dim = means.shape[1]
    unit = means / numpy.sqrt((means * means).sum(axis=1, keepdims=True))
    a, b, high, low = unit[0::2], unit[1::2], tops[0::2], tops[1::2]
    parts = [dim**0.5 * numpy.abs(a - b), dim * a * b, numpy.abs(high - low), high * low]
    return (a * b).sum(axis=1), numpy.concatenate(parts, axis=1)


def initial_head(start: Transformer, how: CrossAttentionTuning) -> dict[str, Any]:
    """Return a head whose grade is the cosine of the mean states of both sides."""
    rng, dim = np.random.default_rng(how.seed), start.width
    gated = (start.shape.layers - (how.frozen or 0), start.shape.heads)
    return {
        "gates": np.full(gated, how.gate, np.float32),
        "same": np.full(gated, how.same or 0.0, np.float32),
        "dense": rng.normal(0, 0.02, (dim, 4 * dim)).astype(np.float32),
        "bias": np.zeros(dim, np.float32),
        "out": np.zeros((dim, 2), np.float32),
        "slope": np.array([1, SLOPE], np.float32),
        "level": np.array([0, -0.9 * SLOPE], np.float32),
    }


class Lessons(NamedTuple):
    """Pairs to learn from.

    Attributes:
        left, right: of n pairs.
        gold: (n,) from 0 to 1.
        sets: (n,) number of the data set of a pair with a grade, :data:`LABELS` of one with a label.
    """

    left: Sequence[str]
    right: Sequence[str]
    gold: NDArray[np.float32]
    sets: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ReaderBatches:
    """Batches of pairs of one data set, or of pairs with labels; each batch is a round.

    Pairs that share a sentence are in one batch where they can be, so that they can be ranked.
    """

    lower: LowerLayers
    own: Places
    groups: Places
    lessons: Lessons
    how: CrossAttentionTuning

    def rounds(self, epoch: int) -> int:
        """Return the number of batches in an epoch."""
        return len(_order(self, epoch))

    def batches(self, epoch: int, number: int, model: Trainable) -> Iterator[Batch]:
        """Yield the batch of a round: texts, the gold, the groups, and whether it has grades."""
        pairs = np.resize(_order(self, epoch)[number], self.how.batch)
        texts = self.lower.batch(self.own[pairs].ravel(), together=2)
        graded = np.bool_(self.lessons.sets[pairs[0]] != LABELS)
        yield Batch(extra=(texts, self.lessons.gold[pairs], self.groups[pairs], graded))


@lru_cache(maxsize=2)
def _order(data: ReaderBatches, epoch: int) -> list[Places]:
    """Return the pairs of each batch: groups in random order, then batches in random order."""
    rng = np.random.default_rng([data.how.seed, epoch])
    rank = rng.permutation(data.groups.max() + 1)[data.groups]
    order = np.lexsort((rng.permutation(len(rank)), rank))
    found: list[Places] = []
    for number in np.unique(data.lessons.sets):
        mine = order[data.lessons.sets[order] == number]
        found += np.split(mine, range(data.how.batch, len(mine), data.how.batch))
    return [found[place] for place in rng.permutation(len(found))]


@dataclass(frozen=True)
class ReaderLoss:
    """1 − Pearson's correlation of grades; of labels cross-entropy and ranking within groups."""

    shape: Shape
    frozen: int | None

    def __call__(
        self, parameters: Mapping[str, Any], texts: Rows, gold: Any, groups: Any, graded: Any
    ) -> jax.Array:
        """Return the loss, from the arrays of a batch."""
        weights, head = parameters[NETWORK], parameters[HEAD]
        last = run_upper(weights, self.shape, self.frozen, texts, None, gates_of(head))[-1]
        with jax.numpy_rank_promotion("allow"):
            states, mask = last.reshape(-1, last.shape[-1])[texts.places], texts.mask[..., None]
            means = (states * mask).sum(axis=1) / mask.sum(axis=1)
            tops = jnp.where(mask > 0, states, -1e9).max(axis=1)
            cosines, compared = compare(jnp, means, tops)
            inner = jnp.tanh(compared @ head["dense"].T + head["bias"])
            numbers = inner @ head["out"] + head["slope"] * cosines[:, None] + head["level"]
            labels = cross_entropy(numbers[:, 1], gold) + RANKING * ranking(
                numbers[:, 1], gold, groups
            )
            return jnp.where(graded, 1 - correlation(numbers[:, 0], gold), labels)


def ranking(logits: jax.Array, gold: jax.Array, groups: jax.Array) -> jax.Array:
    """Mean logistic loss of each pair against those of its group whose gold is lower."""
    above = (groups[:, None] == groups[None]) & (gold[:, None] > gold[None] + 0.01)
    wrong = jnp.logaddexp(0.0, logits[None] - logits[:, None]) * above
    return wrong.sum() / jnp.maximum(above.sum(), 1)


def train_reader(
    start: Transformer,
    head: Mapping[str, Any],
    lessons: Lessons,
    how: CrossAttentionTuning,
    **options: Unpack[Options[Reader]],
) -> Reader:
    """Return a reader that has learned from pairs, some with grades and some with labels.

    Args:
        start: network that training starts from.
        head: of a reader, or :func:`initial_head`.
        lessons: pairs to learn from.
        how: schedule, and the number of layers that stay as they are.
        **options: see :class:`~semaniacs.embeddings.training.loop.Options`.
    """
    texts, own = numbered(lessons.left, lessons.right)
    own.sort(axis=1)
    lower = LowerLayers(start, Tokens.of(start, texts), how.frozen)
    data = ReaderBatches(lower, own, groups_of(own), lessons, how)
    parameters = {NETWORK: upper_weights(start.weights, how.frozen), HEAD: dict(head)}

    def build(network: Transformer, trained: Mapping[str, Any]) -> Reader:
        return Reader(network, trained[HEAD])

    parts = {"pairs": [texts, own, lessons.gold, lessons.sets]}
    return train_network(
        data, ReaderLoss(start.shape, how.frozen), parameters, build, parts, options
    )
