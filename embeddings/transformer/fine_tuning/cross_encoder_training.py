"""Training of a cross-encoder on labels or grades."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.configuration import FineTuning
from semaniacs.embeddings.training.loop import Options
from semaniacs.embeddings.training.trainable import Batch, Trainable
from semaniacs.embeddings.transformer.fine_tuning.cross_encoder import CrossEncoder
from semaniacs.embeddings.transformer.fine_tuning.lower_layers import LowerLayers, Rows, Tokens
from semaniacs.embeddings.transformer.fine_tuning.pair_batches import PairBatches, check_pairs
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


@dataclass(frozen=True, eq=False)
class CrossEncoderBatches(PairBatches):
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
        weights, head = parameters[NETWORK], parameters[HEAD]
        last = run_upper(weights, self.shape, self.frozen, texts, dropout)[-1]
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
    texts, n = CrossEncoder.texts_of(left, right), len(gold)
    lower = LowerLayers(start, Tokens.of(start, texts), how.frozen)
    own = np.arange(2 * n).reshape(-1, 2)
    data = CrossEncoderBatches(lower, own, np.arange(n), gold.astype(np.float32), how)
    head = untrained_head(start, how.seed)
    parameters = {NETWORK: upper_weights(start.weights, how.frozen), HEAD: head}
    loss = CrossEncoderLoss(start.shape, how.frozen, how.dropout)

    def build(network: Transformer, trained: Mapping[str, Any]) -> CrossEncoder:
        return CrossEncoder(network, trained[HEAD])

    return train_network(data, loss, parameters, build, {"pairs": [texts, gold]}, options)


def untrained_head(network: Transformer, seed: int) -> dict[str, Any]:
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
