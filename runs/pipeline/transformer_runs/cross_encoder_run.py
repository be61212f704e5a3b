"""Runs that score by a transformer that reads both sentences together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from embeddings.encoder import SentenceEncoder
from runs.pipeline.run import Languages, Model
from runs.pipeline.transformer_runs.bi_encoder_run import TransformerRun, checkpoint_of
from runs.pipeline.tuning.training_data import TrainingData
from sts.cache import Cache, key
from sts.data.pairs import HIGHEST, Pairs, Scores
from sts.errors import StsError
from sts.scoring.classification import Threshold

if TYPE_CHECKING:
    from embeddings.transformer.fine_tuning.cross_encoder import CrossEncoder
    from embeddings.transformer.transformer_encoder import Transformer

CODE = "embeddings.transformer.fine_tuning.cross_encoder:train_cross_encoder"
"""What computes a trained network."""


@dataclass(frozen=True)
class CrossEncoderRun(TransformerRun):
    """5 times what a cross-encoder says of both orders of a pair, on average."""

    def fit(self, training: TrainingData) -> CrossEncoderModel:
        """Train the network, or take the one that the cache holds; choose a threshold."""
        pairs, held_out = self.pairs_of(training)
        model = CrossEncoderModel(self, self._trained(self.start_network(), pairs))
        if held_out is None:
            return model
        chosen = Threshold.of(held_out, model.predict(held_out), out_of_fold=True)
        return replace(model, chosen=chosen)

    def _trained(self, start: Transformer, pairs: Pairs) -> CrossEncoder:
        from embeddings.transformer.fine_tuning.cross_encoder import (
            CrossEncoder,
            train_cross_encoder,
        )
        from embeddings.transformer.fine_tuning.saved_tuning import load_tuning, save_tuning

        assert self.training is not None
        how = replace(self.training, seed=self.seed)
        inputs = {"start": start.digest, "pairs": [pairs.left, pairs.right, pairs.gold]}
        name = key(CODE, inputs=inputs, configuration=how)

        def write(path: Path) -> None:
            made = train_cross_encoder(
                start, pairs.left, pairs.right, pairs.gold / HIGHEST, how,
                label=f"training {self.name}", checkpoint=checkpoint_of(name),
            )  # fmt: skip
            save_tuning(path, start, made.network, {"head": made.head})

        def read(path: Path) -> CrossEncoder:
            network, own = load_tuning(path, start)
            return CrossEncoder(network, own["head"])

        about = f"{self.name}, from {pairs.name}, seed {self.seed}"
        return Cache("transformer", CODE).get(name, read, write, about)


@dataclass(frozen=True)
class CrossEncoderModel(Model):
    """The mean of both orders × 5.

    Attributes:
        encoder: reads the pairs.
        chosen: from which score on a pair is a paraphrase; None if it was trained on grades.
    """

    run: CrossEncoderRun
    encoder: CrossEncoder
    chosen: Threshold | None = None

    @property
    def thresholds(self) -> Mapping[str, Threshold]:
        """From which score on a pair is a paraphrase; empty if it was trained on grades."""
        return {"en": self.chosen} if self.chosen else {}

    @property
    def encoders(self) -> Mapping[str, SentenceEncoder]:
        """None: it makes no sentence vectors."""
        return {}

    def encoder_hashes(self) -> dict[str, str]:
        """A hash of the network and its head."""
        return {"transformer": self.encoder.digest}

    def compare(self, pairs: Pairs, languages: Languages | None = None) -> Scores:
        """Scores (n,) in [0, 5]."""
        return HIGHEST * self.encoder.predict(pairs.left, pairs.right)

    def save_parts(self, folder: Path) -> dict[str, Any]:
        """Refused: the network is kept in the cache."""
        raise StsError(f"run {self.run.name!r} keeps its network in the cache; it is not saved")
