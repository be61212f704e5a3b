"""A transformer that reads the two sentences of a pair together, and its training.

Each pair is read in both orders and scored by their mean, so that a score does not depend on which
sentence is the left one, to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Unpack

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from embeddings.training.checkpoint import digest
from embeddings.training.configuration import FineTuning
from embeddings.training.loop import Options, train_encoder
from embeddings.training.trainable import Batch, Trainable
from embeddings.transformer.fine_tuning.lower_layers import TEXTS_AT_ONCE, LowerLayers, Rows, Tokens
from embeddings.transformer.fine_tuning.pair_batches import PairBatches, check_pairs, repeat
from embeddings.transformer.fine_tuning.upper_layers import (
    HEAD,
    NETWORK,
    run_upper,
    upper_weights,
    with_trained,
)
from embeddings.transformer.network import Dropout
from embeddings.transformer.shape import Shape
from embeddings.transformer.transformer_encoder import Transformer
from sts.progress import Bar

Head = Mapping[str, Any]
"""``dense`` (dim, dim) and its ``bias``, over the first token's state; ``out`` (dim,), ``level``."""


class CrossEncoder:
    """A transformer and a head: tanh of a dense layer over [CLS], then one number, its logistic."""

    def __init__(self, network: Transformer, head: Head) -> None:
        self.network = network
        self.head = {name: np.asarray(value, np.float32) for name, value in head.items()}

    def predict(
        self, left: Sequence[str], right: Sequence[str], *, label: str = "scoring"
    ) -> NDArray[np.float64]:
        """Return the similarity (n,) of each pair, from 0 to 1; equal with sides exchanged."""
        orders = both_orders(left, right)
        tokens = Tokens.of(self.network, orders)
        logits = np.empty(len(orders), np.float32)
        with Bar(label, "pairs", len(orders)) as bar:
            for begin in range(0, len(orders), TEXTS_AT_ONCE):
                rows = np.arange(begin, min(len(orders), begin + TEXTS_AT_ONCE))
                logits[rows] = self._logits(tokens, rows)
                bar.update(len(rows))
        chances = 1 / (1 + np.exp(-logits.astype(np.float64)))
        return (chances[0::2] + chances[1::2]) / 2

    @cached_property
    def digest(self) -> str:
        """A hash of everything that decides a score."""
        return digest([self.network.digest, sorted(self.head.items())])

    def _logits(self, tokens: Tokens, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        shape = self.network.shape
        ids, types = tokens.of_texts(rows)
        (states,) = self.network.states(ids, [shape.layers], types)
        begins = np.cumsum([0, *map(len, ids[:-1])])
        # A row alone: its bits do not depend on what else is scored.
        inner = np.stack([self.head["dense"] @ state for state in states[begins]])
        inner = np.tanh(inner + self.head["bias"])
        found: NDArray[np.float32] = (inner * self.head["out"]).sum(axis=1) + self.head["level"]
        return found


def both_orders(left: Sequence[str], right: Sequence[str]) -> list[tuple[str, str]]:
    """Both orders of each pair, (2n); the same list whichever sentence is the left one."""
    found = []
    for a, b in zip(left, right, strict=True):
        first, last = sorted((a, b))
        found += [(first, last), (last, first)]
    return found


@dataclass(frozen=True, eq=False)
class BothOrders(PairBatches):
    """Batches of pairs that are read together, in one of both orders, drawn anew in each epoch."""

    def batches(self, epoch: int, number: int, model: Trainable) -> Iterator[Batch]:
        """The batch of a round: texts as :meth:`LowerLayers.batch` gives them, a key, the gold.

        A batch of fewer pairs repeats its first ones.
        """
        pairs = self.order(epoch)[number]
        turn = np.random.default_rng([self.how.seed, epoch, number]).integers(0, 2, len(pairs))
        drawn = np.array([self.how.seed, epoch << 20 | number], np.uint32)
        texts = repeat(self.lower.batch(self.own[pairs, turn]), self.how.batch)
        yield Batch(extra=(texts, drawn, np.resize(self.gold[pairs], self.how.batch)))


@dataclass(frozen=True)
class CrossEncoderLoss:
    """Cross-entropy of the logistic of the head's number and the gold, from 0 to 1."""

    shape: Shape
    frozen: int | None
    dropout: float

    def __call__(
        self,
        parameters: Mapping[str, Any],
        texts: Rows,
        drawn: Any,
        gold: Any,
    ) -> jax.Array:
        """A number, from the arrays of :meth:`BothOrders.batches`."""
        dropout = Dropout(drawn, self.dropout) if self.dropout else None
        weights, head = parameters[NETWORK], parameters[HEAD]
        last = run_upper(weights, self.shape, self.frozen, texts, dropout)[-1]
        with jax.numpy_rank_promotion("allow"):
            first = last.reshape(-1, last.shape[-1])[texts.places[:, 0]]
            inner = jnp.tanh(first @ head["dense"].T + head["bias"])
            inner = dropout(inner, 3 * self.shape.layers) if dropout else inner
            logits = inner @ head["out"] + head["level"]
            wrong = jnp.logaddexp(0.0, -logits) * gold + jnp.logaddexp(0.0, logits) * (1 - gold)
            return jnp.mean(wrong)


def initial_head(network: Transformer, seed: int) -> dict[str, Any]:
    """The network's own pooler, or one that changes little; the number starts near 0."""
    rng, dim = np.random.default_rng(seed), network.width
    pooler = network.weights.get("pooler.dense.weight")
    bias = network.weights.get("pooler.dense.bias")
    return {
        "dense": np.eye(dim, dtype=np.float32) if pooler is None else np.asarray(pooler),
        "bias": np.zeros(dim, np.float32) if bias is None else np.asarray(bias),
        "out": rng.normal(0, 0.02, dim).astype(np.float32),
        "level": np.zeros((), np.float32),
    }


def train_cross_encoder(
    start: Transformer,
    left: Sequence[str],
    right: Sequence[str],
    gold: NDArray[np.float64],
    how: FineTuning,
    **options: Unpack[Options[CrossEncoder]],
) -> CrossEncoder:
    """A cross-encoder trained so that its scores follow the gold of pairs.

    Args:
        start: the network that training starts from.
        left, right, gold: of n pairs; the gold goes from 0 to 1.
        how: schedule, and how much of the network is trained.
        **options: see :class:`~embeddings.training.loop.Options`.

    Raises:
        StsError: fewer than two pairs, gold of one value, or as :func:`embeddings.training.loop.run`.
    """
    label = options.setdefault("label", "training")
    check_pairs(label, gold)
    texts = both_orders(left, right)
    own = np.arange(len(texts)).reshape(-1, 2)
    tokens = Tokens.of(start, texts)
    lower = LowerLayers(start.weights, start.shape, tokens, how.frozen)
    loss = CrossEncoderLoss(start.shape, how.frozen, how.dropout)
    parts = {NETWORK: upper_weights(start.weights, how.frozen), HEAD: initial_head(start, how.seed)}
    model = Trainable(parts, loss, how.optimizer())
    data = BothOrders(lower, own, np.arange(len(own)), gold.astype(np.float32), how)

    def current() -> CrossEncoder:
        return CrossEncoder(with_trained(start, model.dense[NETWORK]), model.dense[HEAD])

    identity = {"start": start.digest, "pairs": [texts, gold], "loss": repr(loss)}
    return train_encoder(model, data, how, current, identity, **options)
