"""Runs that score by a transformer that reads both sentences together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from runs.pipeline.transformer_runs.transformer_run import TransformerModel, TransformerRun
from runs.pipeline.tuning.network_tuning import NetworkTuning, train_once
from runs.pipeline.tuning.training_data import TrainingData
from sts.data.pairs import HIGHEST, Pairs, concatenate

if TYPE_CHECKING:
    from embeddings.transformer.fine_tuning.cross_encoder import CrossEncoder
    from embeddings.transformer.transformer_encoder import Transformer

CODE = "embeddings.transformer.fine_tuning.cross_encoder:train_cross_encoder"
"""What computes a trained network."""


@dataclass(frozen=True)
class CrossEncoderRun(TransformerRun):
    """5 times what a cross-encoder says of both orders of a pair, on average.

    Attributes:
        compares: with the head that compares the sides; else BERT's own, of the first token.
        first: how the network is trained before, to encode the sentences of the same pairs one by
            one; None begins with the network as it comes.
    """

    compares: bool = False
    first: NetworkTuning | None = None

    def fit(self, training: TrainingData) -> TransformerModel:
        """Train the network, or take the one that the cache holds; choose a threshold."""
        if not self.labelled:
            return TransformerModel(self, self._trained(training.scored_sets))
        pairs, held_out = self.split(training)
        return self.choose(TransformerModel(self, self._trained([pairs])), held_out)

    def _trained(self, data_sets: Sequence[Pairs]) -> CrossEncoder:
        from embeddings.transformer.fine_tuning.cross_encoder import (
            CrossEncoder,
            train_cross_encoder,
        )

        assert self.training is not None
        self.check(None)
        start, pairs = self._start(data_sets), concatenate(data_sets)
        how = replace(self.training, seed=self.seed)
        sets = np.repeat(np.arange(len(data_sets)), [len(one) for one in data_sets])
        inputs = {"start": start.digest, "pairs": [pairs.left, pairs.right, pairs.gold, sets]}

        def train(checkpoint: Path) -> CrossEncoder:
            return train_cross_encoder(
                start, pairs.left, pairs.right, pairs.gold / HIGHEST, how,
                compares=self.compares, sets=None if self.labelled else sets,
                label=f"training {self.name}", checkpoint=checkpoint,
            )  # fmt: skip

        return train_once(
            CODE,
            start,
            inputs,
            [how, self.compares, self.labelled],
            f"{self.name}, from {' and '.join(p.name for p in data_sets)}, seed {self.seed}",
            train,
            parts_of=lambda encoder: {"head": encoder.head},
            build=lambda network, own: CrossEncoder(
                network, own["head"], start if self.compares else None
            ),
        )

    def _start(self, data_sets: Sequence[Pairs]) -> Transformer:
        if self.first is None:
            return self.start_network()
        return self.first.with_seed(self.seed).train(data_sets, self.name).network
