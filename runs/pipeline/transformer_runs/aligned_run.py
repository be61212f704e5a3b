"""Runs that score by a network over the aligned words of a transformer that stays as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embeddings.encoder import SentenceEncoder
from embeddings.transformer.fine_tuning.tuning_configuration import AlignedTuning
from runs.pipeline.run import Languages, Model
from runs.pipeline.transformer_runs.bi_encoder_run import TransformerRun, checkpoint_of
from runs.pipeline.transformer_runs.held_out_groups import Mask, fit_folds
from runs.pipeline.tuning.training_data import TrainingData
from sts.cache import Cache, key
from sts.data.pairs import HIGHEST, Pairs, Scores
from sts.errors import StsError
from sts.scoring.classification import Threshold

if TYPE_CHECKING:
    from embeddings.transformer.fine_tuning.aligned_encoder import AlignedEncoder
    from embeddings.transformer.fine_tuning.aligned_words import AlignedWords
    from embeddings.transformer.transformer_encoder import Transformer

CODE = "embeddings.transformer.fine_tuning.aligned_encoder:train_aligned"
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

    def fit(self, training: TrainingData) -> AlignedModel:
        """Train the networks, or take those that the cache holds; choose a threshold."""
        from embeddings.transformer.fine_tuning.aligned_encoder import AlignedEncoder
        from embeddings.transformer.fine_tuning.aligned_words import AlignedWords

        start, pairs = self.start_network(), self.all_pairs_of(training)
        words = AlignedWords.of(start, pairs.left, pairs.right, self.training.layers)

        def fit(mask: Mask) -> AlignedEncoder:
            return self._trained(start, words.select(mask), pairs.select(mask))

        def score(encoder: AlignedEncoder, mask: Mask) -> Scores:
            return HIGHEST * encoder.predict_words(words.select(mask))

        encoders, scores = fit_folds(pairs, self.folds, self.seed, fit, score)
        parts = [own for encoder in encoders for own in encoder.parts]
        chosen = Threshold.of(pairs, scores, out_of_fold=True)
        return AlignedModel(self, AlignedEncoder(start, parts, self.training), chosen, scores)

    def _trained(self, start: Transformer, words: AlignedWords, pairs: Pairs) -> AlignedEncoder:
        from embeddings.transformer.fine_tuning.aligned_encoder import (
            OWN,
            AlignedEncoder,
            train_aligned,
        )
        from embeddings.transformer.fine_tuning.saved_tuning import load_tuning, save_tuning

        how = replace(self.training, seed=self.seed)
        inputs = {"start": start.digest, "pairs": [pairs.left, pairs.right, pairs.gold]}
        name = key(CODE, inputs=inputs, configuration=how)

        def write(path: Path) -> None:
            made = train_aligned(
                start, words, pairs.gold / HIGHEST, how,
                label=f"training {self.name}", checkpoint=checkpoint_of(name),
            )  # fmt: skip
            save_tuning(path, start, start, {OWN: made.parts[0]})

        def read(path: Path) -> AlignedEncoder:
            return AlignedEncoder(start, [load_tuning(path, start)[1][OWN]], how)

        about = f"{self.name}, from {len(pairs)} pairs of {pairs.name}, seed {self.seed}"
        return Cache("transformer", CODE).get(name, read, write, about)


@dataclass(frozen=True)
class AlignedModel(Model):
    """The mean of the networks × 5.

    Attributes:
        encoder: holds them all.
        chosen: from which score on a pair is a paraphrase.
        out_of_fold: (n,) of the pairs that they learned from, each by the one that did not.
    """

    run: AlignedRun
    encoder: AlignedEncoder
    chosen: Threshold
    out_of_fold: Scores

    @property
    def thresholds(self) -> Mapping[str, Threshold]:
        """From which score on a pair is a paraphrase."""
        return {"en": self.chosen}

    @property
    def encoders(self) -> Mapping[str, SentenceEncoder]:
        """None: it makes no sentence vectors."""
        return {}

    def encoder_hashes(self) -> dict[str, str]:
        """A hash of the transformer and all networks."""
        return {"transformer": self.encoder.digest}

    def compare(self, pairs: Pairs, languages: Languages | None = None) -> Scores:
        """Scores (n,) in [0, 5]."""
        return HIGHEST * self.encoder.predict(pairs.left, pairs.right)

    def save_parts(self, folder: Path) -> dict[str, Any]:
        """Refused: the networks are kept in the cache."""
        raise StsError(f"run {self.run.name!r} keeps its networks in the cache; it is not saved")
