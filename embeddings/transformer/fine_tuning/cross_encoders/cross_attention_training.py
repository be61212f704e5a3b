"""Trains a transformer to let each sentence of a pair look at the other, on labels or grades."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from embeddings.training.configuration import CrossAttentionTuning
from embeddings.training.loop import Options, train_encoder
from embeddings.training.losses import correlation
from embeddings.training.trainable import Batch, Trainable
from embeddings.transformer.fine_tuning.cross_encoders.cross_attention import (
    CrossAttention,
    compare,
    gates_of,
    initial_head,
    side_by_side,
)
from embeddings.transformer.fine_tuning.lower_layers import LowerLayers, Rows, Tokens
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

SLOPE = 6.0
"""Initial weight of the cosine: .1 more is what .5 against .65 is to a logistic."""

PAIRS_SEEN = 200
"""By which the level is set before training."""


@dataclass(frozen=True, eq=False)
class SidesTogether(PairBatches):
    """Batches of pairs whose two sides stand next to each other in a row."""

    def batches(self, epoch: int, number: int, model: Trainable) -> Iterator[Batch]:
        """The batch of a round: texts as :meth:`LowerLayers.batch` gives them, a key, the gold.

        A batch of fewer pairs repeats its first ones.
        """
        pairs = self.order(epoch)[number]
        drawn = np.array([self.how.seed, epoch << 20 | number], np.uint32)
        texts = repeat(self.lower.batch(self.own[pairs].ravel(), together=2), 2 * self.how.batch)
        yield Batch(extra=(texts, drawn, np.resize(self.gold[pairs], self.how.batch)))


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
        """A number, from the arrays of :meth:`SidesTogether.batches`."""
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
            z = inner @ head["out"] + head["slope"] * cosines + head["level"]
            if self.graded:
                return 1 - correlation(z, gold)
            return jnp.mean(jnp.logaddexp(0.0, -z) * gold + jnp.logaddexp(0.0, z) * (1 - gold))


def logistic_head(
    start: Transformer, how: CrossAttentionTuning, tokens: Tokens, gold: NDArray[np.float64]
) -> dict[str, Any]:
    """Return an initial head in steps of :data:`SLOPE`, with the mean of the gold at the mean cosine.

    Args:
        start, how: as :func:`initial_head` takes them.
        tokens: of the 2n sentences of :func:`side_by_side`.
        gold: (n,) from 0 to 1.
    """
    head = initial_head(start, how) | {"slope": np.float32(SLOPE)}
    few = np.arange(min(2 * PAIRS_SEEN, len(tokens.lengths)))
    mean, share = CrossAttention(start, head).numbers(tokens, few).mean(), gold.mean()
    return head | {"level": np.float32(np.log(share / (1 - share)) - mean)}


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
    """A network whose scores follow the gold of pairs, trained to read both sentences together.

    Args:
        start: the network that training starts from.
        left, right, gold: of n pairs; the gold goes from 0 to 1.
        how: schedule, how much of the network is trained, and the gates at first.
        sets: (n,) the data set of each pair, whose gold is graded. A batch is then of one data set,
            and the loss is 1 − Pearson's correlation in it; without, it is the cross-entropy.
        **options: see :class:`~embeddings.training.loop.Options`.

    Raises:
        StsError: fewer than two pairs, gold of one value, or as :func:`embeddings.training.loop.run`.
    """
    check_pairs(options.setdefault("label", "training"), gold)
    texts = side_by_side(left, right)
    own = np.arange(len(texts)).reshape(-1, 2)
    tokens = Tokens.of(start, texts)
    lower = LowerLayers(start.weights, start.shape, tokens, how.frozen)
    graded = sets is not None
    loss = CrossAttentionLoss(start.shape, how.frozen, how.dropout, graded)
    head = initial_head(start, how) if graded else logistic_head(start, how, tokens, gold)
    parts = {NETWORK: upper_weights(start.weights, how.frozen), HEAD: head}
    model = Trainable(parts, loss, how.optimizer())
    data = SidesTogether(lower, own, np.arange(len(own)), gold.astype(np.float32), how, sets)

    def current() -> CrossAttention:
        network = with_trained(start, model.dense[NETWORK])
        return CrossAttention(network, model.dense[HEAD], graded)

    identity = {"start": start.digest, "pairs": [texts, gold, sets], "loss": repr(loss)}
    return train_encoder(model, data, how, current, identity, **options)
