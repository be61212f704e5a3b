"""Runs that score by the cosine of two sentence vectors of a transformer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from runs.pipeline.run import SHIPPED, Model
from runs.pipeline.transformer_runs.transformer_run import TransformerModel, TransformerRun
from runs.pipeline.tuning.network_tuning import NetworkTuning
from runs.pipeline.tuning.training_data import TrainingData
from sts.data.pairs import Pairs

if TYPE_CHECKING:
    from embeddings.transformer.fine_tuning.bi_encoder import BiEncoder


@dataclass(frozen=True)
class BiEncoderRun(TransformerRun):
    """Cosine × 5 of the sentence vectors of a transformer.

    Attributes:
        objective: a key of :data:`embeddings.training.losses.labelled_pairs.PAIR_LOSSES`.
        pooling: a key of :data:`embeddings.transformer.poolings.POOLINGS`.
    """

    objective: str = "cosent"
    pooling: str = "mean"

    def load(self, folder: Path = SHIPPED) -> Model:
        """The network as it comes, if nothing is to be trained."""
        if self.learns:
            return super().load(folder)
        from embeddings.transformer.fine_tuning.bi_encoder import BiEncoder

        return TransformerModel(self, BiEncoder(self.start_network()))

    def fit(self, training: TrainingData) -> TransformerModel:
        """Train the network, or take the one that the cache holds; choose a threshold."""
        self.check(None)
        if not self.labelled:
            return TransformerModel(self, self._trained(training.scored_sets))
        pairs, held_out = self.split(training)
        return self.choose(TransformerModel(self, self._trained([pairs])), held_out)

    def _trained(self, sets: Sequence[Pairs]) -> BiEncoder:
        assert self.training is not None
        how = NetworkTuning(self.training, self.objective, self.pooling).with_seed(self.seed)
        return how.train(sets, self.name)
