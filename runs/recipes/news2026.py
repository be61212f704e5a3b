"""Russian headlines: the same or not (Pivovarova et al., 2017; Gusev and Smurov, 2021).

    python run_submission.py --run news-ru --task paraphraser --data DIR
    python run_submission.py --run news-ru --task dialogue2021-private --data DIR
    python run_submission.py --run news-translated --task paraphraser --data DIR
    python run_submission.py --run news-both --task paraphraser --data DIR

``news-ru`` looks at the Russian sentences alone and needs no transformer; what a word says it
learns from the headlines of the training set. ``news-translated`` looks at the recorded
translations into English, with every column that English pairs have, averaged over translators;
``news-both`` at all of it. The score is 5 times the probability of label 1. Columns and trees were
chosen on the training set of ParaPhraser, by folds of pairs without a sentence in common.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from features.columns import FeatureColumns
from features.measures.russian_words import LANGUAGE, learn_information
from features.regressors.fitted import Matrix
from features.resources import Resources
from runs.pipeline.classifier_run import ClassifierModel, ClassifierRun
from runs.pipeline.ensemble_run import Regressor
from runs.pipeline.run import SAMPLE, SHIPPED, Languages
from runs.pipeline.translate_pairs import Translating
from runs.pipeline.tuning.training_data import TrainingData
from runs.recipes import ensemble2026, paraphrases2026
from sts.data.catalog import get_task
from sts.data.fetch import load, load_translations
from sts.data.pairs import Pairs
from sts.data.schema import DataSet, Task
from sts.errors import DataError, MissingResourceError, StsError
from sts.files import write_bytes
from sts.tensors import FORMAT, read_tensors, to_bytes

RUSSIAN = (
    "ru_words", "ru_stems", "ru_content", "ru_beginnings", "ru_names", "ru_numbers", "ru_keys",
    "ru_stem_2gram", "ru_stem_3gram", "ru_key_3gram", "ru_key_4gram", "ru_information",
    "ru_contained", "ru_contained_information", "ru_shared", "ru_shared_information",
    "ru_shared_rarest", "ru_unshared_least", "ru_unshared_most", "ru_left_least", "ru_left_most",
    "ru_left_rarest_least", "ru_left_rarest_most", "ru_soft", "ru_soft_least", "ru_soft_most",
    "ru_soft_even", "ru_soft_gap", "ru_soft_worst", "ru_soft_left_least", "ru_soft_left_most",
    "ru_teacher", "ru_subwords", "ru_number_conflict", "ru_name_conflict", "ru_denials",
    "length_ratio", "ru_first", "ru_last", "character_2gram", "character_3gram",
    "character_4gram", "character_5gram", "chrf",
)  # fmt: skip
"""Columns of the Russian sentences."""

ENGLISH = (
    *dict.fromkeys(
        name
        for name in (*paraphrases2026.COLUMNS, *ensemble2026.COLUMNS)
        if not name.startswith("paraphrase")  # of tuned encoders
    ),
    "minilm", "minilm_tokens", "minilm_least", "minilm_gap", "minilm_dynamax", "minilm_middle",
    "minilm_middle_tokens", "minilm_middle_least", "minilm_middle_gap",
)  # fmt: skip
"""Columns of the translations; those of the transformer stay out where it is not installed."""

BESIDE_RUSSIAN = tuple(name for name in ENGLISH if name not in RUSSIAN)
"""Columns of the translations beside those of the originals: runs of letters are of the originals."""


@dataclass(frozen=True, eq=False)
class RecordedPairs(Pairs):
    """Pairs, and the same rows as recorded translators have them in English."""

    translations: tuple[Pairs, ...] = ()


@dataclass(frozen=True)
class NewsColumns(FeatureColumns):
    """The columns of Russian pairs, then those of their translations, averaged.

    Attributes:
        english: how many of the last names are columns of the translations.
    """

    english: int = 0

    def compute(self, pairs: Pairs) -> Matrix:
        """The matrix (n, k); a column whose resource is missing is NaN.

        Raises:
            StsError: the pairs come without translations, and there are columns of these.
        """
        place = len(self.names) - self.english
        parts = [replace(self, names=self.names[:place], english=0)._plain(pairs)]
        if self.english:
            if not isinstance(pairs, RecordedPairs):
                raise StsError(
                    f"{pairs.name}: no recorded translations; type --run news-ru, which reads Russian"
                )
            translated = replace(self, names=self.names[place:], english=0)
            parts.append(np.mean([translated._plain(p) for p in pairs.translations], axis=0))
        return np.concatenate(parts, axis=1)

    def _plain(self, pairs: Pairs) -> Matrix:
        return super().compute(pairs)


@dataclass(frozen=True)
class NewsRun(ClassifierRun):
    """A classifier of Russian pairs; it learns from the training set of their task.

    Attributes:
        english: how many of its last columns are those of recorded translations.
    """

    english: int = 0
    fitted_when_needed: ClassVar[bool] = True

    @property
    def saves_model(self) -> bool:
        """Whether a person's own pairs can be scored: without translations."""
        return not self.english

    def learns_from(self, task: Task) -> tuple[DataSet, ...]:
        """The training set of a labelled Russian task; else that of ParaPhraser."""
        russian = task.labelled and task.datasets[0].languages == (LANGUAGE,)
        return (task if russian else get_task("paraphraser")).train

    def ships(self, task: str = SAMPLE) -> bool:
        """Whether the model that learned from what this task allows comes with the project."""
        same = self.learns_from(get_task(task)) == self.learns_from(get_task(SAMPLE))
        return same and self.is_saved(SHIPPED)

    def check(self, translator: str | None) -> None:
        """Raise an :class:`StsError` if a translator is named."""
        if translator is not None:
            raise StsError(
                f"--translator {translator}: run {self.name!r} reads Russian, and translations "
                "that come with the data; leave it out"
            )

    def read(
        self, dataset: DataSet, data: Path | None, translating: Translating
    ) -> tuple[Pairs, Languages | None]:
        """A test set as it is, without gold, with its translations if the run looks at them.

        Raises:
            StsError: it is not Russian, or comes without translations.
            MissingResourceError: a translation is not in the data folder.
        """
        if dataset.languages != (LANGUAGE,):
            raise StsError(
                f"run {self.name!r} reads pairs in Russian; {dataset.name} is in "
                f"{' and '.join(dataset.languages)}; type --run fusion"
            )
        return self._recorded(dataset, data, load(dataset, data, with_gold=False)), None

    def training_data(
        self, task: Task, data: Path | None, translating: Translating, tests: Sequence[Pairs]
    ) -> TrainingData:
        """The training set of the task, with its translations if the run looks at them."""
        (dataset,) = self.learns_from(task)
        return TrainingData([self._recorded(dataset, data, load(dataset, data))], folder=data)

    def _recorded(self, dataset: DataSet, data: Path | None, pairs: Pairs) -> Pairs:
        if not self.english:
            return pairs
        if not dataset.translations:
            raise StsError(
                f"{dataset.name} comes without recorded translations; type --run news-ru, "
                "which reads Russian"
            )
        try:
            translations = tuple(load_translations(dataset, data))
        except MissingResourceError as error:
            raise MissingResourceError(
                f"{error}; or type --run news-ru, which needs no translation"
            ) from None
        return RecordedPairs(pairs.name, pairs.left, pairs.right, pairs.gold, translations)

    def fit_features(self, training: TrainingData) -> tuple[FeatureColumns, Matrix]:
        """What computes the columns of new pairs, and the columns (n, k) of the training pairs."""
        (pairs,) = training.sets
        headlines = learn_information((*pairs.left, *pairs.right))
        columns = self.columns_by(headlines)
        return columns, columns.compute(pairs)

    def columns_by(self, headlines: Mapping[str, float]) -> NewsColumns:
        """Its columns, with what words say in some headlines."""
        resources = Resources(word_vectors=self.start, headlines=headlines)
        return NewsColumns(self.columns, resources, progress=True, english=self.english)

    def load(self, folder: Path = SHIPPED) -> ClassifierModel:
        """The model that was saved in a folder.

        Raises:
            DataError: the file of headlines is missing or damaged.
        """
        model, record = super().load(folder), self.read_record(folder)
        path = folder / record["headlines"]
        tensors, metadata = read_tensors(path, ("information",))
        stems, values = metadata.get("stems", "").split("\n"), tensors["information"]
        if len(stems) != len(values) or "" not in stems:
            raise DataError(f"{path}: {len(values)} values for {len(stems)} stems; ship it again")
        columns = self.columns_by(dict(zip(stems, values.tolist(), strict=True)))
        return NewsModel(self, columns, model.ensemble, chosen=model.chosen)

    def fit(self, training: TrainingData) -> ClassifierModel:
        """Learn what words say, compute the columns, fit the trees, choose the threshold."""
        model = super().fit(training)
        return NewsModel(self, model.features, model.ensemble, chosen=model.chosen)


