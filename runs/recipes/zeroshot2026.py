"""Paraphrase or not in German, Spanish and French, learned from English pairs alone.

    python run_submission.py --run paws-any --task paws-x-de --data DIR

Its columns look at characters, at words and their order, and at which words are frequent, so
that they mean the same in every language whose frequent words are known. It learns from the
English pairs that ``paws`` learns from. The columns of another language are mapped to English
ones by the unlabelled pairs of that language's PAWS-X development set, see
:mod:`features.regressors.quantile_map`; its labels choose the threshold alone. Columns and trees
were chosen on the development sets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from features.regressors.fitted import Matrix
from features.regressors.quantile_map import QuantileMap, Quantiles, quantiles_of
from runs.pipeline.bitext_run import languages_of
from runs.pipeline.classifier_run import ClassifierModel, ClassifierRun
from runs.pipeline.ensemble_run import Regressor
from runs.pipeline.run import SHIPPED, Languages
from runs.pipeline.translate_pairs import Translating
from runs.pipeline.tuning.training_data import TrainingData
from sts.data.catalog import get_task
from sts.data.fetch import load
from sts.data.pairs import Pairs
from sts.data.schema import DataSet
from sts.errors import DataError, StsError
from sts.files import write_bytes
from sts.scoring.classification import Threshold
from sts.tensors import FORMAT, read_tensors, to_bytes
from sts.text.languages_found import LanguagesFound

ENGLISH = "en"

COLUMNS = (
    "any_inversions", "any_near_inversions", "any_breaks", "any_kept_next", "any_reversed_next",
    "any_shift", "any_largest_shift", "any_in_place", "any_out_of_sequence",
    "any_out_of_sequence_count", "any_exchanged_information", "any_left_kept", "any_right_kept",
    "any_both_kept", "any_function_words_traded", "any_function_word_changed",
    "any_last_function_word_kept", "any_names", "any_name_inversions", "any_unaligned",
    "any_unaligned_content", "any_unaligned_heaviest", "any_pieces", "any_pieces_of_aligned",
    "any_single_pieces", "any_largest_piece", "any_unaligned_difference",
    "any_largest_piece_difference", "any_word_1gram", "any_word_2gram", "any_word_3gram",
    "any_word_4gram", "any_content_2gram", "any_content_3gram", "any_content_4gram",
    "any_stem_1gram", "any_stem_2gram", "any_stem_3gram", "any_information", "any_commas",
    "character_2gram", "character_3gram", "character_4gram", "character_5gram", "chrf", "bleu",
    "rouge_l", "edit_rate", "character_edits", "skip_bigram", "shorter_length",
    "relative_character_difference", "cosine",
)  # fmt: skip
"""Those that need no tags, no lemmas and no vectors, so nothing that is English."""


@dataclass(frozen=True)
class ZeroShotRun(ClassifierRun):
    """A classifier that learns from English pairs and reads other languages, too.

    Attributes:
        others: codes of the languages of PAWS-X that it reads beside English.
    """

    others: tuple[str, ...] = ()

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of the languages that it reads."""
        return ENGLISH, *self.others

    def check(self, translator: str | None) -> None:
        """Raise an :class:`StsError` if a translator is named."""
        if translator is not None:
            raise StsError(
                f"--translator {translator}: run {self.name!r} reads sentences as they are; "
                "leave it out, or type --run paws"
            )

    def read(
        self, dataset: DataSet, data: Path | None, translating: Translating
    ) -> tuple[Pairs, Languages | None]:
        """A test set as it is, without gold, and the language of each sentence.

        Raises:
            StsError: it is in a language that the run does not know, or its sides are in two.
        """
        if len(dataset.languages) > 1 or not {*dataset.languages} <= {*self.languages}:
            raise StsError(
                f"run {self.name!r} reads pairs in one of {', '.join(self.languages)}; "
                f"{dataset.name} is in {' and '.join(dataset.languages)}"
            )
        pairs = load(dataset, data, with_gold=False)
        return pairs, languages_of(dataset, pairs)

    def fit(self, training: TrainingData) -> ZeroShotModel:
        """Learn from English pairs, take the quantiles of other languages, choose thresholds."""
        english = super().fit(training)
        sets = {code: get_task(f"paws-x-{code}").dev[0] for code in self.others}
        pairs = {code: load(dataset, training.folder) for code, dataset in sets.items()}
        quantiles = {
            code: quantiles_of(english.features.compute(some))
            for code, some in {ENGLISH: training.scored, **pairs}.items()
        }
        parts = english.features, english.ensemble
        model = ZeroShotModel(self, *parts, chosen=english.chosen, quantiles=quantiles)
        chosen = {
            code: Threshold.of(some, model.predict(some, _all_in(code, some)))
            for code, some in pairs.items()
        }
        return replace(model, chosen_by_language=chosen)

    def load(self, folder: Path = SHIPPED) -> ZeroShotModel:
        """The model that was saved in a folder.

        Raises:
            DataError: the file of quantiles is missing or damaged.
        """
        model, record = super().load(folder), self.read_record(folder)
        path = folder / record["quantiles"]
        tensors, metadata = read_tensors(path, self.languages)
        if metadata.get("columns") != "\n".join(model.features.names):
            raise DataError(f"{path}: quantiles of other columns; ship the model again")
        chosen = {code: Threshold(**one) for code, one in record["thresholds"].items()}
        return ZeroShotModel(
            self,
            model.features,
            model.ensemble,
            chosen=model.chosen,
            quantiles=tensors,
            chosen_by_language=chosen,
        )


