"""The runs for Russian headlines, and the recorded translations that two of them look at."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from semaniacs.features.registry import FeatureColumns
from semaniacs.runs.pipeline.fitted_heads import compute_columns
from semaniacs.runs.pipeline.fitting import check, fit
from semaniacs.runs.pipeline.model import Model
from semaniacs.runs.pipeline.recipe_parts import Classifier, Languages, RecordedPairs
from semaniacs.runs.pipeline.run import Run
from semaniacs.runs.pipeline.training_data import TrainingData
from semaniacs.runs.pipeline.translate_pairs import Translating
from semaniacs.runs.recipes import get_run
from semaniacs.sts.data.catalog import DataFile, DataSet, get_task
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.errors import DataError, MissingResourceError, StsError
from semaniacs.sts.files import sha256_of

RU, BOTH = get_run("news-ru").main, get_run("news-both").main
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


HEADER = "id\ttext_1\ttext_2"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A test set of two pairs with the translation of one translator."""
    (tmp_path / "toy").mkdir()
    files = {
        "test.tsv": f"{HEADER}\tclass\n1\tКот\tПес\t-1\n2\tКот\tКошка\t0\n",
        "en.tsv": f"{HEADER}\n1\tA cat\tA dog\n2\tA cat\tA she-cat\n",
    }
    for name, text in files.items():
        (tmp_path / "toy" / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_translations_are_found_in_the_data_folder(data: Path) -> None:
    test, english = (
        DataFile(f"toy/{name}", 2, sha256_of(data / "toy" / name))
        for name in ("test.tsv", "en.tsv")
    )
    (dataset,) = get_task("paraphraser").datasets
    toy = replace(dataset, input=test, gold=test, translations=(english,))
    pairs, _ = read(BOTH, toy, data)
    assert isinstance(pairs, RecordedPairs)
    assert pairs.left == ("Кот", "Кот")
    assert not pairs.scored.any()
    (translated,) = pairs.translations
    assert (translated.left, translated.right) == (("A cat", "A cat"), ("A dog", "A she-cat"))
    (data / "toy" / "en.tsv").unlink()
    said = r"toy/en.tsv: not found in .*DIR/toy/en.tsv; or type --run news-ru"
    with pytest.raises(MissingResourceError, match=said):
        read(BOTH, toy, data)
    assert len(read(RU, toy, data)[0]) == 2


def test_what_has_no_translation_is_refused(data: Path) -> None:
    file = DataFile("toy/test.tsv", 2, sha256_of(data / "toy" / "test.tsv"))
    (dataset,) = get_task("paraphraser").datasets
    with pytest.raises(StsError, match="comes without recorded translations; type --run news-ru"):
        read(BOTH, replace(dataset, input=file, translations=()), data)


def test_other_languages_and_translators_are_refused() -> None:
    (english,) = get_task("paws-wiki").datasets
    with pytest.raises(StsError, match="'news-ru' reads pairs in one of ru; wiki-test is in en"):
        read(RU, english, None)
    with pytest.raises(StsError, match="--translator apertium: .* leave it out"):
        check(RU, "apertium")


def test_it_learns_from_the_task_or_from_paraphraser() -> None:
    learned = RU.learns_from(get_task("dialogue2021-private"))
    assert [d.name for d in learned] == ["dialogue2021-0525"]
    assert RU.learns_from(get_task("sample")) == get_task("paraphraser").train
    assert not RU.ships("dialogue2021-private")
    assert (RU.can_ship, BOTH.can_ship) == (True, False)
