"""Training of networks that read both sentences of a pair, on labels or grades."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Unpack

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.configuration import CrossAttentionTuning, FineTuning
from semaniacs.embeddings.training.loop import Options
from semaniacs.embeddings.training.losses import correlation
from semaniacs.embeddings.training.trainable import Batch, Trainable
from semaniacs.embeddings.transformer.fine_tuning import pair_batches, upper_layers
from semaniacs.embeddings.transformer.fine_tuning.lower_layers import (
    LowerLayers,
    Places,
    Rows,
    Tokens,
)
from semaniacs.embeddings.transformer.fine_tuning.reader import (
    CrossEncoder,
    Head,
    Reader,
    compare_sides,
    gates_of,
    untrained_head,
)
from semaniacs.embeddings.transformer.network import Dropout
from semaniacs.embeddings.transformer.plain_forward import Shape
from semaniacs.embeddings.transformer.transformer_encoder import Transformer

RANKING = 0.5  # weight of the ranking loss beside the cross-entropy


@dataclass(frozen=True, eq=False)
class ReaderBatches(pair_batches.PairBatches):
    """Batches of pairs, both texts of each in one row; pairs that share a sentence are together."""

    @lru_cache(maxsize=2)  # noqa: B019  the object lives as long as its training
    def order(self, epoch: int) -> list[Places]:
        """Return the pairs of each batch of an epoch; those of a batch are of one data set."""
        rng, order = self.shuffled(epoch)
        sets = np.zeros(len(order), np.int64) if self.sets is None else self.sets
        found: list[Places] = []
        for number in np.unique(sets):
            mine = order[sets[order] == number]
            found += np.split(mine, range(self.how.batch, len(mine), self.how.batch))
        return [found[place] for place in rng.permutation(len(found))]

    def batches(self, epoch: int, number: int, model: Trainable) -> Iterator[Batch]:
        """Yield the batch of a round: texts, the gold, and the groups."""
        pairs = np.resize(self.order(epoch)[number], self.how.batch)
        texts = self.lower.batch(self.own[pairs].ravel(), together=2)
        yield Batch(extra=(texts, self.gold[pairs], self.groups[pairs]))


@dataclass(frozen=True)
class ReaderLoss:
    """Cross-entropy and ranking within groups; of grades 1 − Pearson's correlation of a batch."""

    shape: Shape
    frozen: int | None
    graded: bool

    def __call__(
        self, parameters: Mapping[str, Any], texts: Rows, gold: Any, groups: Any
    ) -> jax.Array:
        """Return the loss, from the arrays of a batch."""
        weights, head = parameters[upper_layers.NETWORK], parameters[upper_layers.HEAD]
        last = upper_layers.run_upper(
            weights, self.shape, self.frozen, texts, None, gates_of(head)
        )[-1]
        with jax.numpy_rank_promotion("allow"):
            states, mask = last.reshape(-1, last.shape[-1])[texts.places], texts.mask[..., None]
            means = (states * mask).sum(axis=1) / mask.sum(axis=1)
            tops = jnp.where(mask > 0, states, -1e9).max(axis=1)
            cosines, compared = compare_sides(jnp, means, tops)
            inner = jnp.tanh(compared @ head["dense"].T + head["bias"])
            numbers = inner @ head["out"] + head["slope"] * cosines + head["level"]
            if self.graded:
                return 1 - correlation(numbers, gold)
            return cross_entropy(numbers, gold) + RANKING * ranking(numbers, gold, groups)


def ranking(logits: jax.Array, gold: jax.Array, groups: jax.Array) -> jax.Array:
    """Mean logistic loss of each pair against those of its group whose gold is lower."""
    above = (groups[:, None] == groups[None]) & (gold[:, None] > gold[None] + 0.01)
    wrong = jnp.logaddexp(0.0, logits[None] - logits[:, None]) * above
    return wrong.sum() / jnp.maximum(above.sum(), 1)


