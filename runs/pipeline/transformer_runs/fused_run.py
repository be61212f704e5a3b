"""Runs that learn from labelled pairs, by features and by networks that learned from them too."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from features.columns import FeatureColumns
from features.regressors.fitted import Matrix
from features.regressors.shapley import Explained, explain
from runs.pipeline.classifier_run import ClassifierModel, ClassifierRun
from runs.pipeline.ensemble_run import EnsembleModel
from runs.pipeline.run import SAMPLE, SHIPPED, Languages
from runs.pipeline.transformer_runs.transformer_run import TransformerModel, TransformerRun
from runs.pipeline.tuning.training_data import TrainingData
from sts.data.pairs import Pairs
from sts.errors import StsError
from sts.scoring.cross_validation import CrossValidation


@dataclass(frozen=True)
class FusedRun(ClassifierRun):
    """A classifier over features and the scores of networks.

    Of the pairs that it learns from, it sees the score of the network that did not learn from the
    pair; of new pairs, the mean of the networks.

    Attributes:
        networks: the runs whose scores are columns, under their names; those that train a network
            a fold.
    """

    networks: tuple[TransformerRun, ...] = ()
    fitted_when_needed: ClassVar[bool] = True

    @property
    def saves_model(self) -> bool:
        """It does not: its networks are kept in the cache."""
        return False

    def check(self, translator: str | None) -> None:
        """Refuse to work without the weights of the transformer.

        Raises:
            MissingResourceError: it names the command that brings them.
        """
        for run in self.networks:
            run.check(translator)

    def ships(self, task: str = SAMPLE) -> bool:
        """It does not."""
        return False

    def load(self, folder: Path = SHIPPED) -> ClassifierModel:
        """Refused: the run is fitted where a task asks for it."""
        raise StsError(
            f"run {self.name!r} does not ship: it is fitted where a task asks for it; type: "
            f"python run_submission.py --run {self.name} --task TASK --data DIR, or use --run paws"
        )

    def fit(self, training: TrainingData) -> FusedModel:
        """Train the networks, compute the features, fit the regressors, choose the threshold."""
        networks = [replace(run, seed=self.seed).fit(training) for run in self.networks]
        features, matrix = self.fit_features(training)
        matrix = np.column_stack([matrix, *(network.out_of_fold for network in networks)])
        ensemble, chosen = self.classify(matrix, training)
        return FusedModel(self, features, ensemble, chosen=chosen, networks=tuple(networks))


@dataclass(frozen=True)
class FusedModel(ClassifierModel):
    """Features and scores of networks, then a classifier."""

    run: FusedRun
    features: FeatureColumns
    networks: tuple[TransformerModel, ...] = ()

    def encoder_hashes(self) -> dict[str, str]:
        """A hash of each network."""
        return {network.run.name: network.encoder.digest for network in self.networks}

    def describe(self, pairs: Pairs, languages: Languages | None = None) -> Matrix:
        """The features (n, k), then the scores of each network."""
        scores = [network.compare(pairs) for network in self.networks]
        return np.column_stack([super().describe(pairs, languages), *scores])

    def compare_explained(
        self, pairs: Pairs, repeats: int, seed: int, languages: Languages | None = None
    ) -> Explained:
        """What each feature and each network adds to the score of each pair."""
        matrix = self.describe(pairs, languages)
        found = explain(self.ensemble, matrix, repeats=repeats, seed=seed)
        columns = (*self.features.names, *(run.name for run in self.run.networks))
        return Explained(columns, matrix, found.base, found.scores, found.contributions)

    def refit(
        self, pairs: Pairs, *, folds: int, seed: int
    ) -> tuple[EnsembleModel, CrossValidation]:
        """Refused: the networks would have to be trained on these pairs, too."""
        raise StsError(f"run {self.run.name!r} is not fitted to other pairs; choose paws")

    def save_parts(self, folder: Path) -> dict[str, Any]:
        """Refused: its networks are kept in the cache."""
        raise StsError(f"run {self.run.name!r} keeps its networks in the cache; it is not saved")
