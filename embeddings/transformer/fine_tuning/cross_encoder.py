"""A transformer that reads the two sentences of a pair together, and its training.

Each pair is read in both orders and scored by their mean, so that a score does not depend on which
sentence is the left one, to the last bit.

Two heads read the states of the last layer. One reads the first token's alone, as BERT's does; other
libraries have it too. The other compares the sides: it reads the first token's state, and the difference
and the product of the mean states of both sentences, and begins with the cosine that the network
had for them before training. So a network that encodes sentences starts from what it knows,
where a first token that never was read starts from nothing.
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
from embeddings.training.loop import Options, train_encoder
from embeddings.training.losses.labelled_pairs import correlation
from embeddings.training.trainable import Batch, Trainable
from embeddings.transformer.compiled_forward import pack, states_after
from embeddings.transformer.fine_tuning.lower_layers import TEXTS_AT_ONCE, LowerLayers, Rows, Tokens
from embeddings.transformer.fine_tuning.pair_batches import (
    PairBatches,
    check_pairs,
    numbered,
    repeat,
)
from embeddings.transformer.fine_tuning.trained_vectors import HEAD, NETWORK
from embeddings.transformer.fine_tuning.tuning_configuration import FineTuning
from embeddings.transformer.fine_tuning.upper_layers import run_upper, upper_weights, with_trained
from embeddings.transformer.network import Dropout
from embeddings.transformer.shape import Shape
from embeddings.transformer.transformer_encoder import Transformer
from sts.errors import StsError
from sts.progress import bar

Head = Mapping[str, Any]
"""``dense`` (dim, k) and its ``bias``, ``out`` (dim,), ``level``; k = dim for the first token's state,
and 3 · dim where the sides are compared; there also ``slope``, that of the cosine."""

SLOPE = 6.0
"""Of the cosine at first: .1 more is what .5 against .65 is to a logistic."""


class CrossEncoder:
    """A transformer and a head: tanh of a dense layer, then one number, its logistic.

    Attributes:
        network: as trained.
        head: its arrays, float32.
        start: the network whose cosines the head begins with, if it compares the sides.
    """

    def __init__(self, network: Transformer, head: Head, start: Transformer | None = None) -> None:
        self.network = network
        self.head = {name: np.asarray(value, np.float32) for name, value in head.items()}
        self.start = start

    def predict(
        self, left: Sequence[str], right: Sequence[str], *, label: str = "scoring"
    ) -> NDArray[np.float64]:
        """How alike the sentences of each pair are, (n,) from 0 to 1; the same with sides exchanged."""
        orders = both_orders(left, right)
        tokens = Tokens.of(self.network, orders)
        logits = np.empty(len(orders), np.float32)
        with bar(total=len(orders), desc=label, unit=" pairs") as shown:
            for begin in range(0, len(orders), TEXTS_AT_ONCE):
                rows = np.arange(begin, min(len(orders), begin + TEXTS_AT_ONCE))
                logits[rows] = self._logits(tokens, rows)
                shown.update(len(rows))
        if self.start is not None:
            logits += np.repeat(self.head["slope"] * cosines(self.start, left, right), 2)
        chances = 1 / (1 + np.exp(-logits.astype(np.float64)))
        return (chances[0::2] + chances[1::2]) / 2

    @cached_property
    def digest(self) -> str:
        """A hash of everything that decides a score."""
        start = self.start.digest if self.start else ""
        return digest([self.network.digest, start, sorted(self.head.items())])

    @cached_property
    def _packed(self) -> Any:
        return pack(self.network.weights, self.network.shape)

    def _logits(self, tokens: Tokens, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        shape = self.network.shape
        ids, types = tokens.of_texts(rows)
        states = states_after(self._packed, shape, ids, [shape.layers], types)[0]
        ends = np.cumsum([len(own) for own in ids])
        read = [states[end - len(own) : end] for own, end in zip(ids, ends, strict=True)]
        if self.start is None:
            seen = [one[0] for one in read]
        else:
            seen = [_compare(one, side) for one, side in zip(read, types, strict=True)]
        # A row alone: its bits do not depend on what else is scored.
        inner = np.stack([self.head["dense"] @ one for one in seen])
        inner = np.tanh(inner + self.head["bias"])
        found: NDArray[np.float32] = (inner * self.head["out"]).sum(axis=1) + self.head["level"]
        return found


def cosines(network: Transformer, left: Sequence[str], right: Sequence[str]) -> NDArray[np.float32]:
    """(n,) of the vectors that a network has for both sentences of each pair, each read alone."""
    texts, sides = numbered(left, right)
    a, b = network.encode(texts)[sides.T]
    found: NDArray[np.float32] = (a * b).sum(axis=1)
    return found


def _compare(states: NDArray[np.float32], types: NDArray[np.int32]) -> NDArray[np.float32]:
    """(3 · dim,) of one pair, whose tokens have these states (t, dim) and are of these sides (t,)."""
    a, b = (_unit(states[types == side].mean(axis=0)) for side in (0, 1))
    dim = states.shape[1]
    return np.concatenate([states[0], np.sqrt(dim) * np.abs(a - b), dim * a * b], dtype=np.float32)


def _unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    unit: NDArray[np.float32] = vector / np.sqrt((vector * vector).sum())
    return unit


def both_orders(left: Sequence[str], right: Sequence[str]) -> list[tuple[str, str]]:
    """Both orders of each pair, (2n); the same list whichever sentence is the left one."""
    found = []
    for a, b in zip(left, right, strict=True):
        first, last = sorted((a, b))
        found += [(first, last), (last, first)]
    return found


@dataclass(frozen=True, eq=False, kw_only=True)
class BothOrders(PairBatches):
    """Batches of pairs that are read together, in one of both orders, drawn anew in each epoch.

    Attributes:
        known: (n,) the cosines of the pairs, float32; zeros for a head that has no use for them.
    """

    known: NDArray[np.float32]

    def batches(self, epoch: int, number: int, model: Trainable) -> Iterator[Batch]:
        """The batch of a round: texts as :meth:`LowerLayers.batch` has them, a key, cosines, gold.

        A batch of fewer pairs repeats its first ones.
        """
        pairs = self.order(epoch)[number]
        turn = np.random.default_rng([self.how.seed, epoch, number]).integers(0, 2, len(pairs))
        drawn = np.array([self.how.seed, epoch << 20 | number], np.uint32)
        texts = repeat(self.lower.batch(self.own[pairs, turn]), self.how.batch)
        known, gold = (np.resize(x[pairs], self.how.batch) for x in (self.known, self.gold))
        yield Batch(extra=(texts, drawn, known, gold))


@dataclass(frozen=True)
class CrossEncoderLoss:
    """How far the logistic of the head's number is from the gold, which goes from 0 to 1.

    Attributes:
        shape, frozen, dropout: of the network, and how it is trained.
        compares: whether the head compares the sides.
        correlates: 1 − Pearson's correlation of a batch; else the cross-entropy.
    """

    shape: Shape
    frozen: int | None
    dropout: float
    compares: bool = False
    correlates: bool = False

    def __call__(
        self, parameters: Mapping[str, Any], texts: Rows, drawn: Any, known: Any, gold: Any
    ) -> jax.Array:
        """A number, from the arrays of :meth:`BothOrders.batches`."""
        dropout = Dropout(drawn, self.dropout) if self.dropout else None
        weights, head = parameters[NETWORK], parameters[HEAD]
        last = run_upper(weights, self.shape, self.frozen, texts, dropout)[-1]
        states = last.reshape(-1, last.shape[-1])
        with jax.numpy_rank_promotion("allow"):
            read = _compared(states, texts) if self.compares else states[texts.places[:, 0]]
            inner = jnp.tanh(read @ head["dense"].T + head["bias"])
            inner = dropout(inner, 3 * self.shape.layers) if dropout else inner
            logits = inner @ head["out"] + head["level"]
            if self.compares:
                logits += head["slope"] * known
            if self.correlates:
                return 1 - correlation(jax.nn.sigmoid(logits), gold)
            wrong = jnp.logaddexp(0.0, -logits) * gold + jnp.logaddexp(0.0, logits) * (1 - gold)
            return jnp.mean(wrong)


def _compared(states: jax.Array, texts: Rows) -> jax.Array:
    """What :func:`_compare` gives, (n, 3 · dim), of the tokens' states (tokens, dim) of a batch."""
    dim, types = states.shape[1], jnp.reshape(texts.types, -1)[texts.places]

    def mean(side: int) -> Any:
        own = (texts.mask * (types == side))[..., None]
        total = (states[texts.places] * own).sum(axis=1)
        return total / jnp.sqrt((total * total).sum(axis=1, keepdims=True))

    a, b = mean(0), mean(1)
    first = states[texts.places[:, 0]]
    return jnp.concatenate([first, jnp.sqrt(dim) * jnp.abs(a - b), dim * a * b], axis=1)


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


