"""Pairs to a matrix; what is here, what is not, and the command that brings it."""

from __future__ import annotations

import numpy as np
import pytest

from semaniacs.features.registry import FeatureColumns, describe_missing, get_feature
from semaniacs.features.resources import SPACES, Resources
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.errors import UnknownNameError
from tests.features.support import make_encoder

COLUMNS = (
    "number_count", "case_match", "content_1gram", "lemma_2gram", "wn_sim_match",
    "weighted_word_match", "dist_sim", "weighted_dist_sim_daily", "relative_ic_difference",
    "paraphrase1", "paraphrase2", "cosine_icf", "product_w2v", "nn_w2v", "cosine", "det_2",
)  # fmt: skip
"""Some of every kind, six of which need a resource."""


def make_pairs(name: str, *rows: tuple[str, str]) -> Pairs:
    left, right = zip(*rows, strict=True)
    return Pairs(name, left, right, np.linspace(0, 5, len(rows)))


BOATS = make_pairs(
    "boats",
    ("The ship left the port with 7 cats.", "A ship sailed from its port; 7 cats were on it."),
    ("Dogs sleep in New York.", "It isn't a dog's life in York!"),
    ("😀", "汉字"),
)
STOCKS = make_pairs(
    "stocks",
    (".DJI fell 3.5 % in May", "The U.S. index .DJI was down by 3.52 %"),
    ("The dog runs", "The dog runs"),
    (" ", "of the"),
    ("The cat sleeps", "A ship"),
)


def test_an_unknown_column() -> None:
    with pytest.raises(UnknownNameError, match="unknown feature 'cosin'"):
        FeatureColumns(["cosin"]).compute(BOATS)


class Nothing(Resources):
    """A machine on which nothing is installed."""

    def missing(self, name: str) -> str | None:
        return f"bring {name.partition('-')[0]}"


def test_without_a_resource_its_columns_are_nan() -> None:
    columns = FeatureColumns(COLUMNS, Nothing())
    matrix = columns.compute(BOATS)
    absent = [bool(get_feature(name).needs) for name in COLUMNS]
    assert sum(absent) == 6  # WordNet, two of LSA, both paraphrase, nn_w2v
    np.testing.assert_array_equal(np.isnan(matrix), np.tile(absent, (3, 1)))


def test_missing_names_the_command() -> None:
    columns = ["det_1", "dist_sim", "wn_sim_match", "weighted_dist_sim_daily", "paraphrase1"]
    absent = FeatureColumns(columns, Nothing()).missing()
    assert absent == {
        "dist_sim": "bring lsa",
        "wn_sim_match": "bring wordnet",
        "weighted_dist_sim_daily": "bring lsa",
        "paraphrase1": "bring paraphrase1",
    }
    assert describe_missing(absent)[:2] == [
        "without dist_sim, weighted_dist_sim_daily; NaN for this run. To have it: bring lsa",
        "without wn_sim_match; NaN for this run. To have it: bring wordnet",
    ]
    assert describe_missing({}) == []


ENCODER = make_encoder([[1, 0], [0, 1], [1, 1]], "cat", "dog")


def test_the_spaces_that_ship() -> None:
    resources = Resources()
    assert list(resources.spaces) == list(SPACES)
    for space in resources.spaces.values():
        near, far = space.similarity(["train"], ["station", "money"])[0]
        assert near > far


def test_a_long_text_is_compared_in_parts_and_its_end_counts() -> None:
    begin = "The dog runs in the park. " * 150
    left, right = begin + "A child sings. " * 60, begin + "Stocks fell again. " * 60
    columns = FeatureColumns(["content_1gram", "character_edits"])
    with pytest.warns(UserWarning, match=r"some texts have more than 1,000 tokens; .* parts"):
        matrix = columns.compute(make_pairs("long", (left, right), (right, left), ("a", "b")))
    assert 0.5 < matrix[0, 0] < 0.95
    np.testing.assert_array_equal(matrix[0], matrix[1])
    np.testing.assert_array_equal(matrix[2], columns.compute(make_pairs("short", ("a", "b")))[0])
