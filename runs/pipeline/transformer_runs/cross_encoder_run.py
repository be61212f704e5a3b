"""Runs that score by a transformer that reads both sentences together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from runs.pipeline.transformer_runs.transformer_run import TransformerModel, TransformerRun
from runs.pipeline.tuning.network_tuning import train_once
from runs.pipeline.tuning.training_data import TrainingData
from sts.data.pairs import HIGHEST, Pairs

if TYPE_CHECKING:
    from embeddings.transformer.fine_tuning.cross_encoder import CrossEncoder

CODE = "embeddings.transformer.fine_tuning.cross_encoder:train_cross_encoder"
"""What computes a trained network."""


@dataclass(frozen=True)
class CrossEncoderRun(TransformerRun):
    """5 times what a cross-encoder says of both orders of a pair, on average."""

    def fit(self, training: TrainingData) -> TransformerModel:
        """Train the network, or take the one that the cache holds; choose a threshold."""
        if not self.labelled:
            return TransformerModel(self, self._trained(self.all_pairs_of(training)))
        pairs, held_out = self.split(training)
        return self.choose(TransformerModel(self, self._trained(pairs)), held_out)

    def _trained(self, pairs: Pairs) -> CrossEncoder:
        from embeddings.transformer.fine_tuning.cross_encoder import (
            CrossEncoder,
            train_cross_encoder,
        )

        assert self.training is not None
        start, how = self.start_network(), replace(self.training, seed=self.seed)

        def train(checkpoint: Path) -> CrossEncoder:
            return train_cross_encoder(
                start, pairs.left, pairs.right, pairs.gold / HIGHEST, how,
                label=f"training {self.name}", checkpoint=checkpoint,
            )  # fmt: skip

        return train_once(
            CODE,
            start,
            {"start": start.digest, "pairs": [pairs.left, pairs.right, pairs.gold]},
            how,
            f"{self.name}, from {pairs.name}, seed {self.seed}",
            train,
            parts_of=lambda encoder: {"head": encoder.head},
            build=lambda network, own: CrossEncoder(network, own["head"]),
        )
