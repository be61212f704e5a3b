"""Runs that score by a network over the aligned words of a transformer that stays as it is."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from embeddings.transformer.fine_tuning.tuning_configuration import AlignedTuning
from runs.pipeline.transformer_runs.held_out_groups import Mask, fit_folds
from runs.pipeline.transformer_runs.transformer_run import TransformerModel, TransformerRun
from runs.pipeline.tuning.network_tuning import train_once
from runs.pipeline.tuning.training_data import TrainingData
from sts.data.pairs import HIGHEST, Pairs, Scores
from sts.scoring.classification import Threshold

if TYPE_CHECKING:
    from embeddings.transformer.fine_tuning.aligned.aligned_encoder import AlignedEncoder
    from embeddings.transformer.fine_tuning.aligned.aligned_words import AlignedWords
    from embeddings.transformer.transformer_encoder import Transformer

CODE = "embeddings.transformer.fine_tuning.aligned.aligned_encoder:train_aligned"
"""What computes a trained network."""


@dataclass(frozen=True)
class AlignedRun(TransformerRun):
    """5 times the mean chance that networks give to a pair, each trained without one fold.

    Attributes:
        folds: how many; of the pairs that it learns from, the threshold is chosen out of fold.
    """

    training: AlignedTuning = field(default_factory=AlignedTuning)
    labelled: bool = True
    folds: int = 3

    def fit(self, training: TrainingData) -> TransformerModel:
        """Train the networks, or take those that the cache holds; choose a threshold."""
        from embeddings.transformer.fine_tuning.aligned.aligned_encoder import AlignedEncoder
        from embeddings.transformer.fine_tuning.aligned.aligned_words import AlignedWords

        start, pairs = self.start_network(), self.all_pairs_of(training)
        words = AlignedWords.of(start, pairs.left, pairs.right, self.training.layers)

        def fit(mask: Mask) -> AlignedEncoder:
            return self._trained(start, words.select(mask), pairs.select(mask))

        def score(encoder: AlignedEncoder, mask: Mask) -> Scores:
            return HIGHEST * encoder.predict_words(words.select(mask))

        encoders, scores = fit_folds(pairs, self.folds, self.seed, fit, score)
        parts = [own for encoder in encoders for own in encoder.parts]
        chosen = Threshold.of(pairs, scores, out_of_fold=True)
        encoder = AlignedEncoder(start, parts, self.training)
        return TransformerModel(self, encoder, chosen=chosen, out_of_fold=scores)

    def _trained(self, start: Transformer, words: AlignedWords, pairs: Pairs) -> AlignedEncoder:
        from embeddings.transformer.fine_tuning.aligned.aligned_encoder import (
            OWN,
            AlignedEncoder,
            train_aligned,
        )

        how = replace(self.training, seed=self.seed)

        def train(checkpoint: Path) -> AlignedEncoder:
            return train_aligned(
                start, words, pairs.gold / HIGHEST, how,
                label=f"training {self.name}", checkpoint=checkpoint,
            )  # fmt: skip

        return train_once(
            CODE,
            start,
            {"start": start.digest, "pairs": [pairs.left, pairs.right, pairs.gold]},
            how,
            f"{self.name}, from {len(pairs)} pairs of {pairs.name}, seed {self.seed}",
            train,
            parts_of=lambda encoder: {OWN: encoder.parts[0]},
            build=lambda network, own: AlignedEncoder(network, [own[OWN]], how),
        )
