"""Runs that learn from labelled pairs: the score is 5 times the probability of a paraphrase."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from features.regressors.fitted import FittedEnsemble, Matrix
from runs.pipeline.ensemble_run import EnsembleModel, EnsembleRun
from runs.pipeline.run import SAMPLE, SHIPPED
from runs.pipeline.translate_pairs import Translating
from runs.pipeline.tuning.training_data import TrainingData
from sts.data.catalog import PAWS_WIKI_DEV, get_task
from sts.data.pairs import HIGHEST, LOWEST, Pairs, concatenate
from sts.data.schema import DataSet, Task
from sts.scoring.classification import Threshold
from sts.scoring.cross_validation import CrossValidation, out_of_fold_scores
from sts.text.paraphrases.partial import multi_swap

FOLDS = 5
"""Of the pairs that it learns from, for the threshold."""


def partial_paraphrases(pairs: Pairs, every: int, seed: int) -> Pairs:
    """One in so many pairs of a right side and itself after one, two or three exchanges of words.

    They are made of the paraphrases among labelled pairs, see :func:`.multi_swap`. Each shares a
    sentence with the pair that it is made of, so that no fold has one without the other.
    """
    both = zip(pairs.left, pairs.right, pairs.gold, strict=True)
    named = [(b, multi_swap("", a, b, seed=seed)) for a, b, gold in both if gold == HIGHEST]
    made = [(pair.left, b) for b, group in named if group for pair in group.pairs[1:]][::every]
    left, right = zip(*made, strict=True) if made else ((), ())
    return Pairs("partial paraphrases", left, right, np.full(len(made), LOWEST))


@dataclass(frozen=True)
class ClassifierRun(EnsembleRun):
    """Regressors over features that learn from labelled pairs, gold 5 or 0.

    It learns from the training set of a labelled task. Graded pairs, and those of a person, are
    scored by the model that ships, which learned from the development set of PAWS-Wiki.

    Attributes:
        exchanges: one in so many partial paraphrases, see :func:`partial_paraphrases`, is learned
            from too, as no paraphrase; 0 for none.
    """

    exchanges: int = 0

    def learns_from(self, task: Task) -> tuple[DataSet, ...]:
        """The training set of a labelled task; else the development set of PAWS-Wiki."""
        return task.train if task.labelled else (PAWS_WIKI_DEV,)

    def training_data(
        self, task: Task, data: Path | None, translating: Translating, tests: Sequence[Pairs]
    ) -> TrainingData:
        """The training set of the task, and partial paraphrases of its own."""
        found = super().training_data(task, data, translating, tests)
        if not self.exchanges:
            return found
        made = partial_paraphrases(found.scored, self.exchanges, self.seed)
        return replace(found, labelled=[made])

    def fit(self, training: TrainingData) -> ClassifierModel:
        """Compute the features, fit the regressors, choose the threshold out of fold."""
        features, matrix = self.fit_features(training)
        ensemble, chosen = self.classify(matrix, training)
        return ClassifierModel(self, features, ensemble, chosen=chosen)

    def classify(self, matrix: Matrix, training: TrainingData) -> tuple[FittedEnsemble, Threshold]:
        """The regressors, fitted to features (n, k), and the threshold, chosen out of fold."""
        make, learned = partial(self.make_ensemble, self.columns), training.scored
        scores = out_of_fold_scores(make, matrix, learned, folds=FOLDS, seed=self.seed)
        pairs = concatenate(training.scored_sets)
        pairs = replace(pairs, name=" and ".join(p.name for p in training.sets))
        chosen = Threshold.of(pairs, scores[: len(pairs)], out_of_fold=True)
        return make().fit(matrix, learned.gold).fitted_, chosen

    def fit_to_ship(self, training: TrainingData) -> ClassifierModel:
        """The same: labels say nothing of how far a grade may be."""
        return self.fit(training)

    def ships(self, task: str = SAMPLE) -> bool:
        """Whether the model that learned from what this task allows comes with the project."""
        same = self.learns_from(get_task(task)) == (PAWS_WIKI_DEV,)
        return same and self.is_saved(SHIPPED)

    def load(self, folder: Path = SHIPPED) -> ClassifierModel:
        """The model that was saved in a folder."""
        model = super().load(folder)
        chosen = self.read_record(folder)["threshold"]
        threshold = Threshold(**chosen) if chosen else None
        return ClassifierModel(self, model.features, model.ensemble, chosen=threshold)


@dataclass(frozen=True)
class ClassifierModel(EnsembleModel):
    """Features, then a classifier.

    Attributes:
        chosen: from which score on a pair is a paraphrase; None if it was fitted to grades.
    """

    chosen: Threshold | None = None

    @property
    def thresholds(self) -> Mapping[str, Threshold]:
        """From which score on a pair is a paraphrase; empty if it was fitted to grades."""
        return {"en": self.chosen} if self.chosen else {}

    def refit(
        self, pairs: Pairs, *, folds: int, seed: int
    ) -> tuple[EnsembleModel, CrossValidation]:
        """The same features fitted to other pairs, whose threshold nobody has chosen yet."""
        model, report = super().refit(pairs, folds=folds, seed=seed)
        return replace(self, ensemble=model.ensemble, chosen=None), report

    def save_parts(self, folder: Path) -> dict[str, Any]:
        """Write what an ensemble is made of, and the threshold for the record."""
        chosen = asdict(self.chosen) if self.chosen else None
        return super().save_parts(folder) | {"threshold": chosen}
