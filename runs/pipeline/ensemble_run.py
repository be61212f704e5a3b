"""Runs that score by regressors over the features of a pair."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from embeddings import loading
from embeddings.encoder import Encoder
from embeddings.transformer.fine_tuning.tuning_configuration import CrossAttentionTuning
from features.columns import FeatureColumns
from features.registry import get_feature
from features.regressors.conflicts import ConflictColumns
from features.regressors.fitted import REGRESSOR_KINDS, FittedEnsemble
from features.regressors.saved_ensemble import load_ensemble, save_ensemble
from features.regressors.shapley import Explained, explain
from features.resources import Resources
from runs.pipeline.feature_check import columns_code, save_feature_check
from runs.pipeline.run import SAMPLE, SHIPPED, Languages, Model, Run
from runs.pipeline.translate_pairs import Translating
from runs.pipeline.tuning.encoders import (
    Tuning,
    name_encoders,
    tune,
    tune_if_possible,
    useful_round_trips,
)
from runs.pipeline.tuning.ensemble_networks import (
    RESOURCES,
    Networks,
    in_four_bits,
    network_hashes,
    networks,
    open_networks,
    save_networks,
)
from runs.pipeline.tuning.forward_chaining import forward_chained
from runs.pipeline.tuning.network_tuning import NetworkTuning
from runs.pipeline.tuning.no_round_trips import leave_out_round_trips
from runs.pipeline.tuning.out_of_fold import (
    Describe,
    Matrix,
    out_of_fold,
    predict_out_of_fold,
    source_of,
)
from runs.pipeline.tuning.training_data import TrainingData
from sts.data.catalog import PAWS_WIKI_DEV, PAWS_WIKI_TEST
from sts.data.pairs import LOWEST, Pairs, Scores
from sts.data.schema import DataSet, Task
from sts.errors import MissingResourceError, UnknownNameError
from sts.scoring.calibration.intervals import Intervals
from sts.scoring.cross_validation import CrossValidation, cross_validate

if TYPE_CHECKING:
    from features.regressors.ensemble import Ensemble
    from features.regressors.validation import ArrayRegressor


@dataclass(frozen=True)
class Regressor:
    """One regressor of an ensemble.

    Attributes:
        kind: one of :data:`features.regressors.fitted.REGRESSOR_KINDS`.
        options: what it is constructed with, but for the seed, sorted by name.
    """

    kind: str
    options: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def of(cls, kind: str, **options: Any) -> Regressor:
        """The record of a regressor with these options; :class:`UnknownNameError` lists the kinds."""
        if kind not in REGRESSOR_KINDS:
            raise UnknownNameError("kind of regressor", str(kind), REGRESSOR_KINDS)
        return cls(kind, tuple(sorted(options.items())))

    def make(self, seed: int) -> ArrayRegressor:
        """The estimator, drawn with ``seed`` if it draws."""
        from features.regressors.ensemble import REGRESSORS

        part: ArrayRegressor = REGRESSORS[self.kind](**dict(self.options))
        if "random_state" in part.get_params():
            part.set_params(random_state=seed)
        return part


@dataclass(frozen=True)
class LabelsAsGrades:
    """Pairs of PAWS-Wiki among graded ones, which hardly ever have the same words.

    Attributes:
        every: one of so many pairs of the set is taken, the first and so on.
        same, other: the grades of a paraphrase and of what is none.
    """

    every: int
    same: float
    other: float

    def grades(self, pairs: Pairs) -> Pairs:
        """The pairs that are taken, label 1 (gold 5) and label 0 (gold 0) as these grades."""
        taken = pairs.select(np.arange(len(pairs)) % self.every == 0)
        return replace(taken, gold=np.where(taken.gold > LOWEST, self.same, self.other))


@dataclass(frozen=True)
class EnsembleRun(Run):
    """The mean of regressors over features.

    Attributes:
        columns: names of its features, every one.
        regressors: whose mean is the score.
        paraphrases: the tunings of the encoders behind paraphrase1, paraphrase2, ….
        start: bundled name or file of the vectors that these start from.
        back_translation: whether it also learns from its training pairs with one side
            translated to Spanish and back, for a task all of whose data sets are translated.
        anchor, second_anchor: features the mean of whose simple regressions is blended into the
            score.
        blend_weight: its weight; all regressors together weigh 1.
        labels: labelled pairs that the regressors learn from beside graded ones.
        conflicts: features that lower the score at last.
        transformer: how the network behind the ``minilm_tuned`` columns is trained.
        cross: how it is trained further, to be the one behind ``minilm_cross``.
        written_alike: whether a pair is compared with one spelling for each word and one writing
            for each amount of both sides.
    """

    columns: tuple[str, ...] = ()
    regressors: tuple[Regressor, ...] = ()
    paraphrases: tuple[Tuning, ...] = ()
    start: str = loading.DEFAULT
    back_translation: bool = False
    anchor: str | None = None
    blend_weight: float = 0.0
    labels: LabelsAsGrades | None = None
    conflicts: ConflictColumns | None = None
    transformer: NetworkTuning | None = None
    cross: CrossAttentionTuning | None = None
    second_anchor: str | None = None
    written_alike: bool = False

    @property
    def tunings(self) -> tuple[Tuning, ...]:
        """Those of its encoders."""
        return self.paraphrases

    @property
    def learns(self) -> bool:
        """It does: its regressors."""
        return True

    @property
    def saves_model(self) -> bool:
        """It does."""
        return True

    def learns_from(self, task: Task) -> tuple[DataSet, ...]:
        """The graded sets that it may learn from, and PAWS-Wiki's development set if it does.

        For PAWS-X, whose sentences come from there, the test set of PAWS-Wiki instead.
        """
        found = super().learns_from(task)
        if self.labels is None:
            return found
        return (*found, PAWS_WIKI_TEST if PAWS_WIKI_TEST in task.train else PAWS_WIKI_DEV)

    def check(self, translator: str | None) -> None:
        """Refuse to work without the features that weigh most.

        Raises:
            MissingResourceError: it names the command that brings what is missing.
        """
        missing = self.missing() if self.anchors else {}
        for anchor in self.anchors:
            if anchor in missing:
                raise MissingResourceError(
                    f"run {self.name!r} cannot do without {anchor}; to have it: {missing[anchor]}"
                )

    def without_round_trips(self) -> EnsembleRun:
        """Recipe that learns from no round trips of test sentences and no back-translations."""
        columns, tunings = leave_out_round_trips(self.columns, self.paraphrases)
        return replace(self, columns=columns, paraphrases=tunings, back_translation=False)

    def training_data(
        self, task: Task, data: Path | None, translating: Translating, tests: Sequence[Pairs]
    ) -> TrainingData:
        """The training sets of the task, round trips of its test sentences, and back-translations."""
        found = super().training_data(task, data, translating, tests)
        if self.labels is not None:
            *graded, labelled = found.sets
            labelled = self.labels.grades(labelled)
            found = replace(found, sets=graded, years=found.years[:-1], labelled=[labelled])
        if not self.back_translation or not all("es" in d.languages for d in task.datasets):
            return found
        translated = [translating.back_translate(p, "es", self.seed) for p in found.graded_sets]
        return replace(found, back_translated=translated)

    def fit(self, training: TrainingData) -> EnsembleModel:
        """Tune the encoders, compute the features, fit the regressors.

        An :class:`StsError` if there are not two pairs to tune an encoder on.
        """
        return self._fit(training)[0]

    def fit_to_ship(self, training: TrainingData) -> EnsembleModel:
        """The same, with intervals from the scores of training pairs out of fold, by source."""
        model, matrix = self._fit(training)
        if len({source_of(pairs.name) for pairs in training.scored_sets}) < 2:
            return model
        make = partial(self.make_ensemble, self.columns)
        described = [*training.scored_sets, *training.labelled]
        scores = predict_out_of_fold(make, described, matrix)
        graded = np.concatenate([pairs.gold for pairs in training.scored_sets])
        return replace(model, intervals=Intervals.fit(scores[: len(graded)], graded))

    def _fit(self, training: TrainingData) -> tuple[EnsembleModel, Matrix]:
        features, matrix = self.fit_features(training)
        ensemble = self.make_ensemble(self.columns).fit(matrix, training.scored.gold)
        return EnsembleModel(self, features, ensemble.fitted_), matrix

    def fit_features(self, training: TrainingData) -> tuple[FeatureColumns, Matrix]:
        """What computes the features of new pairs, and the features (n, k) of the training pairs.

        New pairs are described by encoders that were tuned on all training data sets; the scored
        training pairs by encoders that saw no data set of their source, and by a transformer that
        saw no pair of their year.
        """
        trips = useful_round_trips(self.start, self.tunings, training.round_trips)
        trained = in_four_bits(self._networks(training.graded_sets))
        names = list(name_encoders(self.tunings))
        tuned = [name for name in self.columns if set(names) & set(get_feature(name).needs)]
        chained = [name for name in self.columns if RESOURCES & set(get_feature(name).needs)]
        plain = [name for name in self.columns if name not in (*tuned, *chained)]
        scored = training.scored

        def resources_of(tuner: Callable[..., Encoder], sets: Sequence[Pairs]) -> Resources:
            encoders = [tuner(self.start, self.seed, t, sets, trips) for t in self.tunings]
            return Resources(name_encoders(encoders), self.start, **trained)

        def train(sets: Sequence[Pairs]) -> Describe:
            return self._columns(tuned, resources_of(tune_if_possible, sets)).compute

        resources = resources_of(tune, training.sets)
        plain_features = self._columns(plain, resources, progress=True).compute(scored)
        columns = dict(zip(plain, plain_features.T, strict=True))
        if tuned:
            new = self._columns(tuned, resources)  # no encoder saw the labelled pairs
            found = out_of_fold(training.sets, training.scored_sets, train)
            found += map(new.compute, training.labelled)
            columns |= zip(tuned, np.vstack(found).T, strict=True)
        if chained:
            columns |= zip(chained, self._chained(chained, training, resources).T, strict=True)
        matrix = np.stack([columns[name] for name in self.columns], axis=1)
        return self._columns(self.columns, resources, progress=True), matrix

    def _columns(
        self, names: Sequence[str], resources: Resources, progress: bool = False
    ) -> FeatureColumns:
        return FeatureColumns(names, resources, progress, self.written_alike)

    def _networks(self, sets: Sequence[Pairs]) -> Networks:
        """What trains the transformers on some data sets, those that the run has."""
        return networks(self.transformer, self.cross, self.seed, sets, self.name)

    def _chained(
        self, names: Sequence[str], training: TrainingData, resources: Resources
    ) -> Matrix:
        """The columns of trained transformers for the training pairs, then the labelled ones."""

        def train(sets: Sequence[Pairs]) -> Describe:
            own = Resources(word_vectors=self.start, **self._networks(sets))
            return self._columns(names, own, progress=True).compute

        years = training.years or [0] * len(training.sets)
        described = training.scored_sets
        found = forward_chained(training.graded_sets, years, described, train, self.seed)
        new = self._columns(names, resources)  # they saw no labelled pair
        return np.vstack([*found, *map(new.compute, training.labelled)])

    def make_ensemble(self, columns: Sequence[str]) -> Ensemble:
        """The estimator, not fitted, for a matrix of these columns.

        What the recipe blends with and is none of the columns is left out.
        """
        from features.regressors.ensemble import Ensemble

        anchors = tuple(list(columns).index(name) for name in self.anchors if name in columns)
        parts = tuple(part.make(self.seed) for part in self.regressors)
        conflicts = self.conflicts.among(list(columns)) if self.conflicts else None
        return Ensemble(parts, anchors, self.blend_weight, conflicts)

    @property
    def anchors(self) -> tuple[str, ...]:
        """The features that it blends with."""
        return tuple(filter(None, (self.anchor, self.second_anchor)))

    def missing(self) -> dict[str, str]:
        """Features that cannot be computed here, with the command that brings what they need."""
        untuned = [loading.load_static(self.start)] * len(self.tunings)
        resources = Resources(name_encoders(untuned), self.start, **self._networks([]))
        return self._columns(self.columns, resources).missing()

    def ships(self, task: str = SAMPLE) -> bool:
        """Whether the fitted model comes with the project."""
        return task == SAMPLE and self.is_saved(SHIPPED)

    def load(self, folder: Path = SHIPPED) -> EnsembleModel:
        """The model that was saved in a folder."""
        record = self.read_record(folder)
        resources = Resources(self.load_encoders(folder), self.start)
        open_networks(folder, record, resources)
        ensemble, columns = load_ensemble(folder / record["ensemble"])
        file = record.get("intervals")
        intervals = Intervals.load(folder / file) if file else None
        described = self._columns(columns, resources, progress=True)
        return EnsembleModel(self, described, ensemble, intervals)


@dataclass(frozen=True)
class EnsembleModel(Model):
    """Features, then the regressors (Hokamp and Arora, 2016, 3.4)."""

    run: EnsembleRun
    features: FeatureColumns
    ensemble: FittedEnsemble
    intervals: Intervals | None = None

    @property
    def encoders(self) -> Mapping[str, Encoder]:
        """Its tuned encoders."""
        return self.features.resources.encoders

    def encoder_hashes(self) -> dict[str, str]:
        """sha256 of every encoder, and of its trained transformers."""
        return super().encoder_hashes() | network_hashes(self.features.resources)

    def compare(self, pairs: Pairs, languages: Languages | None = None) -> Scores:
        """Scores (n,) in [0, 5]."""
        return self.ensemble.predict(self.describe(pairs, languages))

    def describe(self, pairs: Pairs, languages: Languages | None = None) -> Matrix:
        """The features (n, k) that the regressors look at."""
        return self.features.compute(pairs)

    def refit(
        self, pairs: Pairs, *, folds: int, seed: int
    ) -> tuple[EnsembleModel, CrossValidation]:
        """The same features and encoders, with regressors that are fitted to other pairs."""
        run = replace(self.run, seed=seed)
        make = partial(run.make_ensemble, self.features.names)
        matrix = self.describe(pairs)
        before = self.ensemble.predict(matrix)
        report = cross_validate(make, matrix, pairs, before, folds=folds, seed=seed)
        fitted: FittedEnsemble = make().fit(matrix, pairs.gold).fitted_
        return replace(self, ensemble=fitted, intervals=None), report

    def compare_explained(
        self, pairs: Pairs, repeats: int, seed: int, languages: Languages | None = None
    ) -> Explained:
        """What each feature adds to the score of each pair."""
        matrix = self.describe(pairs, languages)
        found = explain(self.ensemble, matrix, repeats=repeats, seed=seed)
        names, compared = self.features.names, self.features.compared(pairs.left, pairs.right)
        parts = found.base, found.scores, found.contributions
        return Explained(tuple(names), matrix, *parts, compared=compared)

    def importances(self) -> NDArray[np.float64]:
        """(k,) share of the training error that the trees' splits on each feature took away."""
        return self.ensemble.importances

    def missing(self) -> dict[str, str]:
        """Features that cannot be computed here, with the command that brings what they need."""
        return self.features.missing()

    def save_parts(self, folder: Path) -> dict[str, Any]:
        """Write the ensemble, and its features of some pairs with the code that computes them."""
        files = {
            "ensemble": f"{self.run.name}.safetensors",
            "features": f"{self.run.name}.features.safetensors",
        }
        save_ensemble(folder / files["ensemble"], self.ensemble, tuple(self.features.names))
        save_feature_check(folder / files["features"], self.features)
        if self.intervals is not None:
            files["intervals"] = f"{self.run.name}.intervals.safetensors"
            self.intervals.save(folder / files["intervals"])
        files |= save_networks(folder, self.run.name, self.features.resources)
        encoders = self.run.save_encoders(self.encoders, folder)
        return {"encoders": encoders, **files} | {"code": columns_code(self.features.names)}
