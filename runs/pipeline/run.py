"""What a run is: a frozen recipe that says all of itself, and makes its own model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from embeddings.loading import DEFAULT
from runs.pipeline.model import Languages, Model, TrainingData
from runs.pipeline.translate_pairs import Translating
from runs.pipeline.tuning.stages import Tuning
from sts.cache import digest
from sts.cache.keys import canonical
from sts.data.fetch import load
from sts.data.pairs import Pairs
from sts.data.schema import DataSet, Task
from sts.errors import StsError

if TYPE_CHECKING:
    from features.columns import FeatureColumns
    from features.regressors.ensemble import Ensemble

LARGEST_SEED = 2**31 - 1
"""LightGBM keeps its seed in 32 bits, one of them the sign."""

SHIPPED = Path(__file__).parent / "bundled"
"""The fitted models that come with the project."""

SAMPLE = "sample"
"""The task whose round trips the shipped models were fitted with."""


@dataclass(frozen=True)
class Run(ABC):
    """A named recipe. Its subclasses say how its model is made.

    Attributes:
        name: as typed after ``--run`` and written in file names.
        about: one line for ``--list``; no part of the run's identity.
        seed: of everything that is drawn.
    """

    name: str
    about: str = field(metadata={"identity": False})
    seed: int = 0

    def with_seed(self, seed: int) -> Run:
        """The same recipe drawn with another seed.

        Raises:
            StsError: the libraries that draw cannot take the seed.
        """
        if not 0 <= seed <= LARGEST_SEED:
            raise StsError(f"--seed {seed}: expected a whole number from 0 to {LARGEST_SEED}")
        return replace(self, seed=seed)

    @property
    def digest(self) -> str:
        """sha256 of the recipe's named fields, see :func:`sts.cache.keys.canonical`.

        Runs that differ in anything but prose differ in it. A class or a feature that is
        renamed or added elsewhere changes nothing.
        """
        return digest(self)

    @property
    def recipe(self) -> dict[str, Any]:
        """The fields that the digest is made of, as JSON holds them."""
        fields: dict[str, Any] = canonical(self)
        return fields

    # What it works with

    @property
    def start(self) -> str:
        """Bundled name or file of the word vectors that it starts from."""
        return DEFAULT

    @property
    def columns(self) -> tuple[str, ...]:
        """The features that it scores by; none if it compares sentence vectors alone."""
        return ()

    @property
    def tunings(self) -> tuple[Tuning, ...]:
        """Every tuning of an encoder on training pairs."""
        return ()

    @property
    def pivot(self) -> str | None:
        """The language of the round trips that it needs of the test sentences, if any."""
        return next((t.round_trips.pivot for t in self.tunings if t.round_trips), None)

    def check(self, translator: str | None) -> None:  # noqa: B027  (most have nothing to refuse)
        """Refuse what the run cannot work with, before the work begins.

        Args:
            translator: the name given with ``--translator``.

        Raises:
            MissingResourceError: something must be installed first; the message says how.
            StsError: it has no use for a translator.
        """

    # Its data

    def read(
        self, dataset: DataSet, data: Path | None, translating: Translating
    ) -> tuple[Pairs, Languages | None]:
        """A test set as the model reads it, without gold, and the language of each sentence.

        Here Spanish sentences are translated, and no languages are needed.
        """
        return translating.to_english(dataset, load(dataset, data, with_gold=False)), None

    def training_data(
        self, task: Task, data: Path | None, translating: Translating, tests: Sequence[Pairs]
    ) -> TrainingData:
        """What it learns from before it scores the test sets of a task.

        Here the training sets of the task, if an encoder is tuned, and, if wanted, round trips
        of its test sentences.
        """
        sets = [load(dataset, data) for dataset in task.train] if self.tunings else []
        trips = [translating.round_trips(p.sentences(), self.pivot) for p in tests if self.pivot]
        return TrainingData(sets, trips, folder=data)

    def read_tests(self, task: Task, data: Path | None, translating: Translating) -> list[Pairs]:
        """The test sets of a task as the model reads them, see :meth:`read`."""
        return [self.read(dataset, data, translating)[0] for dataset in task.datasets]

    # Its features

    def fit_features(self, training: TrainingData) -> tuple[FeatureColumns, NDArray[np.float64]]:
        """What extracts the features of new pairs, and the features (n, k) of the training pairs.

        Raises:
            StsError: the run has no features.
        """
        raise self._without_features()

    def make_ensemble(self, columns: Sequence[str]) -> Ensemble:
        """The estimator, not fitted, for a matrix of some of the columns.

        Raises:
            StsError: the run has no features.
        """
        raise self._without_features()

    def missing(self) -> dict[str, str]:
        """Features that cannot be computed here, with the command that brings what they need."""
        return {}

    def require_features(self) -> None:
        """Refuse to go on without features.

        Raises:
            StsError: the run has none.
        """
        if not self.columns:
            raise self._without_features()

    def _without_features(self) -> StsError:
        return StsError(
            f"run {self.name!r} is a cosine alone and has no features; use --run fusion"
        )

    # Its model

    @abstractmethod
    def fit(self, training: TrainingData) -> Model:
        """Learn from training data."""

    @abstractmethod
    def ships(self, task: str = SAMPLE) -> bool:
        """Whether the fitted model for this task, of this very recipe, comes with the project."""

    @abstractmethod
    def load(self, folder: Path = SHIPPED) -> Model:
        """The model that :meth:`Model.save` wrote to a folder.

        Raises:
            StsError: there is none of this very recipe, or a file is damaged.
        """
