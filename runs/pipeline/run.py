"""What a run is: a frozen recipe that says all of itself, and makes its own model."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from embeddings import loading
from embeddings.compiled.kernel import interpret_few
from embeddings.encoder import Encoder, SentenceEncoder
from embeddings.formats.fingerprint import fingerprint
from embeddings.formats.patch import load_patch, save_patch
from features.regressors.shapley import Explained
from runs.pipeline.translate_pairs import TranslatedPairs, Translating
from runs.pipeline.tuning.training_data import TrainingData
from sts.cache import digest
from sts.cache.keys import canonical
from sts.data.catalog import get_task
from sts.data.fetch import load
from sts.data.pairs import Pairs, Scores
from sts.data.schema import DataSet, Task
from sts.errors import DataError, StsError
from sts.files import parse_json, read_text, sha256_of, write_text
from sts.scoring.calibration.intervals import Intervals
from sts.scoring.classification import Threshold
from sts.scoring.cross_validation import CrossValidation
from sts.scoring.submission import tell_same_texts

if TYPE_CHECKING:
    from features.columns import FeatureColumns
    from features.regressors.ensemble import Ensemble
    from runs.pipeline.tuning.encoders import Tuning

LARGEST_SEED = 2**31 - 1
"""LightGBM keeps its seed in 32 bits, one of them the sign."""

SHIPPED = Path(__file__).parent / "bundled"
"""The fitted models that come with the project."""

SAMPLE = "sample"
"""The task whose round trips the shipped models were fitted with."""

Languages = tuple[Sequence[str], Sequence[str]]
"""The language code of the left and of the right sentence of each pair."""


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
    fitted_when_needed: ClassVar[bool] = False  # too large to ship, so a task fits it

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

    @property
    def start(self) -> str:
        """Bundled name or file of the word vectors that it starts from."""
        return loading.DEFAULT

    @property
    def columns(self) -> tuple[str, ...]:
        """The features that it scores by; none if it compares sentence vectors alone."""
        return ()

    @property
    def tunings(self) -> tuple[Tuning, ...]:
        """Every tuning of an encoder on training pairs."""
        return ()

    @property
    def learns(self) -> bool:
        """Whether it learns from the training sets of a task."""
        return bool(self.tunings)

    @property
    def saves_model(self) -> bool:
        """Whether the project ships a fitted model of its own name."""
        return bool(self.tunings)

    def learns_from(self, task: Task) -> tuple[DataSet, ...]:
        """The data sets that it learns from before it scores a task.

        Here those of the task; a labelled task is scored by the model that ships.
        """
        if not self.learns:
            return ()
        return get_task(SAMPLE).train if task.labelled else task.train

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

    def without_round_trips(self) -> Run | None:
        """Recipe that learns from no round trips; None if the run cannot do without them."""
        return None

    def read(
        self, dataset: DataSet, data: Path | None, translating: Translating
    ) -> tuple[Pairs, Languages | None]:
        """A test set as the model reads it, without gold, and the language of each sentence.

        Here Spanish sentences are translated, and no languages are needed.

        Raises:
            StsError: the sentences are in another language, which nobody translates.
        """
        if foreign := set(dataset.languages) - {"en", "es"}:
            raise StsError(
                f"run {self.name!r} reads English, and Spanish in translation; {dataset.name} is "
                f"in {', '.join(foreign)}; type --run bitext-teacher, which reads de, es, fr, ru"
            )
        return translating.to_english(dataset, load(dataset, data, with_gold=False)), None

    def training_data(
        self, task: Task, data: Path | None, translating: Translating, tests: Sequence[Pairs]
    ) -> TrainingData:
        """What it learns from before it scores the test sets of a task.

        Here the training sets of the task, if an encoder is tuned, and, if wanted, round trips
        of its test sentences.
        """
        trips = [translating.round_trips(p.sentences(), self.pivot) for p in tests if self.pivot]
        sets = [load(d, data) for d in self.learns_from(task)]
        return TrainingData(sets, trips, (), (), data, [d.year for d in self.learns_from(task)])

    def read_tests(self, task: Task, data: Path | None, translating: Translating) -> list[Pairs]:
        """The test sets of a task as the model reads them, see :meth:`read`."""
        return [self.read(dataset, data, translating)[0] for dataset in task.datasets]

    def fit_features(self, training: TrainingData) -> tuple[FeatureColumns, NDArray[np.float64]]:
        """What extracts the features of new pairs, and the features (n, k) of the training pairs.

        Raises:
            StsError: the run has no features.
        """
        raise self.no_features()

    def make_ensemble(self, columns: Sequence[str]) -> Ensemble:
        """The estimator, not fitted, for a matrix of some of the columns.

        Raises:
            StsError: the run has no features.
        """
        raise self.no_features()

    def missing(self) -> dict[str, str]:
        """Features that cannot be computed here, with the command that brings what they need."""
        return {}

    def require_features(self) -> None:
        """Raise an :class:`StsError` if the run has no features."""
        if not self.columns:
            raise self.no_features()

    def no_features(self) -> StsError:
        """What is raised where features are asked of a run that has none."""
        return StsError(
            f"run {self.name!r} is a cosine alone and has no features; choose another, such as fusion"
        )

    @abstractmethod
    def fit(self, training: TrainingData) -> Model:
        """Learn from training data."""

    def fit_to_ship(self, training: TrainingData) -> Model:
        """The same, with the intervals around its scores if it learns what they rest on."""
        return self.fit(training)

    @abstractmethod
    def ships(self, task: str = SAMPLE) -> bool:
        """Whether the fitted model for this task, of this very recipe, comes with the project."""

    @abstractmethod
    def load(self, folder: Path = SHIPPED) -> Model:
        """The model that :meth:`Model.save` wrote to a folder.

        Raises:
            StsError: there is none of this very recipe, or a file is damaged.
        """

    def is_saved(self, folder: Path) -> bool:
        """Whether a folder holds the model of this very recipe, seed included."""
        return self.record_in(folder).get("digest") == self.digest

    def read_record(self, folder: Path) -> dict[str, Any]:
        """What :meth:`Model.save` wrote of the model into a folder: the names of its files.

        Raises:
            StsError: the folder holds no model of this very recipe.
            DataError: the record is damaged.
        """
        if not self.is_saved(folder):
            raise StsError(
                f"run {self.name!r} with seed {self.seed} does not ship fitted; use --seed 0, "
                "or fit and ship it with: python -m runs.pipeline.ship --data DIR"
            )
        return self.record_in(folder)

    def record_in(self, folder: Path) -> dict[str, Any]:
        """What a folder says of this run's model; empty if it says nothing."""
        path = folder / f"{self.name}.json"
        try:
            return dict(parse_json(read_text(path))) if path.exists() else {}
        except (ValueError, TypeError) as error:
            raise DataError(f"{path}: not JSON ({error}); restore it, or fit it again") from None

    def save_encoders(self, encoders: Mapping[str, Encoder], folder: Path) -> dict[str, str]:
        """Write encoders as patches of the starting vectors; the names of the files."""
        start, files = loading.load_static(self.start), {}
        for name, encoder in encoders.items():
            draft = folder / ".encoder.safetensors"
            save_patch(draft, encoder, start)
            files[name] = f"encoder-{sha256_of(draft)[:12]}.safetensors"
            draft.replace(folder / files[name])
        return files

    def load_encoders(self, folder: Path) -> dict[str, Encoder]:
        """The encoders of a saved model, by name; a :class:`DataError` if a file is damaged."""
        files, start = self.read_record(folder)["encoders"], loading.load_static(self.start)
        return {name: load_patch(folder / file, start) for name, file in files.items()}