@dataclass(frozen=True)
class NewsModel(ClassifierModel):
    """A classifier of Russian pairs."""

    @property
    def languages(self) -> tuple[str, ...]:
        """Russian."""
        return (LANGUAGE,)

    def save_parts(self, folder: Path) -> dict[str, Any]:
        """Write what a classifier is made of, and what words say in the training headlines."""
        headlines = self.features.resources.headlines or {}
        file = f"{self.run.name}.headlines.safetensors"
        values = {"information": np.array([*headlines.values()], np.float64)}
        metadata = {"format": FORMAT, "stems": "\n".join(headlines)}
        write_bytes(folder / file, to_bytes(values, metadata))
        return super().save_parts(folder) | {"headlines": file}


def _boosting(columns_of_a_tree: float) -> tuple[Regressor, ...]:
    return (
        Regressor.of(
            "boosting",
            library="lightgbm",
            objective="logistic",
            n_estimators=500,
            learning_rate=0.03,
            max_depth=4,
            min_samples_leaf=30,
            subsample=0.6,
            max_features=columns_of_a_tree,
        ),
    )


RUNS = (
    NewsRun(
        "news-ru",
        "Russian headlines: the same or not, by words, names, numbers and our vectors",
        columns=RUSSIAN,
        regressors=_boosting(0.4),
    ),
    NewsRun(
        "news-translated",
        "the same by recorded translations into English, with a transformer if it is installed",
        columns=ENGLISH,
        regressors=_boosting(0.2),
        english=len(ENGLISH),
    ),
    NewsRun(
        "news-both",
        "news-ru and news-translated: Russian headlines and their recorded translations",
        columns=(*RUSSIAN, *BESIDE_RUSSIAN),
        regressors=_boosting(0.2),
        english=len(BESIDE_RUSSIAN),
    ),
)
