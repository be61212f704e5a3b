"""The crosslingual run: a translation read in English, the original read as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from runs.pipeline.bitext_run import BitextModel, BitextRun

from embeddings.bitext.multilingual import Multilingual
from embeddings.encoder import Encoder, SentenceEncoder
from embeddings.tokenizers.words import WordTokenizer
from runs.pipeline.run import Languages, Model, Run
from runs.pipeline.translate_pairs import TranslatedPairs
from runs.recipes import crosslingual2026
from runs.recipes.crosslingual2026 import CROSSLINGUAL, CrosslingualModel
from runs.recipes.ensemble2026 import FUSION
from sts.data.pairs import Pairs, Scores
from sts.errors import StsError
from tests.runs.made_files import pairs_of


@dataclass(frozen=True)
class Lengths(Model):
    """Scores a pair by the words of its left sentence."""

    run: Run

    @property
    def encoders(self) -> Mapping[str, SentenceEncoder]:
        return {}

    def compare(self, pairs: Pairs, languages: Languages | None = None) -> Scores:
        return np.array([float(len(text.split())) for text in pairs.left])

    def save_parts(self, folder: Path) -> dict[str, Any]:
        return {"encoders": {}}


@pytest.fixture
def model() -> CrosslingualModel:
    """dog and perro have one vector; cat stands at a right angle; pan means two things."""
    english = Encoder(WordTokenizer(["dog", "cat", "pan"], 1), np.eye(4, dtype=np.float32))
    turned = np.eye(4, dtype=np.float32)[[0, 1, 3, 2]]
    spanish = Encoder(WordTokenizer(["perro", "gato", "pan"], 1), turned)
    several = Multilingual({"en": english, "es": spanish})
    others = tuple(BitextModel(part.run, several, Path("x")) for part in CROSSLINGUAL.across)
    return CrosslingualModel(CROSSLINGUAL, Lengths(FUSION), others)


def translated(original: Pairs, left: str, *languages: str) -> TranslatedPairs:
    codes = [languages[0]] * len(original), [languages[1]] * len(original)
    sides = (left,) * len(original), original.right
    return TranslatedPairs(original.name, *sides, original.gold, original, codes)


def test_the_translation_and_the_original_are_each_read_where_they_belong(
    model: CrosslingualModel,
) -> None:
    weight = sum(part.weight for part in CROSSLINGUAL.across)
    pairs = pairs_of(("perro", "dog"), ("gato", "dog"), ("pan", "pan"))
    scores = model.predict(translated(pairs, "three words here", "es", "en"))
    expected = [(3 + 5 * weight) / (1 + weight), 3 / (1 + weight), 3 / (1 + weight)]
    np.testing.assert_allclose(scores, expected)


def test_pairs_that_nobody_translated_are_english(model: CrosslingualModel) -> None:
    weight = sum(part.weight for part in CROSSLINGUAL.across)
    scores = model.compare(pairs_of(("pan", "pan"), ("cat", "dog")))
    np.testing.assert_allclose(scores, [(1 + 5 * weight) / (1 + weight), 1 / (1 + weight)])
    assert model.languages == ("en",)


def test_its_encoders_are_those_of_all_its_models(model: CrosslingualModel) -> None:
    names = {f"{p.run.name}.{code}" for p in CROSSLINGUAL.across for code in ("en", "es")}
    assert set(model.encoders) == names


def test_it_learns_and_ships_as_its_english_run_does() -> None:
    assert CROSSLINGUAL.learns
    assert CROSSLINGUAL.ships() == FUSION.ships()
    assert not CROSSLINGUAL.ships("sts2016-es-en")
    seeded = CROSSLINGUAL.with_seed(3)
    assert seeded.digest != CROSSLINGUAL.digest
    assert seeded.english == replace(FUSION, seed=3)
    with pytest.raises(StsError, match="--seed -1"):
        CROSSLINGUAL.with_seed(-1)


def test_a_saved_model_is_read_again(
    model: CrosslingualModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BitextRun, "load", lambda run, _="": model.others[0])
    model.save(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"fusion.json", "crosslingual.json"}
    read = lambda run, folder: Lengths(run)  # noqa: E731
    monkeypatch.setattr(type(FUSION), "load", read)
    assert CROSSLINGUAL.load(tmp_path).english == model.english


def test_the_file_shows_how_to_run_it() -> None:
    assert f"--run {CROSSLINGUAL.name} " in (crosslingual2026.__doc__ or "")
