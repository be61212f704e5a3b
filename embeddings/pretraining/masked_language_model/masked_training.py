"""Training of a transformer by masked language modelling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Unpack

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from embeddings.pretraining.masked_language_model.masked_texts import (
    HELD_OUT,
    Hidden,
    MaskedTexts,
)
from embeddings.pretraining.masked_language_model.output_layer import (
    WORDS,
    OutputLayer,
    vocabulary_logits,
)
from embeddings.training.loop import Options, train_encoder
from embeddings.training.trainable import Trainable
from embeddings.transformer.fine_tuning.trained_vectors import HEAD, NETWORK
from embeddings.transformer.fine_tuning.tuning_configuration import FineTuning
from embeddings.transformer.fine_tuning.upper_layers import run_upper, upper_weights, with_trained
from embeddings.transformer.network import Dropout, Weights
from embeddings.transformer.shape import Shape
from embeddings.transformer.transformer_encoder import Transformer


@dataclass(frozen=True)
class MaskedLoss:
    """The mean cross-entropy of the hidden tokens of a batch of :class:`MaskedTexts`.

    Attributes:
        shape: of the network.
        activation: of the output layer.
        dropout: probability with which a number is left out.
    """

    shape: Shape
    activation: str
    dropout: float = 0.0

    def __call__(
        self,
        parameters: Mapping[str, Weights],
        fixed: Weights,
        texts: Any,
        places: Any,
        tokens: Any,
        drawn: Any,
    ) -> jax.Array:
        """A number, from the arrays of :meth:`MaskedTexts.batches`."""
        dropout = Dropout(drawn, self.dropout) if self.dropout else None
        losses = self.of_tokens(parameters, fixed, Hidden(texts, places, tokens), dropout)
        return losses.sum() / jnp.sum(tokens >= 0)

    def of_tokens(
        self,
        parameters: Mapping[str, Weights],
        fixed: Weights,
        hidden: Hidden,
        dropout: Dropout | None = None,
    ) -> jax.Array:
        """−log of the chance (k,) that each hidden token is given; 0 where there is none."""
        weights = {**fixed, **parameters[NETWORK]}
        states = run_upper(weights, self.shape, None, hidden.texts, dropout)[-1]
        chosen = states.reshape(-1, states.shape[-1])[hidden.places]
        with jax.numpy_rank_promotion("allow"):
            logits = vocabulary_logits(
                parameters[HEAD], weights[WORDS], self.shape, self.activation, chosen
            )
        right = jnp.maximum(hidden.tokens, 0)[:, None]
        chances = jnp.take_along_axis(jax.nn.log_softmax(logits), right, axis=1)[:, 0]
        return jnp.where(hidden.tokens >= 0, -chances, 0.0)


@dataclass(frozen=True)
class MaskedModel:
    """A transformer, and the layer that names its hidden tokens."""

    network: Transformer
    output: OutputLayer

    def losses(self, texts: MaskedTexts) -> NDArray[np.float64]:
        """(n, 2) of each text the sum of the losses of its hidden tokens, and how many these are.

        Which are hidden depends on the seed alone.
        """
        shape = self.network.shape
        loss = MaskedLoss(shape, self.output.activation(shape))
        weights = upper_weights(self.network.weights, None)
        parameters = jax.tree.map(jnp.asarray, {NETWORK: weights, HEAD: self.output.weights})
        found = np.zeros((len(texts), 2))
        for number in range(texts.rounds(HELD_OUT)):
            chosen = np.arange(number * texts.how.batch, len(texts))[: texts.how.batch]
            hidden = texts.hidden(chosen, HELD_OUT, number)
            each = np.asarray(_losses(loss, parameters, hidden), np.float64)
            there = hidden.tokens >= 0
            owners = chosen[hidden.texts.texts.reshape(-1)[hidden.places[there]] - 1]
            np.add.at(found, owners, np.stack([each[there], np.ones(there.sum())], axis=1))
        return found


@partial(jax.jit, static_argnums=0)
def _losses(loss: MaskedLoss, parameters: Mapping[str, Weights], hidden: Hidden) -> jax.Array:
    return loss.of_tokens(parameters, {}, hidden)


def train_masked(
    start: Transformer,
    output: OutputLayer,
    texts: MaskedTexts,
    how: FineTuning,
    **options: Unpack[Options[MaskedModel]],
) -> MaskedModel:
    """A transformer trained to name the hidden tokens of texts.

    Args:
        start, output: what training starts from. A new output layer learns ``how.head_rate``
            times as fast as the network, one that was trained as fast as it.
        texts: to learn from, at least one.
        how: schedule, and how much of the network is trained.
        **options: see :class:`~embeddings.training.loop.Options`.

    Raises:
        StsError: as :func:`embeddings.training.loop.run`.
    """
    if not output.new:
        how = replace(how, head_rate=1.0)
    trained = upper_weights(start.weights, how.frozen)
    others = upper_weights(start.weights, None)
    fixed = {name: jnp.asarray(value) for name, value in others.items() if name not in trained}
    data = replace(texts, how=how, fixed=fixed)
    loss = MaskedLoss(start.shape, output.activation(start.shape), how.dropout)
    model = Trainable({NETWORK: trained, HEAD: output.weights}, loss, how.optimizer())

    def current() -> MaskedModel:
        network = with_trained(start, model.dense[NETWORK])
        own = {name: np.asarray(value) for name, value in model.dense[HEAD].items()}
        return MaskedModel(network, output._replace(weights=own))

    parts = {
        "start": start.digest,
        "texts": [texts.lower.tokens.ids, texts.lower.tokens.starts, texts.free],
        "vocabulary": [*texts.vocabulary],
        "loss": repr(loss),
        "output layer": [output.weights[name] for name in sorted(output.weights)],
    }
    return train_encoder(model, data, how, current, parts, **options)