def comparing_head(
    network: Transformer, known: NDArray[np.float32], gold: NDArray[np.float64], seed: int
) -> dict[str, Any]:
    """A head whose number starts as the cosine, sloped, with the mean of the gold at its mean."""
    rng, dim = np.random.default_rng(seed), network.width
    share = np.clip(gold.mean(), 0.01, 0.99)
    level = np.log(share / (1 - share)) - SLOPE * known.mean()
    return {
        "dense": rng.normal(0, 0.02, (dim, 3 * dim)).astype(np.float32),
        "bias": np.zeros(dim, np.float32),
        "out": rng.normal(0, 0.02, dim).astype(np.float32),
        "slope": np.float32(SLOPE),
        "level": np.float32(level),
    }


def train_cross_encoder(
    start: Transformer,
    left: Sequence[str],
    right: Sequence[str],
    gold: NDArray[np.float64],
    how: FineTuning,
    *,
    compares: bool = False,
    sets: NDArray[np.int64] | None = None,
    **options: Unpack[Options[CrossEncoder]],
) -> CrossEncoder:
    """A cross-encoder trained so that its scores follow the gold of pairs.

    Args:
        start: the network that training starts from.
        left, right, gold: of n pairs; the gold goes from 0 to 1.
        how: schedule, and how much of the network is trained.
        compares: with the head that compares the sides, which no other library reads.
        sets: (n,) the data set of each pair. A batch is then of one data set, and the loss is
            1 − Pearson's correlation in it; without, the loss is the cross-entropy.
        **options: see :class:`~embeddings.training.loop.Options`.

    Raises:
        StsError: fewer than two pairs, gold of one value, sides that are to be compared by a network
            with one token type, or as :func:`embeddings.training.loop.run`.
    """
    label = options.setdefault("label", "training")
    check_pairs(label, gold)
    texts = both_orders(left, right)
    own = np.arange(len(texts)).reshape(-1, 2)
    tokens = Tokens.of(start, texts)
    if compares and not tokens.types.any():
        raise StsError(
            f"{label}: a network with one token type does not tell sides; compares=False"
        )
    known = cosines(start, left, right) if compares else np.zeros(len(own), np.float32)
    head = (
        comparing_head(start, known, gold, how.seed) if compares else initial_head(start, how.seed)
    )
    lower = LowerLayers(start.weights, start.shape, tokens, how.frozen)
    loss = CrossEncoderLoss(start.shape, how.frozen, how.dropout, compares, sets is not None)
    parts = {NETWORK: upper_weights(start.weights, how.frozen), HEAD: head}
    model = Trainable(parts, loss, how.optimizer())
    grades = gold.astype(np.float32)
    data = BothOrders(lower, own, np.arange(len(own)), grades, how, sets, known=known)

    def current() -> CrossEncoder:
        network = with_trained(start, model.dense[NETWORK])
        return CrossEncoder(network, model.dense[HEAD], start if compares else None)

    identity = {"start": start.digest, "pairs": [texts, gold], "loss": repr(loss)}
    return train_encoder(model, data, how, current, identity, **options)
