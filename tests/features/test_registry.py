"""The registry: a feature is registered once, under one name, and says what it is."""

from __future__ import annotations

import re

import numpy as np
import pytest

from semaniacs.features.registry import all_features, columnwise, get_feature, pairwise
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


def test_a_name_is_registered_once() -> None:
    with pytest.raises(ValueError, match="'cosine' is registered twice"):
        columnwise("cosine", "bag", "test")(lambda batch: np.zeros(len(batch)))
    with pytest.raises(ValueError, match="'det_1' is registered twice"):
        pairwise("det_1", "bag", "test")(lambda a, b: 0.0)
    assert [feature.name for feature in all_features()] == NAMES


def test_a_pairwise_feature_is_computed_pair_by_pair(batch_of: MakeBatch) -> None:
    column = get_feature("case_count").compute(batch_of(["the Cat"] * 2, ["the Cat", "his cat"]))
    np.testing.assert_allclose(column, np.log1p([2, 1]))
    assert column.dtype == np.float64
