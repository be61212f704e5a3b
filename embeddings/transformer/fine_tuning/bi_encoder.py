"""A transformer whose two sentence vectors are compared, and its training."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Unpack

import jax
import numpy as np
from numpy.typing import NDArray

from embeddings.encoder import cosine
from embeddings.table import Vectors
from embeddings.training.checkpoint import digest
from embeddings.training.configuration import FineTuning
from embeddings.training.loop import Options, train_encoder
from embeddings.training.losses import MarginScale, PairLoss
from embeddings.training.trainable import Trainable
from embeddings.transformer.fine_tuning.lower_layers import LowerLayers, Rows, Tokens
from embeddings.transformer.fine_tuning.pair_batches import (
    PairBatches,
    check_pairs,
    groups_of,
    numbered,
)
from embeddings.transformer.fine_tuning.upper_layers import (
    HEAD,
    NETWORK,
    POOLING,
    pooled_vectors,
    starting_parameters,
    with_trained,
)
from embeddings.transformer.network import Dropout
from embeddings.transformer.poolings import (
    FirstToken,
    Largest,
    Mean,
    MultiHead,
    Parameters,
    Pooling,
    WeightedLayers,
)
from embeddings.transformer.sentence_head import Attention, Head
from embeddings.transformer.shape import Shape
from embeddings.transformer.transformer_encoder import Transformer

HEADS: dict[type, Head] = {
    Mean: Head(("mean",)),
    FirstToken: Head(("cls",)),
    Largest: Head(("max",)),
}
"""The poolings that have nothing to learn, as they encode."""


def head_of(pooling: Pooling, own: Parameters) -> Head:
    """Return the head that encodes as a trained pooling does, without JAX."""
    if isinstance(pooling, WeightedLayers):
        weights = np.exp(np.asarray(own["layer_weights"], np.float64))
        return Head(layers=tuple((weights / weights.sum()).tolist()))
    if isinstance(pooling, MultiHead):
        learned = (np.asarray(own[name], np.float32) for name in Attention._fields)
        return Head((), attention=Attention(*learned))
    return HEADS[type(pooling)]


class BiEncoder:
    """A transformer with a pooling; its sentence vectors have length 1.

    Attributes:
        dim: length of a sentence vector.
    """

    def __init__(
        self, network: Transformer, pooling: Pooling | None = None, own: Parameters | None = None
    ) -> None:
        self.pooling = pooling or Mean()
        self.own = {name: np.asarray(value) for name, value in (own or {}).items()}
        self.network = network.with_weights(network.weights, head_of(self.pooling, self.own))
        self.dim = self.network.dim

    def encode(self, sentences: str | Iterable[Any], **options: Any) -> Vectors:
        """Unit vectors (n, dim), as :meth:`Transformer.encode`, which has the options."""
        return self.network.encode(sentences, **options)

    def predict(self, left: Any, right: Any) -> NDArray[np.float64]:
        """Cosine (n,) of each left and right sentence; of each distinct one a vector is made."""
        texts, sides = numbered(left, right)
        if not texts:
            return np.empty(0)
        a, b = self.encode(texts).astype(np.float64)[sides.T]
        return np.asarray(cosine(a, b))

    @cached_property
    def digest(self) -> str:
        """A hash of everything that decides a vector."""
        own = {name: np.asarray(value) for name, value in self.own.items()}
        return digest([self.network.digest, repr(self.pooling), sorted(own.items())])


def trained_encoder(start: Transformer, pooling: Pooling, model: Trainable) -> BiEncoder:
    """The encoder that a model in training is; its frozen layers are those of ``start``."""
    network = with_trained(start, model.dense[NETWORK])
    return BiEncoder(network, pooling, model.dense[POOLING])


@dataclass(frozen=True)
class BiEncoderLoss:
    """The loss of a batch of :class:`PairBatches` whose sides are read one by one."""

    shape: Shape
    frozen: int | None
    pooling: Pooling
    objective: PairLoss | MarginScale
    dropout: float

    def __call__(
        self,
        parameters: Mapping[str, Any],
        texts: Rows,
        drawn: Any,
        left: Any,
        right: Any,
        *others: Any,
    ) -> jax.Array:
        """A number, from the arrays of :meth:`PairBatches.batches`."""
        dropout = Dropout(drawn, self.dropout) if self.dropout else None
        vectors = pooled_vectors(parameters, self.shape, self.frozen, self.pooling, texts, dropout)
        with jax.numpy_rank_promotion("allow"):
            more = self.compared_with(vectors, parameters, *others)
            return self.objective(vectors[left], vectors[right], *more)

    def compared_with(self, vectors: Any, parameters: Mapping[str, Any], *others: Any) -> Any:
        """Return what the objective takes beside both sides: the gold and its own parameters."""
        return *others, parameters[HEAD]


def train_bi_encoder(
    start: Transformer,
    left: Sequence[str],
    right: Sequence[str],
    gold: NDArray[np.float64],
    how: FineTuning,
    objective: PairLoss,
    pooling: Pooling | None = None,
    sets: NDArray[np.int64] | None = None,
    **options: Unpack[Options[BiEncoder]],
) -> BiEncoder:
    """A bi-encoder trained so that the cosines of pairs follow their gold.

    Args:
        start: the network that training starts from.
        left, right, gold: of n pairs; the gold goes from 0 to 1, and is 0 or 1 for a loss of labels.
        how: schedule, and how much of the network is trained.
        objective: see :data:`embeddings.training.losses.PAIR_LOSSES`.
        pooling: the mean if none is given.
        sets: (n,) the data set of each pair: gold is compared within one alone. All are of one if
            none is given.
        **options: see :class:`~embeddings.training.loop.Options`.

    Raises:
        StsError: fewer than two pairs, gold of one value, or as :func:`embeddings.training.loop.run`.
    """
    label = options.setdefault("label", "training")
    check_pairs(label, gold)
    pooling = pooling or Mean()
    texts, own = numbered(left, right)
    lower = LowerLayers(start.weights, start.shape, Tokens.of(start, texts), how.frozen)
    vector = start.width * getattr(pooling, "heads", 1)
    head = objective.initial(vector) if hasattr(objective, "initial") else {}
    loss = BiEncoderLoss(start.shape, how.frozen, pooling, objective, how.dropout)
    parameters = starting_parameters(start, how, pooling) | {HEAD: head}
    model = Trainable(parameters, loss, how.optimizer())
    data = PairBatches(lower, own, groups_of(own), gold.astype(np.float32), how, sets)
    current = partial(trained_encoder, start, pooling, model)
    parts = {"start": start.digest, "pairs": [texts, own, gold, sets], "loss": repr(loss)}
    return train_encoder(model, data, how, current, parts, **options)