def train_reader(
    start: Transformer,
    left: Sequence[str],
    right: Sequence[str],
    gold: NDArray[Any],
    how: CrossAttentionTuning,
    *,
    sets: NDArray[np.int64] | None = None,
    head: Head | None = None,
    **options: Unpack[Options[Reader]],
) -> Reader:
    """Return a reader whose scores follow the gold (n,) of pairs, from 0 to 1.

    With ``sets`` (n,), the data set of each pair, the gold is graded: a batch is of one data set, and
    the loss is 1 − Pearson's correlation in it. Training starts from the ``head``, or an untrained one.
    The options are :class:`~semaniacs.embeddings.training.loop.Options`. Raises an StsError for fewer
    than two pairs, gold of one value, or as :func:`.loop.run`.
    """
    pair_batches.check_pairs(options.get("label", "training"), gold)
    texts, own = pair_batches.numbered(left, right)
    graded = sets is not None
    lower = LowerLayers(start, Tokens.of(start, texts), how.frozen)
    data = ReaderBatches(
        lower, own, pair_batches.groups_of(own), np.asarray(gold, np.float32), how, sets
    )
    initial = head or untrained_head(start, how, graded)
    return upper_layers.train_network(
        data,
        ReaderLoss(start.shape, how.frozen, graded),
        {upper_layers.HEAD: dict(initial)},
        lambda network, trained: Reader(network, trained[upper_layers.HEAD], graded),
        {"pairs": [texts, own, gold, sets]},
        options,
    )


@dataclass(frozen=True, eq=False)
class CrossEncoderBatches(pair_batches.PairBatches):
    """Batches of pairs, in an order of their sides that is drawn anew in each epoch."""

    def batches(self, epoch: int, number: int, model: Trainable) -> Iterator[Batch]:
        """Yield the batch of a round: texts, a key, and the gold."""
        pairs = self.order(epoch)[number]
        rng = np.random.default_rng([self.how.seed, epoch, number])
        chosen = self.own[pairs, rng.integers(0, 2, len(pairs))]
        texts = self.lower.batch(chosen, self.how.batch)
        gold = np.resize(self.gold[pairs], self.how.batch)
        yield Batch(extra=(texts, self.key(epoch, number), gold))


@dataclass(frozen=True)
class CrossEncoderLoss:
    """Cross-entropy of the logistic of the head's number and the gold, from 0 to 1."""

    shape: Shape
    frozen: int | None
    dropout: float

    def __call__(
        self, parameters: Mapping[str, Any], texts: Rows, drawn: Any, gold: Any
    ) -> jax.Array:
        """Return the loss, from the arrays of a batch."""
        dropout = Dropout(drawn, self.dropout) if self.dropout else None
        weights, head = parameters[upper_layers.NETWORK], parameters[upper_layers.HEAD]
        last = upper_layers.run_upper(weights, self.shape, self.frozen, texts, dropout)[-1]
        with jax.numpy_rank_promotion("allow"):
            first = last.reshape(-1, last.shape[-1])[texts.places[:, 0]]
            inner = jnp.tanh(first @ head["dense"].T + head["bias"])
            inner = dropout(inner, 3 * self.shape.layers) if dropout else inner
            return cross_entropy(inner @ head["out"] + head["level"], gold)


def cross_entropy(logits: jax.Array, gold: jax.Array) -> jax.Array:
    """Mean cross-entropy of the logistics of (n,) logits and the gold, from 0 to 1."""
    wrong = jnp.logaddexp(0.0, -logits) * gold + jnp.logaddexp(0.0, logits) * (1 - gold)
    return jnp.mean(wrong)


def train_cross_encoder(
    start: Transformer,
    left: Sequence[str],
    right: Sequence[str],
    gold: NDArray[np.float64],
    how: FineTuning,
    **options: Unpack[Options[CrossEncoder]],
) -> CrossEncoder:
    """Return a cross-encoder trained so that its scores follow the gold (n,) of pairs, from 0 to 1.

    Options and errors are those of :func:`train_reader`.
    """
    pair_batches.check_pairs(options.get("label", "training"), gold)
    texts, n = CrossEncoder.texts_of(left, right), len(gold)
    lower = LowerLayers(start, Tokens.of(start, texts), how.frozen)
    own = np.arange(2 * n).reshape(-1, 2)
    data = CrossEncoderBatches(lower, own, np.arange(n), gold.astype(np.float32), how)
    return upper_layers.train_network(
        data,
        CrossEncoderLoss(start.shape, how.frozen, how.dropout),
        {upper_layers.HEAD: untrained_layers(start, how.seed)},
        lambda network, trained: CrossEncoder(network, trained[upper_layers.HEAD]),
        {"pairs": [texts, gold]},
        options,
    )


def untrained_layers(network: Transformer, seed: int) -> dict[str, Any]:
    """Return a head with the network's own pooler, or one that changes little."""
    rng, dim = np.random.default_rng(seed), network.width
    pooler = network.weights.get("pooler.dense.weight")
    bias = network.weights.get("pooler.dense.bias")
    return {
        "dense": np.eye(dim, dtype=np.float32) if pooler is None else np.asarray(pooler),
        "bias": np.zeros(dim, np.float32) if bias is None else np.asarray(bias),
        "out": rng.normal(0, 0.02, dim).astype(np.float32),
        "level": np.zeros((), np.float32),
    }
