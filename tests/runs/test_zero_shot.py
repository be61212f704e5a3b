"""The run ``paws-any``: English as it is, other languages by their quantiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semaniacs.features.registry import FeatureColumns
from semaniacs.features.regressors.quantile_map import Quantiles
from semaniacs.runs.pipeline.fitted_heads import FittedColumns
from semaniacs.runs.pipeline.fitting import fit
from semaniacs.runs.pipeline.model import Model
from semaniacs.runs.pipeline.recipe_parts import Classifier
from semaniacs.runs.pipeline.training_data import TrainingData
from semaniacs.runs.pipeline.translate_pairs import Translating
from semaniacs.runs.recipes.zeroshot2026 import OTHERS, PAWS_ANY
from semaniacs.sts.data.catalog import PAWS_WIKI_DEV, DataFile, get_task
from semaniacs.sts.data.fetch import load, locate
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.errors import DataError, StsError

COLUMNS = ("shorter_length", "cosine")
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
def model() -> FittedColumns:
    """What maps German lengths from 1 … 2 to 11 … 21, and nothing that scores."""
    unlike = _quantiles(1, 2)
    quantiles: Mapping[str, Quantiles] = {
        "en": _quantiles(11, 21),
        "de": unlike,
        "es": unlike,
        "fr": unlike,
    }
    features: Any = FeatureColumns(COLUMNS)
    nothing: Any = None
    return FittedColumns(features, nothing, languages=("en", *OTHERS), quantiles=quantiles)


def test_english_stays_as_it_is_and_german_is_mapped(model: FittedColumns) -> None:
    plain = model.features.compute(PAIRS)
    found = model.describe(PAIRS, CODES)
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
    (tree,) = PAWS_ANY.head.regressors  # type: ignore[union-attr]
    few = replace(
        tree, options=(*(o for o in tree.options if o[0] != "n_estimators"), ("n_estimators", 5))
    )
    run = replace(PAWS_ANY, columns=COLUMNS, head=Classifier((few,), mapped=OTHERS))
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
