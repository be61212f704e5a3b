"""The runs of 2026: Russian headlines, means of runs for two languages, PAWS in any language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semaniacs.features.registry import FeatureColumns
from semaniacs.features.regressors.quantile_map import Quantiles
from semaniacs.runs.pipeline.fitted_heads import (
    BitextCosine,
    FittedColumns,
    FittedHead,
    compute_columns,
)
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
from semaniacs.runs.recipes.zeroshot2026 import OTHERS as MAPPED
from semaniacs.runs.recipes.zeroshot2026 import PAWS_ANY
from semaniacs.sts.data.catalog import PAWS_WIKI_DEV, DataFile, DataSet, get_task
from semaniacs.sts.data.fetch import load, locate
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


# Paraphrase or not in other languages, whose columns are mapped to English ones


ANY_COLUMNS = ("shorter_length", "cosine")
PAIRS = Pairs(
    "mine",
    ("Der Hund biss den Mann.", "The dog bit the man.", "Der Hund biss den Mann."),
    ("Den Mann biss der Hund.", "The man bit the dog.", "The dog bit the man."),
    np.full(3, np.nan),
)
CODES = ["de", "en", "de"], ["de", "en", "en"]


def _quantiles(*lengths: float) -> Quantiles:
    return np.array([[length, 0.5] for length in lengths], np.float32)


@pytest.fixture
def mapped() -> FittedColumns:
    """What maps German lengths from 1 … 2 to 11 … 21, and nothing that scores."""
    unlike = _quantiles(1, 2)
    quantiles: Mapping[str, Quantiles] = {
        "en": _quantiles(11, 21),
        "de": unlike,
        "es": unlike,
        "fr": unlike,
    }
    features: Any = FeatureColumns(ANY_COLUMNS)
    nothing: Any = None
    return FittedColumns(features, nothing, languages=("en", *MAPPED), quantiles=quantiles)


def test_english_stays_as_it_is_and_german_is_mapped(mapped: FittedColumns) -> None:
    plain = mapped.features.compute(PAIRS)
    found = mapped.describe(PAIRS, CODES)
    assert np.array_equal(found[1:], plain[1:])  # English, and a pair in two languages
    length = np.log1p(5)
    assert plain[0, 0] == pytest.approx(length)
    assert found[0, 0] == pytest.approx(11 + 10 * (length - 1), abs=1e-5)


@pytest.mark.parametrize("task", ["paws-x-ja", "sts2016-es-en"])
def test_a_language_that_it_does_not_know_is_refused(task: str) -> None:
    (test, *_) = get_task(task).datasets
    empty = replace(test, input=DataFile(test.input.path, 0))
    with pytest.raises(StsError, match="'paws-any' reads pairs in one of en, de, es, fr; .* is in"):
        PAWS_ANY.reads.read(PAWS_ANY.name, empty, None, Translating().to_english)


def test_what_was_fitted_is_saved_whole(sts_data: Path, tmp_path: Path) -> None:
    if locate(PAWS_WIKI_DEV.input, sts_data) is None:
        pytest.skip("labelled data not found beside the STS data")
    run = small(PAWS_ANY, *ANY_COLUMNS)
    trees = run.head.regressors  # type: ignore[union-attr]
    run = replace(run, head=Classifier(trees, mapped=MAPPED))
    learned = load(PAWS_WIKI_DEV, sts_data)
    some = learned.select(np.arange(len(learned)) < 300)
    model = fit(run, TrainingData([some], folder=sts_data))
    assert list(model.thresholds) == ["en", "de", "es", "fr"]
    model.save(tmp_path)
    again = Model.load(run, tmp_path)
    assert again.thresholds == model.thresholds
    assert np.array_equal(again.predict(PAIRS, CODES), model.predict(PAIRS, CODES))
    explained = again.explain(PAIRS, repeats=1, languages=CODES)
    assert explained.scores == pytest.approx(again.predict(PAIRS, CODES))
    (tmp_path / "paws-any.quantiles.safetensors").write_bytes(b"")
    with pytest.raises(DataError, match=r"paws-any\.quantiles"):
        Model.load(run, tmp_path)
