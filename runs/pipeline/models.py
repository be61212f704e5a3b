"""A fitted run: pairs in, scores out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from embeddings.encoder import Encoder
from features.extractor import FeatureExtractor
from features.regressors.ensemble import Ensemble
from sts.data.pairs import HIGHEST, Pairs, Scores
from sts.scoring.submission import clip


class Model(Protocol):
    """What every fitted run can do."""

    def predict(self, pairs: Pairs) -> Scores:
        """Scores (n,) in [0, 5]; looks at the sentences alone."""
        ...


@dataclass(frozen=True)
class CosineModel:
    """Cosine × 5, clipped (paper, 3.3)."""

    encoder: Encoder

    def predict(self, pairs: Pairs) -> Scores:
        """Scores (n,) in [0, 5]."""
        return clip(HIGHEST * self.encoder.similarity_pairwise(pairs.left, pairs.right))


@dataclass(frozen=True)
class FusionModel:
    """Features, then the regressor (paper, 3.4)."""

    extractor: FeatureExtractor
    fusion: Ensemble

    def predict(self, pairs: Pairs) -> Scores:
        """Scores (n,) in [0, 5]."""
        return self.fusion.predict(self.extractor.transform(pairs))
