"""A transformer whose two sentence vectors are compared, and its training on gold or paraphrases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Unpack

import jax
import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.configuration import FineTuning
from semaniacs.embeddings.training.checkpoint import digest
from semaniacs.embeddings.training.loop import Options
from semaniacs.embeddings.training.losses import MarginScale, PairLoss
from semaniacs.embeddings.transformer.fine_tuning import pair_batches, upper_layers
from semaniacs.embeddings.transformer.fine_tuning.lower_layers import LowerLayers, Rows, Tokens
from semaniacs.embeddings.transformer.network import Dropout
from semaniacs.embeddings.transformer.plain_forward import Shape
from semaniacs.embeddings.transformer.poolings import Mean, Parameters, Pooling
from semaniacs.embeddings.transformer.transformer_encoder import Transformer
from semaniacs.sts.errors import StsError


class BiEncoder:
    """Transformer with a pooling; its sentence vectors have length 1.

    ``encode`` and ``predict``, which returns the cosine (n,) of pairs, are those of the network.
    """

    def __init__(
        self, network: Transformer, pooling: Pooling | None = None, own: Parameters | None = None
    ) -> None:
        self.pooling = pooling or Mean()
        self.own = {name: np.asarray(value) for name, value in (own or {}).items()}
        self.network = network.with_weights(network.weights, self.pooling.head(self.own))
        self.dim = self.network.dim

        self.encode, self.predict = self.network.encode, self.network.similarity_pairwise

    @cached_property
    def digest(self) -> str:
        """Hash of everything that decides a vector."""
        return digest([self.network.digest, repr(self.pooling), sorted(self.own.items())])


@dataclass(frozen=True)
class BiEncoderLoss:
    """Loss of a batch of :class:`PairBatches`, or of :class:`ParaphraseBatches`."""

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
        """Return the loss, from the arrays of a batch."""
        dropout = Dropout(drawn, self.dropout) if self.dropout else None
        vectors = upper_layers.pooled_vectors(
            parameters, self.shape, self.frozen, self.pooling, texts, dropout
        )
        with jax.numpy_rank_promotion("allow"):
            if isinstance(self.objective, MarginScale):
                hard, never = others
                return self.objective(vectors[left], vectors[right], vectors[hard], never)
            (gold,) = others
            return self.objective(
                vectors[left], vectors[right], gold, parameters[upper_layers.HEAD]
            )


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
    """Return a bi-encoder trained so that the cosines of pairs follow their gold (n,).

    Gold is from 0 to 1, and 0 or 1 for a loss of labels; with ``sets`` (n,) it is compared within one
    data set alone. The options are :class:`~semaniacs.embeddings.training.loop.Options`. Raises an
    StsError for fewer than two pairs, gold of one value, or as :func:`.loop.run`.
    """
    pair_batches.check_pairs(options.get("label", "training"), gold)
    pooling = pooling or Mean()
    texts, own = pair_batches.numbered(left, right)
    lower = LowerLayers(start, Tokens.of(start, texts), how.frozen)
    vector = start.width * getattr(pooling, "heads", 1)
    head = objective.initial(vector) if hasattr(objective, "initial") else {}
    data = pair_batches.PairBatches(
        lower, own, pair_batches.groups_of(own), gold.astype(np.float32), how, sets
    )
    pairs = [texts, own, gold, sets]
    return _train(data, pooling, objective, head, {"pairs": pairs}, options)


def train_on_paraphrases(
    start: Transformer,
    left: Sequence[str],
    right: Sequence[str],
    how: FineTuning,
    objective: MarginScale,
    given: Sequence[str | None] = (),
    mega: pair_batches.MegaBatch | None = None,
    pooling: Pooling | None = None,
    **options: Unpack[Options[BiEncoder]],
) -> BiEncoder:
    """Return a bi-encoder trained so that a sentence is closer to its paraphrase than to others.

    ``given`` has for each pair a sentence that is close to both and means something else, or None;
    ``mega`` searches for more, and within a mega-batch the learning rate stays as it is. Options and
    errors are those of :func:`train_bi_encoder`.
    """
    if len(left) < 2:
        label = options.get("label", "training")
        raise StsError(f"{label}: {len(left)} training pairs; at least two are needed")
    pooling = pooling or Mean()
    known = [sentence or a for sentence, a in zip(given, left, strict=True)] if given else []
    texts, sides = pair_batches.numbered([*left, *known], [*right, *known])
    own, hard = sides[: len(left)], sides[len(left) :, :1]
    if given:
        hard = np.where([[sentence is None] for sentence in given], -1, hard)
    hard = hard.reshape(len(own), -1)
    lower = LowerLayers(start, Tokens.of(start, texts), how.frozen)
    meaning = pair_batches.meanings(own, len(texts))
    data = pair_batches.ParaphraseBatches(
        lower, own, hard, meaning, how, pooling, mega or pair_batches.MegaBatch()
    )
    parts = {"pairs": [texts, own, hard], "search": repr(mega)}
    return _train(data, pooling, objective, {}, parts, options)


def _train(
    data: pair_batches.PairBatches | pair_batches.ParaphraseBatches,
    pooling: Pooling,
    objective: PairLoss | MarginScale,
    head: Mapping[str, Any],
    parts: dict[str, Any],
    options: Options[BiEncoder],
) -> BiEncoder:
    how, start = data.how, data.lower.network
    loss = BiEncoderLoss(start.shape, how.frozen, pooling, objective, how.dropout)
    parameters = upper_layers.starting_parameters(start, how, pooling) | {upper_layers.HEAD: head}
    return upper_layers.train_network(
        data,
        loss,
        parameters,
        lambda network, trained: BiEncoder(network, pooling, trained[upper_layers.POOLING]),
        parts,
        options,
    )