class Model(ABC):
    """A fitted run: the recipe that made it, and the intervals around its scores, if any."""

    run: Run
    intervals: Intervals | None = None

    @property
    def thresholds(self) -> Mapping[str, Threshold]:
        """By language, from which score on a pair is a paraphrase, if it was fitted to labels."""
        return {}

    @property
    @abstractmethod
    def encoders(self) -> Mapping[str, SentenceEncoder]:
        """What it compares sentences with, by name."""

    def predict(self, pairs: Pairs, languages: Languages | None = None) -> Scores:
        """Scores (n,) in [0, 5], the same with the sides exchanged; looks at the sentences alone.

        A pair has 5 if and only if both sides, as they were given, are the same text.

        Args:
            pairs: in English, unless the run compares languages.
            languages: of their sentences; found out where they matter and are not given.
        """
        with interpret_few(len(pairs)):
            scores = self.compare(pairs, languages)
        return self._with_rules(pairs, scores, languages)

    @abstractmethod
    def compare(self, pairs: Pairs, languages: Languages | None = None) -> Scores:
        """What :meth:`predict` gives but for its rule, see :func:`.tell_same_texts`."""

    def explain(
        self, pairs: Pairs, repeats: int = 8, seed: int = 0, languages: Languages | None = None
    ) -> Explained:
        """What each feature, and then the rule of :meth:`predict`, adds to the score of each pair.

        Args:
            pairs: their gold takes no part.
            repeats, seed: see :func:`features.regressors.shapley.explain`.
            languages: as for :meth:`predict`.

        Raises:
            StsError: the run has no features.
        """
        with interpret_few(len(pairs)):
            found = self.compare_explained(pairs, repeats, seed, languages)
        scores = self._with_rules(pairs, found.scores, languages)
        moved = scores - found.scores
        rules = {"identical": np.maximum(moved, 0), "not_identical": np.minimum(moved, 0)}
        return replace(found, scores=scores, rules=rules)

    def _with_rules(self, pairs: Pairs, scores: Scores, codes: Languages | None = None) -> Scores:
        given = pairs
        if isinstance(pairs, TranslatedPairs):
            given, codes = pairs.original, pairs.languages
        return tell_same_texts(given.left, given.right, scores, codes)

    def compare_explained(
        self, pairs: Pairs, repeats: int, seed: int, languages: Languages | None = None
    ) -> Explained:
        """What each feature adds to what :meth:`compare` gives; for :meth:`explain`."""
        raise self.run.no_features()

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of the languages that it reads."""
        return ("en",)

    def refit(self, pairs: Pairs, *, folds: int, seed: int) -> tuple[Model, CrossValidation]:
        """The model with its regressors fitted to other pairs, and how well they fit.

        Args:
            pairs: with gold for each.
            folds, seed: of the cross-validation, see :func:`.cross_validate`.

        Raises:
            StsError: the run has no regressors, or the pairs are too few.
        """
        raise StsError(
            f"run {self.run.name!r} is a cosine alone, which has nothing to fit; use fusion"
        )

    def importances(self) -> NDArray[np.float64]:
        """(k,) each feature's share of what was learned; they sum to 1, or are 0."""
        return np.zeros(0)

    def missing(self) -> dict[str, str]:
        """Features that cannot be computed here, with the command that brings what they need."""
        return {}

    def encoder_hashes(self) -> dict[str, str]:
        """sha256 of every encoder that sentences are compared with."""
        return {name: fingerprint(encoder) for name, encoder in self.encoders.items()}

    def save(self, folder: Path) -> None:
        """Write the model to a folder: its files first, then ``RUN.json``, which names them.

        Models may share a folder; encoders that are the same are written once.

        Raises:
            StsError: the folder cannot be written, or a feature is missing here.
        """
        record = {"run": self.run.name, "digest": self.run.digest} | self.save_parts(folder)
        write_text(folder / f"{self.run.name}.json", json.dumps(record, indent=2) + "\n")

    @abstractmethod
    def save_parts(self, folder: Path) -> dict[str, Any]:
        """Write what the model is made of; the names of the files, for the record."""
