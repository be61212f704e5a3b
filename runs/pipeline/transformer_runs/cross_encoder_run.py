"""Runs that score by a transformer whose upper layers read both sentences together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from embeddings.transformer.fine_tuning.tuning_configuration import CrossAttentionTuning
from runs.pipeline.transformer_runs.held_out_groups import Mask, fit_folds
from runs.pipeline.transformer_runs.transformer_run import TransformerModel, TransformerRun
from runs.pipeline.tuning.network_tuning import CrossTuning, NetworkTuning
from runs.pipeline.tuning.training_data import TrainingData
from sts.cache import digest
from sts.data.pairs import HIGHEST, Pairs, Scores
from sts.scoring.classification import Threshold

if TYPE_CHECKING:
    from embeddings.transformer.fine_tuning.cross_encoders.cross_attention import CrossAttention


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
        self.check(None)
        how = CrossTuning(self.training, self.first, self.labelled).with_seed(self.seed)
        return how.train(data_sets, self.name)
