"""Models: fitted runs that score and explain pairs, and are saved and loaded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from semaniacs.embeddings import loading
from semaniacs.embeddings.compiled import interpret_few
from semaniacs.embeddings.encoder import SentenceEncoder
from semaniacs.features.registry import describe_missing
from semaniacs.features.regressors.fitted import Matrix
from semaniacs.runs.pipeline.fitted_heads import (
    BitextCosine,
    FittedColumns,
    FittedHead,
    NetworkScore,
    Record,
    StaticCosine,
    load_encoders,
)
from semaniacs.runs.pipeline.recipe_parts import (
    SAMPLE,
    Cosine,
    Ensemble,
    Languages,
    ReadTogether,
    TranslatedPairs,
    all_in,
)
from semaniacs.runs.pipeline.run import (
    SHIPPED,
    AnyRun,
    Mean,
    NotFittedError,
    Run,
    no_features,
    shipped_file,
)
from semaniacs.sts.data.catalog import get_task
from semaniacs.sts.data.pairs import HIGHEST, Pairs, Scores, tell_same_texts
from semaniacs.sts.errors import MissingResourceError, StsError, warn_caller
from semaniacs.sts.files import write_text

if TYPE_CHECKING:
    from semaniacs.features.regressors.shapley import Explained
    from semaniacs.sts.scoring.calibration import Intervals
    from semaniacs.sts.scoring.classification import Threshold
    from semaniacs.sts.scoring.cross_validation import CrossValidation


@dataclass(frozen=True)
class MeanHead(FittedHead):
    """Weighted mean of the scores of models: the first reads English, the others pairs as they came."""

    models: tuple[Model, ...]
    weights: tuple[float, ...]

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of the languages that it reads: those of the main model."""
        return self.models[0].languages

    @property
    def encoders(self) -> Mapping[str, SentenceEncoder]:
        """Encoders of all models."""
        return {
            f"{model.run.name}.{name}" if number else name: encoder
            for number, model in enumerate(self.models)
            for name, encoder in model.head.encoders.items()
        }

    def compare(self, pairs: Pairs, languages: Languages | None) -> Scores:
        """Return scores (n,) in [0, 5].

        Pairs that were not translated for a main model of English are English on both sides.
        """
        original: Pairs = pairs
        main, *others = self.models
        codes = all_in("en", pairs) if main.languages == ("en",) else languages
        if isinstance(pairs, TranslatedPairs):
            original, codes = pairs.original, pairs.languages
        first, *weights = self.weights
        total = first * main.head.compare(pairs, codes)
        for weight, model in zip(weights, others, strict=True):
            total = total + weight * model.head.compare(original, codes)
        return total / (first + sum(weights))

    def missing(self) -> dict[str, str]:
        """Return columns of the main model that cannot be computed here."""
        return self.models[0].head.missing()

    def save(self, folder: Path, name: str) -> Record:
        """Write the main model; the others come with the project."""
        self.models[0].save(folder)
        return {"encoders": {}, "parts": [model.run.name for model in self.models]}


UNRELATED = 1.0
"""Score below which a pair is taken to be unrelated."""


