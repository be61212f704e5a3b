"""Runs that score by a transformer whose upper layers read both sentences together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from embeddings.transformer.fine_tuning.tuning_configuration import CrossAttentionTuning
from runs.pipeline.transformer_runs.held_out_groups import Mask, fit_folds
from runs.pipeline.transformer_runs.transformer_run import TransformerModel, TransformerRun
from runs.pipeline.tuning.network_tuning import NetworkTuning, train_once
from runs.pipeline.tuning.training_data import TrainingData
from sts.cache import digest
from sts.data.pairs import HIGHEST, Pairs, Scores, concatenate
from sts.scoring.classification import Threshold

if TYPE_CHECKING:
    from embeddings.transformer.fine_tuning.cross_encoders.cross_attention import CrossAttention
    from embeddings.transformer.transformer_encoder import Transformer

CODE = "embeddings.transformer.fine_tuning.cross_encoders.cross_attention:train_cross_attention"
"""What computes a trained network."""


@dataclass(frozen=True)
class MeanScore:
    """The mean score of networks."""

    networks: Sequence[CrossAttention]

    def predict(self, left: Sequence[str], right: Sequence[str]) -> Scores:
        """Of each pair (n,), from 0 to 1."""
        found: Scores = np.mean([one.predict(left, right) for one in self.networks], axis=0)
        return found

    @property
    def digest(self) -> str:
        """A hash of everything that decides a score."""
        return digest([one.digest for one in self.networks])


@dataclass(frozen=True)
class CrossEncoderRun(TransformerRun):
    """5 times the score of :class:`CrossAttention`; of labels the mean of several, each trained
    without one fold.

    Attributes:
        folds: how many; of the labelled pairs that it learns from, the threshold is chosen out of
            fold.
        first: how the network is trained before, to encode the sentences of the same pairs one by
            one; None begins with the network as it comes.
    """

    training: CrossAttentionTuning = field(default_factory=CrossAttentionTuning)
    first: NetworkTuning | None = None
    folds: int = 3

    def fit(self, training: TrainingData) -> TransformerModel:
        """Train the networks, or take those that the cache holds; choose a threshold."""
        if not self.labelled:
            return TransformerModel(self, self._trained(training.scored_sets))
        pairs = self.all_pairs_of(training)

        def fit(mask: Mask) -> CrossAttention:
            return self._trained([pairs.select(mask)])

        def score(network: CrossAttention, mask: Mask) -> Scores:
            held_out = pairs.select(mask)
            return HIGHEST * network.predict(held_out.left, held_out.right)

        networks, scores = fit_folds(pairs, self.folds, self.seed, fit, score)
        chosen = Threshold.of(pairs, scores, out_of_fold=True)
        return TransformerModel(self, MeanScore(networks), chosen=chosen, out_of_fold=scores)

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
            f"{self.name}, from {len(pairs)} pairs of "
            f"{' and '.join(p.name for p in data_sets)}, seed {self.seed}",
            train,
            parts_of=lambda encoder: {"head": encoder.head},
            build=lambda network, own: CrossAttention(network, own["head"], not self.labelled),
        )

    def _start(self, data_sets: Sequence[Pairs]) -> Transformer:
        if self.first is None:
            return self.start_network()
        return self.first.with_seed(self.seed).train(data_sets, self.name).network
