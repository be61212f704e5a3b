"""A fitted run: pairs in, scores out; and what a run is fitted to."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from embeddings import loading
from embeddings.encoder import Encoder, SentenceEncoder
from embeddings.formats.fingerprint import fingerprint
from embeddings.formats.patch import load_patch, save_patch
from embeddings.training.pairs.corpora import SentencePair
from sts.data.pairs import Pairs, Scores, concatenate
from sts.errors import DataError, StsError
from sts.files import read_text, sha256_of, write_text
from sts.scoring.cross_validation import CrossValidation

Languages = tuple[Sequence[str], Sequence[str]]
"""The language code of the left and of the right sentence of each pair."""


@dataclass(frozen=True)
class TrainingData:
    """What a run learns from.

    Attributes:
        sets: data sets with gold; pairs without it take no part.
        round_trips: for each data set to be scored, (sentence, what came back).
        back_translated: the data sets again, one side of each pair translated and back.
        folder: the folder of the official files, as given with ``--data``.
    """

    sets: Sequence[Pairs] = ()
    round_trips: Sequence[Sequence[SentencePair]] = ()
    back_translated: Sequence[Pairs] = ()
    folder: Path | None = None

    @property
    def scored_sets(self) -> list[Pairs]:
        """Of each data set the pairs that have gold; the back-translated ones last."""
        return [pairs.select(pairs.scored) for pairs in (*self.sets, *self.back_translated)]

    @property
    def scored(self) -> Pairs:
        """The pairs of :attr:`scored_sets` in one list."""
        return concatenate(self.scored_sets)


@dataclass(frozen=True)
class Explained:
    """Scores of n pairs as a sum of what k features add to them.

    Attributes:
        columns: names of the features.
        values: (n, k) the features, NaN where one is missing.
        base: score of a pair whose features all stand at the medians of the training pairs.
        scores: (n,) in [0, 5]; ``base + contributions.sum(axis=1)`` up to rounding.
        contributions: (n, k) in points of score.
    """

    columns: tuple[str, ...]
    values: NDArray[np.float64]
    base: float
    scores: Scores
    contributions: NDArray[np.float64]


class Recipe(Protocol):
    """What a model says of the run that made it."""

    @property
    def name(self) -> str:
        """The name of the run."""
        ...

    @property
    def seed(self) -> int:
        """Of everything that was drawn."""
        ...

    @property
    def digest(self) -> str:
        """sha256 of the recipe."""
        ...

    @property
    def start(self) -> str:
        """Bundled name or file of the word vectors that it started from."""
        ...


class Model(ABC):
    """A fitted run.

    Attributes:
        run: the recipe that made it.
    """

    run: Recipe

    @property
    @abstractmethod
    def encoders(self) -> Mapping[str, SentenceEncoder]:
        """What it compares sentences with, by name."""

    @abstractmethod
    def predict(self, pairs: Pairs, languages: Languages | None = None) -> Scores:
        """Scores (n,) in [0, 5]; looks at the sentences alone.

        Args:
            pairs: in English, unless the run compares languages.
            languages: of their sentences; found out where they matter and are not given.
        """

    def explain(self, pairs: Pairs, repeats: int = 8, seed: int = 0) -> Explained:
        """What each feature adds to the score of each pair.

        Args:
            pairs: their gold takes no part.
            repeats, seed: see :func:`features.regressors.shapley.explain`.

        Raises:
            StsError: the run has no features.
        """
        raise StsError(
            f"run {self.run.name!r} is a cosine alone and has no features; use --run fusion"
        )

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
        write_text(record_path(self.run, folder), json.dumps(record, indent=2) + "\n")

    @abstractmethod
    def save_parts(self, folder: Path) -> dict[str, Any]:
        """Write what the model is made of; the names of the files, for the record."""


def save_encoders(run: Recipe, encoders: Mapping[str, Encoder], folder: Path) -> dict[str, str]:
    """Write encoders as patches of the run's starting vectors; the names of the files."""
    start = loading.load_static(run.start)
    files = {}
    for name, encoder in encoders.items():
        draft = folder / ".encoder.safetensors"
        save_patch(draft, encoder, start)
        files[name] = f"encoder-{sha256_of(draft)[:12]}.safetensors"
        draft.replace(folder / files[name])
    return files


def load_encoders(run: Recipe, folder: Path) -> dict[str, Encoder]:
    """The encoders of a saved model, by name.

    Raises:
        DataError: a file is missing or damaged.
    """
    start = loading.load_static(run.start)
    files = read_record(run, folder)["encoders"]
    return {name: load_patch(folder / file, start) for name, file in files.items()}


def record_path(run: Recipe, folder: Path) -> Path:
    """Where the record of a saved model lies."""
    return folder / f"{run.name}.json"


def is_saved(run: Recipe, folder: Path) -> bool:
    """Whether a folder holds the model of this very recipe, seed included."""
    path = record_path(run, folder)
    return path.exists() and _parse(path).get("digest") == run.digest


def read_record(run: Recipe, folder: Path) -> dict[str, Any]:
    """The record of a saved model.

    Raises:
        StsError: the folder holds no model of this very recipe.
        DataError: the record is damaged.
    """
    if not is_saved(run, folder):
        raise StsError(
            f"run {run.name!r} with seed {run.seed} does not ship fitted; use --seed 0, "
            "or fit and ship it with: python -m runs.pipeline.ship --data DIR"
        )
    return _parse(record_path(run, folder))


def _parse(path: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(read_text(path)))
    except ValueError as error:
        raise DataError(f"{path}: not JSON ({error}); restore it from version control") from None
