"""Runs that score by the cosine of two sentence vectors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from embeddings import loading
from embeddings.encoder import Encoder
from runs.pipeline.run import SAMPLE, SHIPPED, Languages, Model, Run
from runs.pipeline.tuning.encoders import Tuning, tune, useful_round_trips
from runs.pipeline.tuning.training_data import TrainingData
from sts.data.pairs import HIGHEST, Pairs, Scores
from sts.scoring.submission import clip


@dataclass(frozen=True)
class CosineRun(Run):
    """Cosine × 5 of sentence vectors, as they start or tuned.

    Attributes:
        start: bundled name or file of the starting vectors.
        tuning: of the encoder; None scores with the starting vectors.
    """

    start: str = loading.DEFAULT
    tuning: Tuning | None = None

    @property
    def tunings(self) -> tuple[Tuning, ...]:
        """The one tuning, if there is one."""
        return (self.tuning,) if self.tuning else ()

    def fit(self, training: TrainingData) -> CosineModel:
        """Tune the starting vectors; an :class:`StsError` if there are not two pairs for it."""
        if self.tuning is None:
            return self.load()
        trips = useful_round_trips(self.start, self.tunings, training.round_trips)
        encoder = tune(self.start, self.seed, self.tuning, training.sets, trips)
        return CosineModel(self, encoder)

    def ships(self, task: str = SAMPLE) -> bool:
        """Whether nothing is to be tuned, or the tuned encoder comes with the project."""
        return self.tuning is None or (task == SAMPLE and self.is_saved(SHIPPED))

    def load(self, folder: Path = SHIPPED) -> CosineModel:
        """The starting vectors, or the tuned encoder of a folder."""
        if self.tuning is None:
            return CosineModel(self, loading.load_static(self.start))
        return CosineModel(self, self.load_encoders(folder)["encoder"])


@dataclass(frozen=True)
class CosineModel(Model):
    """Cosine × 5, clipped (Hokamp and Arora, 2016, 3.3)."""

    run: Run
    encoder: Encoder

    @property
    def encoders(self) -> Mapping[str, Encoder]:
        """The one encoder."""
        return {"encoder": self.encoder}

    def compare(self, pairs: Pairs, languages: Languages | None = None) -> Scores:
        """Scores (n,) in [0, 5]."""
        return clip(HIGHEST * self.encoder.similarity_pairwise(pairs.left, pairs.right))

    def save_parts(self, folder: Path) -> dict[str, Any]:
        """Write the encoder."""
        return {"encoders": self.run.save_encoders(self.encoders, folder)}
