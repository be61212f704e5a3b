"""The runs of 2026: Russian headlines, and means of runs for two languages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semaniacs.features.registry import FeatureColumns
from semaniacs.runs.pipeline.fitted_heads import BitextCosine, FittedHead, compute_columns
from semaniacs.runs.pipeline.fitting import check, fit
from semaniacs.runs.pipeline.model import MeanHead, Model
from semaniacs.runs.pipeline.recipe_parts import (
    Classifier,
    Languages,
    RecordedPairs,
    TranslatedPairs,
)
from semaniacs.runs.pipeline.run import Run
from semaniacs.runs.pipeline.training_data import TrainingData
from semaniacs.runs.pipeline.translate_pairs import Translating
from semaniacs.runs.recipes import get_run, run_in
from semaniacs.runs.recipes.crosslingual2026 import CROSSLINGUAL
from semaniacs.runs.recipes.ensemble2026 import CONTEXTUAL
from semaniacs.sts.data.catalog import DataSet, get_task
from semaniacs.sts.data.pairs import Pairs, Scores
from semaniacs.sts.errors import DataError, StsError
from tests.runs.made_files import pairs_of, two_languages

RU = get_run("news-ru").main
NOUNS = "кот пес снег дождь город мост поезд врач певец завод".split()


def headlines(count: int) -> Pairs:
    """Label 1 where both sides speak of the same two things."""
    rng = np.random.default_rng(1)
    left, right = [], []
    for row in range(count):
        one, two, *other = (NOUNS[i] for i in rng.choice(10, 4, replace=False))
        left.append(f"{one} и {two} {row}")
        right.append(f"{two} и {one}" if row % 2 else " и ".join(other))
    return Pairs("toy", tuple(left), tuple(right), np.arange(count) % 2 * 5.0)


def read(run: Run, dataset: DataSet, data: Path | None) -> tuple[Pairs, Languages | None]:
    return run.reads.read(run.name, dataset, data, Translating().to_english)


def small(run: Run, *columns: str) -> Run:
    (tree,) = run.head.regressors  # type: ignore[union-attr]
    kept = tuple(o for o in tree.options if o[0] not in ("n_estimators", "min_samples_leaf"))
    few = replace(tree, options=(*kept, ("min_samples_leaf", 5), ("n_estimators", 9)))
    return replace(run, columns=columns, head=Classifier((few,)))


def test_it_learns_what_words_say_and_is_saved_whole(tmp_path: Path) -> None:
    run = small(RU, "ru_information", "ru_content", "ru_shared_information")
    pairs = headlines(80)
    model = fit(run, TrainingData([pairs]))
    assert model.languages == ("ru",)
    scores = model.predict(pairs)
    assert scores[1::2].min() > scores[::2].max()
    model.save(tmp_path)
    again = Model.load(run, tmp_path)
    assert np.array_equal(again.predict(pairs), scores)
    assert again.thresholds == model.thresholds
    (tmp_path / "news-ru.headlines.safetensors").write_bytes(b"")
    with pytest.raises(DataError, match=r"news-ru\.headlines"):
        Model.load(run, tmp_path)


def test_columns_of_translations_are_averaged() -> None:
    pairs = Pairs("x", ("Кот спит",), ("Кот дремлет",), np.zeros(1))
    english = tuple(
        Pairs("x", (left,), (right,), np.zeros(1))
        for left, right in (("The cat sleeps", "The cat naps"), ("A cat sleeps", "A cat sleeps"))
    )
    recorded = RecordedPairs(pairs.name, pairs.left, pairs.right, pairs.gold, english)
    columns = FeatureColumns(("ru_content", "content_1gram"))
    alone = [FeatureColumns(("content_1gram",)).compute(one)[0, 0] for one in english]
    assert alone[0] < alone[1] == 1
    assert compute_columns(columns, recorded, 1).tolist() == [[0.5, (alone[0] + alone[1]) / 2]]
    with pytest.raises(StsError, match="x: no recorded translations; type --run news-ru"):
        compute_columns(columns, pairs, 1)


def test_other_languages_and_translators_are_refused() -> None:
    (english,) = get_task("paws-wiki").datasets
    with pytest.raises(StsError, match="'news-ru' reads pairs in one of ru; wiki-test is in en"):
        read(RU, english, None)
    with pytest.raises(StsError, match="--translator apertium: .* leave it out"):
        check(RU, "apertium")


# Means of runs: a translation read in English, and the original read as it is


OTHERS = CROSSLINGUAL.parts[1:]


class Lengths(FittedHead):
    """Score of a pair: the number of words of its left sentence."""

    def compare(self, pairs: Pairs, languages: Languages | None) -> Scores:
        return np.array([float(len(text.split())) for text in pairs.left])

    def save(self, folder: Path, name: str) -> dict[str, Any]:
        return {"encoders": {}}


@pytest.fixture
def model() -> Model:
    several = two_languages()
    others = (Model(run, BitextCosine(Path("x"), several)) for run, _ in OTHERS)
    weights = tuple(weight for _, weight in CROSSLINGUAL.parts)
    return Model(CROSSLINGUAL, MeanHead((Model(CONTEXTUAL, Lengths()), *others), weights))


def translated(original: Pairs, left: str, *languages: str) -> TranslatedPairs:
    codes = [languages[0]] * len(original), [languages[1]] * len(original)
    sides = (left,) * len(original), original.right
    return TranslatedPairs(original.name, *sides, original.gold, original, codes)


def test_the_translation_and_the_original_are_each_read_where_they_belong(model: Model) -> None:
    weight = sum(weight for _, weight in OTHERS)
    pairs = pairs_of(("perro", "dog"), ("gato", "dog"), ("pan", "pan"))
    scores = model.predict(translated(pairs, "three words here", "es", "en"))
    expected = [(3 + 5 * weight) / (1 + weight), 3 / (1 + weight), 3 / (1 + weight)]
    np.testing.assert_allclose(scores, expected)


def test_pairs_that_nobody_translated_are_english(model: Model) -> None:
    weight = sum(weight for _, weight in OTHERS)
    scores = model.head.compare(pairs_of(("pan", "pan"), ("cat", "dog")), None)
    np.testing.assert_allclose(scores, [(1 + 5 * weight) / (1 + weight), 1 / (1 + weight)])
    assert model.languages == ("en",)


def test_it_learns_and_ships_as_its_english_run_does() -> None:
    assert CROSSLINGUAL.main.learns
    assert CROSSLINGUAL.ships() == CONTEXTUAL.ships()
    assert not CROSSLINGUAL.ships("sts2014-es")
    seeded = CROSSLINGUAL.with_seed(3)
    assert seeded.digest != CROSSLINGUAL.digest
    assert seeded.main == replace(CONTEXTUAL, seed=3)
    with pytest.raises(StsError, match="--seed -1"):
        CROSSLINGUAL.with_seed(-1)


def test_a_saved_model_is_read_again(tmp_path: Path) -> None:
    model = Model.load(CROSSLINGUAL)
    model.save(tmp_path)
    assert {"contextual.json", "crosslingual.json"} <= {path.name for path in tmp_path.iterdir()}
    assert run_in(tmp_path) == "crosslingual"
    again = Model.load(CROSSLINGUAL, tmp_path)
    pairs = translated(pairs_of(("perro", "dog"), ("gato", "dog")), "a dog", "es", "en")
    np.testing.assert_array_equal(again.predict(pairs), model.predict(pairs))