@dataclass(frozen=True)
class ZeroShotModel(ClassifierModel):
    """A classifier of English pairs, and what turns the columns of other languages into English.

    Attributes:
        quantiles: by language, (q, k) of the columns, see :func:`.quantiles_of`.
        chosen_by_language: the thresholds of the languages other than English.
    """

    run: ZeroShotRun
    quantiles: Mapping[str, Quantiles] = field(default_factory=dict)
    chosen_by_language: Mapping[str, Threshold] = field(default_factory=dict)

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of the languages that it reads."""
        return self.run.languages

    @property
    def thresholds(self) -> Mapping[str, Threshold]:
        """By language, from which score on a pair is a paraphrase."""
        return {**super().thresholds, **self.chosen_by_language}

    def describe(self, pairs: Pairs, languages: Languages | None = None) -> Matrix:
        """The features (n, k), those of pairs in another language mapped to English ones.

        Languages that are not given are identified. A pair in two languages stays as it is.
        """
        if languages is None:
            languages = LanguagesFound(self.languages).codes_of_sides(pairs.left, pairs.right, None)
        matrix = self.features.compute(pairs)
        left, right = map(np.asarray, languages)
        for code in self.run.others:
            rows = (left == code) & (right == code)
            if rows.any():
                to_english = QuantileMap(self.quantiles[code], self.quantiles[ENGLISH])
                matrix[rows] = to_english(matrix[rows])
        return matrix

    def save_parts(self, folder: Path) -> dict[str, Any]:
        """Write what a classifier is made of, and the quantiles; thresholds for the record."""
        file = f"{self.run.name}.quantiles.safetensors"
        metadata = {"format": FORMAT, "columns": "\n".join(self.features.names)}
        write_bytes(folder / file, to_bytes(dict(self.quantiles), metadata))
        chosen = {code: asdict(one) for code, one in self.chosen_by_language.items()}
        return super().save_parts(folder) | {"quantiles": file, "thresholds": chosen}


def _all_in(code: str, pairs: Pairs) -> Languages:
    return [code] * len(pairs), [code] * len(pairs)


PAWS_ANY = ZeroShotRun(
    "paws-any",
    "paraphrase or not in en, de, es, fr, learned from English pairs by columns of any language",
    columns=COLUMNS,
    regressors=(
        Regressor.of(
            "boosting",
            library="lightgbm",
            objective="logistic",
            n_estimators=500,
            learning_rate=0.03,
            max_depth=4,
            min_samples_leaf=30,
            subsample=0.6,
            max_features=0.4,
        ),
    ),
    others=("de", "es", "fr"),
)

RUNS = (PAWS_ANY,)
