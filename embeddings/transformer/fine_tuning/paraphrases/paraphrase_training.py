"""Training of a transformer on pairs that mean the same, against negatives (margin scale)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Unpack

import jax
import numpy as np

from embeddings.training.loop import Options, train_encoder
from embeddings.training.losses.margin_scale import MarginScale
from embeddings.training.trainable import Trainable
from embeddings.transformer.fine_tuning.bi_encoder import BiEncoder, trained_encoder
from embeddings.transformer.fine_tuning.lower_layers import LowerLayers, Rows, Tokens
from embeddings.transformer.fine_tuning.pair_batches import numbered
from embeddings.transformer.fine_tuning.paraphrases.paraphrase_batches import (
    MegaBatch,
    ParaphraseBatches,
    meanings,
)
from embeddings.transformer.fine_tuning.trained_vectors import (
    HEAD,
    pooled_vectors,
    starting_parameters,
)
from embeddings.transformer.fine_tuning.tuning_configuration import FineTuning
from embeddings.transformer.network import Dropout
from embeddings.transformer.poolings import Mean, Pooling
from embeddings.transformer.shape import Shape
from embeddings.transformer.transformer_encoder import Transformer
from sts.errors import StsError


@dataclass(frozen=True)
class ParaphraseLoss:
    """The loss of a batch of :class:`ParaphraseBatches`."""

    shape: Shape
    frozen: int | None
    pooling: Pooling
    objective: MarginScale
    dropout: float

    def __call__(
        self,
        parameters: Mapping[str, Any],
        texts: Rows,
        drawn: Any,
        left: Any,
        right: Any,
        hard: Any,
        never: Any,
    ) -> jax.Array:
        """A number, from the arrays of :meth:`ParaphraseBatches.batches`."""
        dropout = Dropout(drawn, self.dropout) if self.dropout else None
        vectors = pooled_vectors(parameters, self.shape, self.frozen, self.pooling, texts, dropout)
        with jax.numpy_rank_promotion("allow"):
            return self.objective(vectors[left], vectors[right], vectors[hard], never)


def train_on_paraphrases(
    start: Transformer,
    left: Sequence[str],
    right: Sequence[str],
    how: FineTuning,
    objective: MarginScale,
    given: Sequence[str | None] = (),
    mega: MegaBatch | None = None,
    pooling: Pooling | None = None,
    **options: Unpack[Options[BiEncoder]],
) -> BiEncoder:
    """A bi-encoder trained so that a sentence is closer to its paraphrase than to negatives.

    Args:
        start: the network that training starts from.
        left, right: of n pairs that mean the same.
        how: schedule, and how much of the network is trained; within a mega-batch the learning
            rate stays as it is.
        objective: the loss.
        given: of each pair, a sentence that is close to both and means something else, or None.
        mega: how further hard negatives are searched; none are if it is not given.
        pooling: the mean if none is given.
        **options: see :class:`~embeddings.training.loop.Options`.

    Raises:
        StsError: fewer than two pairs, or as :func:`embeddings.training.loop.run`.
    """
    if len(left) < 2:
        label = options.get("label", "training")
        raise StsError(f"{label}: {len(left)} training pairs; at least two are needed")
    pooling = pooling or Mean()
    known = [sentence or a for sentence, a in zip(given, left, strict=True)] if given else []
    texts, sides = numbered([*left, *known], [*right, *known])
    own, hard = sides[: len(left)], sides[len(left) :, :1]
    if given:
        hard = np.where([[sentence is None] for sentence in given], -1, hard)
    lower = LowerLayers(start.weights, start.shape, Tokens.of(start, texts), how.frozen)
    data = ParaphraseBatches(
        lower,
        own,
        hard.reshape(len(own), -1),
        meanings(own, len(texts)),
        how,
        pooling,
        mega or MegaBatch(),
    )
    loss = ParaphraseLoss(start.shape, how.frozen, pooling, objective, how.dropout)
    parameters = starting_parameters(start, how, pooling) | {HEAD: {}}
    model = Trainable(parameters, loss, how.optimizer())
    current = partial(trained_encoder, start, pooling, model)
    parts = {"start": start.digest, "pairs": [texts, own, hard], "loss": repr((loss, mega))}
    return train_encoder(model, data, how, current, parts, **options)
