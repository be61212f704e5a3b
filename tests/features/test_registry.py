"""The registry: a feature is registered once, under one name, and says what it is."""

from __future__ import annotations

import csv
import re
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semaniacs.features import registry
from semaniacs.features.registry import all_features, columnwise, get_feature, pairwise
from semaniacs.features.resources import INSTALL
from semaniacs.sts.errors import UnknownNameError
from tests.features.support import MakeBatch

NAMES = [feature.name for feature in all_features()]


def test_every_feature_says_what_it_is() -> None:
    for feature in all_features():
        assert re.fullmatch(r"[a-z0-9_-]+", feature.name)
        assert re.fullmatch(r"[a-z0-9_]+", feature.group)
        assert feature.source
        assert feature.low < feature.high


def test_every_feature_is_described_in_one_sentence() -> None:
    sentences = [feature.about for feature in all_features()]
    for sentence in sentences:
        assert re.fullmatch(r"[A-Z][^\n]{10,110}\.", sentence), sentence
    assert len({*sentences}) == len(sentences)


def written_in(compute: Any) -> str:
    """The family of the function that a column is computed by."""
    while isinstance(compute, partial):
        compute = compute.keywords.get("function", compute.func)
    family: str = compute.__module__.removeprefix("semaniacs.features.families.")
    return family


def test_the_table_names_the_family_of_every_feature() -> None:
    path = Path(registry.__file__).with_name("descriptions.tsv")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    found = {feature.name: written_in(feature.compute) for feature in all_features()}
    assert {row["column"]: row["family"] for row in rows} == found
    assert len(rows) == len(found)


def test_every_resource_ships_or_can_be_brought() -> None:
    needed = {name for feature in all_features() for name in feature.needs}
    fitted_or_bundled = {
        "wordnet", "minilm",
        "paraphrase1", "paraphrase2", "paragram", "paragram-small", "bitext-teacher:ru",
        "bitext-sp:ru", "minilm_tuned", "minilm_cross",
    }  # fmt: skip
    assert needed - set(INSTALL) == fitted_or_bundled


def test_a_name_is_registered_once() -> None:
    with pytest.raises(ValueError, match="'cosine' is registered twice"):
        columnwise("cosine", "bag", "test")(lambda batch: np.zeros(len(batch)))
    with pytest.raises(ValueError, match="'det_1' is registered twice"):
        pairwise("det_1", "bag", "test")(lambda a, b: 0.0)
    assert [feature.name for feature in all_features()] == NAMES


def test_an_unknown_name_lists_the_names_there_are() -> None:
    with pytest.raises(UnknownNameError, match="'cosin'; choose one of: .*cosine_icf"):
        get_feature("cosin")


def test_a_pairwise_feature_is_computed_pair_by_pair(batch_of: MakeBatch) -> None:
    column = get_feature("case_count").compute(batch_of(["the Cat"] * 2, ["the Cat", "his cat"]))
    np.testing.assert_allclose(column, np.log1p([2, 1]))
    assert column.dtype == np.float64
