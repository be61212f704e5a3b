"""Training of transformers that read both sentences of a pair, on labels or grades."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.configuration import CrossAttentionTuning, FineTuning
from semaniacs.embeddings.training.loop import Options
from semaniacs.embeddings.training.losses import correlation
from semaniacs.embeddings.training.trainable import Batch, Trainable
from semaniacs.embeddings.transformer.fine_tuning.lower_layers import LowerLayers, Rows, Tokens
from semaniacs.embeddings.transformer.fine_tuning.pair_batches import PairBatches, check_pairs
from semaniacs.embeddings.transformer.fine_tuning.pair_scorers import (
    CrossAttention,
    CrossEncoder,
    ScoringHead,
    compare,
    gates_of,
    initial_gated_head,
)
from semaniacs.embeddings.transformer.fine_tuning.upper_layers import (
    HEAD,
    NETWORK,
    run_upper,
    train_network,
    upper_weights,
)
from semaniacs.embeddings.transformer.network import Dropout
from semaniacs.embeddings.transformer.plain_forward import Shape
from semaniacs.embeddings.transformer.transformer_encoder import Transformer

SLOPE = 6.0
"""Initial weight of the cosine: .1 more is what .5 against .65 is to a logistic."""

PAIRS_SEEN = 200
"""Pairs by which the level is set before training."""


@dataclass(frozen=True, eq=False)
class ScorerBatches(PairBatches):
    """Batches of pairs: both texts of each in one row, or one of them, drawn anew in each epoch."""

    together: bool = False

    def batches(self, epoch: int, number: int, model: Trainable) -> Iterator[Batch]:
        """Yield the batch of a round: texts, a key, and the gold."""
        pairs = self.order(epoch)[number]
        sides = 2 if self.together else 1
        chosen = self.own[pairs]
        if not self.together:
            rng = np.random.default_rng([self.how.seed, epoch, number])
            chosen = chosen[np.arange(len(pairs)), rng.integers(0, 2, len(pairs))]
        texts = self.lower.batch(chosen.ravel(), sides * self.how.batch, together=sides)
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
        weights, head = parameters[NETWORK], parameters[HEAD]
        last = run_upper(weights, self.shape, self.frozen, texts, dropout)[-1]
        with jax.numpy_rank_promotion("allow"):
            first = last.reshape(-1, last.shape[-1])[texts.places[:, 0]]
            inner = jnp.tanh(first @ head["dense"].T + head["bias"])
            inner = dropout(inner, 3 * self.shape.layers) if dropout else inner
            return cross_entropy(inner @ head["out"] + head["level"], gold)


@dataclass(frozen=True)
class CrossAttentionLoss:
    """Distance of the head's numbers from the gold, which goes from 0 to 1.

    Attributes:
        shape, frozen, dropout: of the network, and how it is trained.
        graded: 1 − Pearson's correlation of a batch; else the cross-entropy of the logistics.
    """

    shape: Shape
    frozen: int | None
    dropout: float
    graded: bool = False

    def __call__(
        self, parameters: Mapping[str, Any], texts: Rows, drawn: Any, gold: Any
    ) -> jax.Array:
        """Return the loss, from the arrays of a batch."""
        dropout = Dropout(drawn, self.dropout) if self.dropout else None
        weights, head = parameters[NETWORK], parameters[HEAD]
        last = run_upper(weights, self.shape, self.frozen, texts, dropout, gates_of(head))[-1]
        with jax.numpy_rank_promotion("allow"):
            states = last.reshape(-1, last.shape[-1])[texts.places]
            totals = (states * texts.mask[..., None]).sum(axis=1)
            unit = totals / jnp.sqrt((totals * totals).sum(axis=1, keepdims=True))
            cosines, compared = compare(jnp, unit)
            inner = jnp.tanh(compared @ head["dense"].T + head["bias"])
            inner = dropout(inner, 3 * self.shape.layers) if dropout else inner
            numbers = inner @ head["out"] + head["slope"] * cosines + head["level"]
            return 1 - correlation(numbers, gold) if self.graded else cross_entropy(numbers, gold)


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
    """Return a cross-encoder trained so that its scores follow the gold of pairs.

    Args:
        start: the network that training starts from.
        left, right, gold: of n pairs; the gold goes from 0 to 1.
        how: schedule, and how much of the network is trained.
        **options: see :class:`~semaniacs.embeddings.training.loop.Options`.

    Raises:
        StsError: fewer than two pairs, gold of one value, or as :func:`semaniacs.embeddings.training.loop.run`.
    """
    check_pairs(options.get("label", "training"), gold)
    texts = CrossEncoder.texts_of(left, right)
    tokens = Tokens.of(start, texts)
    loss = CrossEncoderLoss(start.shape, how.frozen, how.dropout)
    data = _batches(start, tokens, gold, how, None, together=False)
    parameters = _parameters(start, how, initial_head(start, how.seed))

    def build(network: Transformer, trained: Mapping[str, Any]) -> CrossEncoder:
        return CrossEncoder(network, trained[HEAD])

    return train_network(data, loss, parameters, build, {"pairs": [texts, gold]}, options)


def train_cross_attention(
    start: Transformer,
    left: Sequence[str],
    right: Sequence[str],
    gold: NDArray[np.float64],
    how: CrossAttentionTuning,
    *,
    sets: NDArray[np.int64] | None = None,
    **options: Unpack[Options[CrossAttention]],
) -> CrossAttention:
    """Return a network with cross-attention whose scores follow the gold of pairs.

    Args:
        start, left, right, gold: see :func:`train_cross_encoder`.
        how: schedule, how much of the network is trained, and the gates at first.
        sets: (n,) data set of each pair, whose gold is graded. A batch is then of one data set,
            and the loss is 1 − Pearson's correlation in it; without, it is the cross-entropy.
        **options: see :class:`~semaniacs.embeddings.training.loop.Options`.

    Raises:
        StsError: as :func:`train_cross_encoder`.
    """
    check_pairs(options.get("label", "training"), gold)
    texts = CrossAttention.texts_of(left, right)
    tokens = Tokens.of(start, texts)
    graded = sets is not None
    loss = CrossAttentionLoss(start.shape, how.frozen, how.dropout, graded)
    head = initial_gated_head(start, how) if graded else logistic_head(start, how, tokens, gold)
    data = _batches(start, tokens, gold, how, sets, together=True)
    parameters = _parameters(start, how, head)

    def build(network: Transformer, trained: Mapping[str, Any]) -> CrossAttention:
        return CrossAttention(network, trained[HEAD], graded)

    return train_network(data, loss, parameters, build, {"pairs": [texts, gold, sets]}, options)


def initial_head(network: Transformer, seed: int) -> dict[str, Any]:
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


def logistic_head(
    start: Transformer, how: CrossAttentionTuning, tokens: Tokens, gold: NDArray[np.float64]
) -> dict[str, Any]:
    """Return an initial head in steps of :data:`SLOPE`, with the mean of the gold at the mean cosine.

    Args:
        start, how: as :func:`initial_gated_head` takes them.
        tokens: of the 2n sentences of :meth:`CrossAttention.texts_of`.
        gold: (n,) from 0 to 1.
    """
    head = initial_gated_head(start, how) | {"slope": np.float32(SLOPE)}
    few = np.arange(min(2 * PAIRS_SEEN, len(tokens.lengths)))
    mean, share = CrossAttention(start, head).numbers(tokens, few).mean(), gold.mean()
    return head | {"level": np.float32(np.log(share / (1 - share)) - mean)}


def _parameters(start: Transformer, how: FineTuning, head: ScoringHead) -> dict[str, Any]:
    return {NETWORK: upper_weights(start.weights, how.frozen), HEAD: head}


def _batches(
    start: Transformer,
    tokens: Tokens,
    gold: NDArray[np.float64],
    how: FineTuning,
    sets: NDArray[np.int64] | None,
    together: bool,
) -> ScorerBatches:
    own, groups = np.arange(2 * len(gold)).reshape(-1, 2), np.arange(len(gold))
    lower = LowerLayers(start, tokens, how.frozen)
    return ScorerBatches(lower, own, groups, gold.astype(np.float32), how, sets, together)
