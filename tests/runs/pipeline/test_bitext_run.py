"""Runs that compare languages: which encoder, which language, which score."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semaniacs.embeddings import loading
from semaniacs.embeddings.bitext import named_encoders
from semaniacs.embeddings.bitext.bitext_configuration import BitextTraining, Shape
from semaniacs.embeddings.bitext.named_encoders import BitextRecipe
from semaniacs.runs import recipes
from semaniacs.runs.pipeline.fitted_heads import BitextCosine
from semaniacs.runs.pipeline.fitting import fit
from semaniacs.runs.pipeline.model import Model
from semaniacs.runs.pipeline.recipe_parts import AS_IT_IS, Cosine, languages_of
from semaniacs.runs.pipeline.run import Run
from semaniacs.runs.pipeline.training_data import TrainingData
from semaniacs.runs.pipeline.tuning import bitext
from semaniacs.runs.recipes import RUNS
from semaniacs.sts.data.catalog import get_task
from semaniacs.sts.errors import StsError
from tests.runs.made_files import pairs_of, two_languages, write_corpus

SHIPPED = [
    run
    for run in RUNS.values()
    if run.name in loading.BUNDLED and getattr(run.main.head, "bitext", None)
]

MADE = BitextRecipe(
    "toy-bitext", ("es",), Shape("WORD", size=50, dim=8), BitextTraining(epochs=2, batch=4)
)
TOY = Run("toy-bitext", "words of a few pairs", head=Cosine(bitext=MADE), reads=AS_IT_IS)

BITEXT = [
    ("the dog runs", "el perro corre"),
    ("the cat sleeps", "el gato duerme"),
    ("the dog sleeps", "el perro duerme"),
    ("a cat runs", "un gato corre"),
    ("a bird sings", "un pájaro canta"),
]


@pytest.fixture
def model() -> Model:
    return Model(TOY, BitextCosine(Path("nowhere"), two_languages()))


def test_each_side_is_read_in_its_language(model: Model) -> None:
    pairs = pairs_of(("dog", "perro"), ("perro", "cat"), ("pan", "pan"), ("pan", "pan"))
    scores = model.predict(pairs, (["en", "es", "en", "es"], ["es", "en", "es", "es"]))
    np.testing.assert_allclose(scores, [4.99, 0, 0, 5])  # perro is dog, and is another text


def test_the_cosine_of_what_has_nothing_in_common_gives_0(model: Model) -> None:
    pairs, codes = pairs_of(("dog cat", "perro")), (["en"], ["es"])
    for unrelated, score in ((0.0, 3.54), (0.5, 2.07), (0.8, 0.0)):
        assert isinstance(model.head, BitextCosine)
        scaled = replace(model, head=replace(model.head, unrelated=unrelated))
        np.testing.assert_allclose(scaled.predict(pairs, codes), [score], atol=0.01)


def test_the_languages_of_official_sets_are_known() -> None:
    es_en = get_task("sts2016-es-en").datasets[0]
    rows = pairs_of(
        ("El perro corre por el parque.", "The dog runs in the park."),
        ("The dog runs in the park.", "El perro corre por el parque."),
    )
    assert languages_of(es_en, rows) == (["es", "en"], ["en", "es"])
    assert languages_of(get_task("sts2015-es").datasets[0], rows) == (["es"] * 2, ["es"] * 2)
    assert languages_of(get_task("sts2015").datasets[0], rows) == (["en"] * 2, ["en"] * 2)


# --- those that ship


@pytest.mark.parametrize("run", SHIPPED, ids=lambda run: run.name)
def test_the_file_that_ships_is_of_this_very_recipe(run: Any) -> None:
    assert run.ships()
    assert not run.with_seed(1).ships()
    made = replace(run.head.bitext, languages=("es",))
    assert not replace(run, head=Cosine(bitext=made)).ships()


def test_a_run_that_compares_languages_is_never_loaded_as_the_english_vectors() -> None:
    """Loading bitext-sp once gave the cosine of the bundled English vectors, and no error."""
    pairs = pairs_of(("The dog runs in the park.", "El perro corre por el parque."))
    raw, subwords = (Model.load(RUNS[name]) for name in ("raw", "bitext-sp"))
    assert set(subwords.head.encoders) >= {"en", "es"}
    assert not set(raw.head.hashes().values()) & set(subwords.head.hashes().values())
    assert subwords.predict(pairs) > raw.predict(pairs) + 1


# --- those that are learned first


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of official files, of which there are none, beside a folder of bitext."""
    write_corpus(tmp_path / "data" / "bitext" / "tatoeba.en-es.tsv.gz", BITEXT)
    (tmp_path / "data" / "sts").mkdir()
    monkeypatch.setattr(bitext, "held_out_sentences", lambda *_: {"a bird sings"})
    return tmp_path / "data" / "sts"


def test_an_encoder_is_learned_once_and_kept(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = fit(TOY, TrainingData(folder=data))
    (kept,) = (tmp_path / "cache" / "bitext").glob("*.safetensors")
    assert json.loads(loading.metadata_of(kept)["recipe"])["name"] == "toy-bitext"
    assert loading.metadata_of(kept)["pairs"] == "4"  # one is held out
    monkeypatch.setattr(named_encoders, "make", None)
    again = fit(TOY, TrainingData(folder=data.parent))  # the folder above is as good
    for code in ("en", "es"):
        one, other = first.head.encoders[code], again.head.encoders[code]
        np.testing.assert_array_equal(one.table, other.table)
        assert one.tokenizer.known == other.tokenizer.known
    assert "bird" not in one.tokenizer


def test_another_seed_or_bitext_is_another_encoder(data: Path, tmp_path: Path) -> None:
    fit(TOY, TrainingData(folder=data))
    run = TOY.with_seed(3)
    assert run.head.bitext.shape == replace(MADE.shape, seed=3)  # type: ignore
    fit(run, TrainingData(folder=data))
    write_corpus(data.parent / "bitext/news.en-es.tsv.gz", [("good news", "buenas noticias")])
    fit(TOY, TrainingData(folder=data))
    assert len(list((tmp_path / "cache" / "bitext").glob("*.safetensors"))) == 3


def test_without_bitext_it_says_what_is_wanted(tmp_path: Path) -> None:
    (tmp_path / "alone" / "sts").mkdir(parents=True)
    with pytest.raises(StsError, match=r"'toy-bitext' does not ship.*bitext/.*--data DIR"):
        fit(TOY, TrainingData(folder=tmp_path / "alone" / "sts"))


# --- on the command line


@pytest.fixture
def toy_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(recipes.RUNS, TOY.name, TOY)


def test_the_sample_is_scored_without_a_translator(
    cli: Any, toy_run: None, data: Path, tmp_path: Path
) -> None:
    arguments = ("--run", TOY.name, "--data", data, "--output", tmp_path / "out")
    ended = cli(*arguments)
    assert ended.code == 0, ended.err
    result = json.loads((tmp_path / "out" / "sample" / TOY.name / "results.json").read_text())
    assert set(result["signature"]["encoders"]) == {"en", "es"}
    assert result["signature"]["translators"] == []
    assert len(result["datasets"]) == 6


def test_a_translator_is_refused(cli: Any, toy_run: None, tmp_path: Path) -> None:
    said = ("--translator apertium", "reads sentences as they are", "leave it out")
    cli("--run", TOY.name, "--translator", "apertium").refused(*said)