@dataclass(frozen=True)
class Model:
    """A fitted run.

    Attributes:
        run, head: the recipe, and what scores pairs.
        own_intervals: prediction intervals of the scores, or their file, if any.
        thresholds: by language, the score from which a pair is a paraphrase, if the run was
            fitted to labels.
    """

    run: AnyRun
    head: FittedHead
    own_intervals: Intervals | Path | None = None
    thresholds: Mapping[str, Threshold] = field(default_factory=dict)

    @cached_property
    def intervals(self) -> Intervals | None:
        """Prediction intervals of the scores, if any, read when they are first used."""
        if not isinstance(self.own_intervals, Path):
            return self.own_intervals
        from semaniacs.sts.scoring.calibration import Intervals

        return Intervals.load(self.own_intervals)

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of the languages that it reads."""
        return self.head.languages

    def encoders_of(self, left: str, right: str) -> tuple[SentenceEncoder, SentenceEncoder]:
        """Return its encoders of two languages, or the bundled vectors where it has none."""
        own = {name.rpartition(".")[2]: encoder for name, encoder in self.head.encoders.items()}
        usual = own.get("encoder") or loading.load_static()
        return own.get(left, usual), own.get(right, usual)

    @property
    def columns(self) -> FittedColumns:
        """Head over columns; an :class:`StsError` is raised if the run has none."""
        if not isinstance(self.head, FittedColumns):
            raise no_features(self.run.name)
        return self.head

    def predict(self, pairs: Pairs, languages: Languages | None = None) -> Scores:
        """Return scores (n,) in [0, 5], which do not depend on the order of the sides.

        A pair has 5 if and only if both sides, as they were given, are the same text.

        Args:
            pairs: in English, unless the run compares languages. Their gold is not used.
            languages: of their sentences; identified where they matter and are not given.
        """
        with interpret_few(len(pairs), zip(pairs.left, pairs.right, strict=True)):
            scores = self.head.compare(pairs, languages)
        return _same_texts(pairs, scores, languages)

    def explain(
        self, pairs: Pairs, repeats: int = 8, seed: int = 0, languages: Languages | None = None
    ) -> Explained:
        """Return how much each feature, and the rule of :meth:`predict`, adds to each score.

        ``repeats`` and ``seed`` are those of :func:`semaniacs.features.regressors.shapley.explain`.
        """
        with interpret_few(len(pairs), zip(pairs.left, pairs.right, strict=True)):
            found = self.columns.explain(pairs, repeats, seed, languages)
        scores = _same_texts(pairs, found.scores, languages)
        moved = scores - found.scores
        rules = {"identical": np.maximum(moved, 0), "not_identical": np.minimum(moved, 0)}
        return replace(found, scores=scores, rules=rules)

    def refit(self, pairs: Pairs, *, folds: int, seed: int) -> tuple[Model, CrossValidation]:
        """Return the model with its regressors fitted to other pairs, and how well they fit.

        Encoders and networks stay as they are. Half as many unrelated pairs, made of the same
        sentences, are learned from with gold 0, so that such pairs still score near 0. ``folds`` and
        ``seed`` are those of :func:`.cross_validate`.
        """
        head = self.head
        if not isinstance(head, FittedColumns) or not isinstance(self.run, Run):
            raise StsError(
                f"run {self.run.name!r} is a cosine alone, which has nothing to fit; use fusion"
            )
        from semaniacs.sts.scoring.cross_validation import check_gold, cross_validate, shuffled

        check_gold(pairs, to_fit=True)
        matrix, apart = head.describe(pairs), head.describe(shuffled(pairs))
        before, scores = head.ensemble.predict(matrix), head.ensemble.predict(apart)
        lowest = [row for row in np.argsort(scores, kind="stable") if scores[row] < UNRELATED]
        agrees = np.cov(before, pairs.gold)[0, 1] > 0  # gold may say what differs instead
        apart = apart[lowest[: len(pairs) // 2 * agrees]]
        new = partial(replace(self.run, seed=seed).make_ensemble, head.features.names)

        def fit(some: Matrix, gold: Scores) -> Any:
            return new().fit(np.vstack([some, apart]), np.append(gold, np.zeros(len(apart))))

        make = partial(SimpleNamespace, fit=fit)
        report = cross_validate(make, matrix, pairs, before, folds=folds, seed=seed)
        fitted = fit(matrix, pairs.gold).fitted_
        return Model(self.run, replace(head, ensemble=fitted)), report

    def save(self, folder: Path) -> None:
        """Write the model to a folder: its files first, then ``RUN.json``, which names them.

        Several models may share a folder.
        """
        name = self.run.name
        record: Record = {"run": name, "key": self.run.main.key(get_task(SAMPLE))}
        record |= self.head.save(folder, name)
        if self.intervals is not None:
            record["intervals"] = f"{name}.intervals.safetensors"
            self.intervals.save(folder / record["intervals"])
        record["thresholds"] = {code: asdict(one) for code, one in self.thresholds.items()}
        write_text(folder / f"{name}.json", json.dumps(record, indent=2) + "\n")

    @classmethod
    def load(cls, run: AnyRun, folder: Path = SHIPPED) -> Model:
        """Return the model that :meth:`save` wrote to a folder.

        A run that learns from no task needs no file there. A :class:`StsError` is raised if the
        folder has no model of this very recipe, or a file is damaged.
        """
        if isinstance(run, Mean):
            return mean_of(run, [cls.load(part, folder) for part, _ in run.parts])
        if run.learns is None:
            return cls(run, untrained(run, folder))
        if run.is_network:
            raise NotFittedError(
                f"run {run.name!r} does not ship: it is trained where a task asks for it; type: "
                f"semaniacs submit --run {run.name} --task TASK --data DIR"
            )
        record = run.read_record(folder)
        if not run.columns:
            (encoder,) = load_encoders(record["encoders"], run.vectors.start, folder).values()
            return cls(run, StaticCosine(encoder, run.vectors.start))
        head = FittedColumns.load(run, folder, record)
        intervals = folder / record["intervals"] if "intervals" in record else None
        return cls(run, head, intervals, _thresholds(record))


def of_encoder(name: str) -> Model:
    """Return a model that compares by an encoder alone: a bundled name, a file or a folder."""
    return Model(Run(name, "vectors alone"), StaticCosine(loading.load(name), name))


def warn_of_missing(model: Model) -> None:
    """Warn of features that cannot be computed here, or raise if one is indispensable."""
    missing = model.head.missing()
    check_anchors(model.run, missing)
    for line in describe_missing(missing):
        warn_caller(line)


def check_anchors(run: AnyRun, missing: Mapping[str, str]) -> None:
    """Raise a :class:`MissingResourceError` if a column that a run cannot do without is missing."""
    head = run.main.head
    for anchor in head.anchors if isinstance(head, Ensemble) else ():
        if anchor in missing:
            raise MissingResourceError(
                f"run {run.name!r} cannot do without {anchor}; to have it: {missing[anchor]}"
            )


def untrained(run: Run, folder: Path | None = None, data: Path | None = None) -> FittedHead:
    """Return the head of a run that learns from no task.

    Encoders of bitext are looked for in the ``folder`` of a saved model, then among those that
    ship, or are learned from bitext in ``data``.
    """
    head, start = run.head, run.vectors.start
    if isinstance(head, ReadTogether):
        network = run.reader or loading.NETWORK
        return NetworkScore((loading.load_reader(network),), loading.BUNDLED[network].languages)
    assert isinstance(head, Cosine)
    if head.network is not None:
        from semaniacs.embeddings.transformer.fine_tuning.bi_encoder import BiEncoder

        return NetworkScore((BiEncoder(loading.load_network()),))
    if head.bitext is None and loading.is_multilingual(start):
        return BitextCosine.load(loading.find_model(start))
    if head.bitext is None:
        return StaticCosine(loading.load_static(start), start)
    path = shipped_file(head.bitext, folder) or shipped_file(head.bitext)
    if path is None:
        from semaniacs.runs.pipeline.tuning.bitext import learned_file

        path = learned_file(head.bitext, data)
    return BitextCosine.load(path)


def mean_of(run: Mean, models: list[Model]) -> Model:
    """Return the model of a mean from those of its parts.

    Each threshold is the mean of that of the main model and of even chances for the others.
    """
    main, weights = models[0], tuple(weight for _, weight in run.parts)
    rest = sum(weights[1:])
    thresholds = {
        code: replace(
            own,
            value=(weights[0] * own.value + rest * HIGHEST / 2) / (weights[0] + rest),
            chosen_on=f"{own.chosen_on} for {main.run.name} alone",
        )
        for code, own in main.thresholds.items()
    }
    return Model(run, MeanHead(tuple(models), weights), thresholds=thresholds)


def _thresholds(record: Record) -> dict[str, Threshold]:
    """Return the thresholds of a record; older ones have that of English apart."""
    english = record.get("threshold")
    found = {"en": english} if english else {}
    found |= record.get("thresholds") or {}
    if not found:
        return {}
    from semaniacs.sts.scoring.classification import Threshold

    return {code: Threshold(**one) for code, one in found.items()}


def _same_texts(pairs: Pairs, scores: Scores, codes: Languages | None) -> Scores:
    given = pairs
    if isinstance(pairs, TranslatedPairs):
        given, codes = pairs.original, pairs.languages
    return tell_same_texts(given.left, given.right, scores, codes)
