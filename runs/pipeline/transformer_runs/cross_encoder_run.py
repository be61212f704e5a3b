"""Runs that score by a transformer whose upper layers read both sentences together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from embeddings.transformer.fine_tuning.tuning_configuration import CrossAttentionTuning
from runs.pipeline.transformer_runs.transformer_run import TransformerModel, TransformerRun
from runs.pipeline.tuning.network_tuning import NetworkTuning, train_once
from runs.pipeline.tuning.training_data import TrainingData
from sts.data.pairs import HIGHEST, Pairs, concatenate

if TYPE_CHECKING:
    from embeddings.transformer.fine_tuning.cross_encoders.cross_attention import CrossAttention
    from embeddings.transformer.transformer_encoder import Transformer

CODE = "embeddings.transformer.fine_tuning.cross_encoders.cross_attention:train_cross_attention"
"""What computes a trained network."""


@dataclass(frozen=True)
class CrossEncoderRun(TransformerRun):
    """5 times the score of :class:`CrossAttention`.

    Attributes:
        first: how the network is trained before, to encode the sentences of the same pairs one by
            one; None begins with the network as it comes.
    """

    training: CrossAttentionTuning = field(default_factory=CrossAttentionTuning)
    first: NetworkTuning | None = None

    def fit(self, training: TrainingData) -> TransformerModel:
        """Train the network, or take the one that the cache holds; choose a threshold."""
        if not self.labelled:
            return TransformerModel(self, self._trained(training.scored_sets))
        pairs, held_out = self.split(training)
        return self.choose(TransformerModel(self, self._trained([pairs])), held_out)

    def _trained(self, data_sets: Sequence[Pairs]) -> CrossAttention:
        from embeddings.transformer.fine_tuning.cross_encoders.cross_attention import (
            CrossAttention,
            train_cross_attention,
        )

        self.check(None)
        start, pairs = self._start(data_sets), concatenate(data_sets)
        how = replace(self.training, seed=self.seed)
        sets = np.repeat(np.arange(len(data_sets)), [len(one) for one in data_sets])
        inputs = {"start": start.digest, "pairs": [pairs.left, pairs.right, pairs.gold, sets]}

        def train(checkpoint: Path) -> CrossAttention:
            return train_cross_attention(
                start, pairs.left, pairs.right, pairs.gold / HIGHEST, how,
                sets=None if self.labelled else sets,
                label=f"training {self.name}", checkpoint=checkpoint,
            )  # fmt: skip

        return train_once(
            CODE,
            start,
            inputs,
            [how, self.labelled],
            f"{self.name}, from {' and '.join(p.name for p in data_sets)}, seed {self.seed}",
            train,
            parts_of=lambda encoder: {"head": encoder.head},
            build=lambda network, own: CrossAttention(network, own["head"], not self.labelled),
        )

    def _start(self, data_sets: Sequence[Pairs]) -> Transformer:
        if self.first is None:
            return self.start_network()
        return self.first.with_seed(self.seed).train(data_sets, self.name).network
