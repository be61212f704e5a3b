"""Rules that hold of every registered feature, with the resources that ship.

The features of the transformer, which does not ship, are in test_contextual.py.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.features.registry import FeatureColumns, all_features, get_feature
from semaniacs.features.resources import Resources
from semaniacs.sts.data.pairs import Pairs, concatenate
from tests.features.support import real_pairs

NAMES = [feature.name for feature in all_features() if feature.group != "contextual"]
Matrix = NDArray[np.float64]

NASTY = [
    "", " ", "!!!", "...", "😀 👍🏽", "😀", "汉字", "Это кошка", "مرحبا", "こんにちは 世界",
    "ﬁn ½ ２",
    "e\u0301tude", "a\u2028b", "\ud800", "\0", "_", "1.2.3", "0", "0.4", "1,200", "1" * 400,
    "2" * 400, "٣", "U.S.", ".DJI", ".", "?", "n't", "'s", "//", "x" * 300, "the of", "İ", "ß",
    "\u200b", "million", "twenty five", "2015",
]  # fmt: skip
PLAIN = (
    "the a his cat cats dog Dog ship port sleeps runs ran quickly red New York not 7 65.2 is , . "
    "who May Monday US hot cold two"
).split()
SENTENCES = st.one_of(
    st.lists(st.sampled_from(PLAIN), max_size=9).map(" ".join),
    st.lists(st.sampled_from(PLAIN + NASTY), max_size=6).map(" ".join),
    st.text(max_size=12),
)
SAMPLE = Pairs(
    "sample",
    ("The ship left the port with 7 cats.", "😀", "Who isn't in New York?", "the of", " "),
    ("A ship sailed; seven cats were on it.", "汉字", "It's a dog's life in York!", "of", "the"),
    np.full(5, np.nan),
)

repeatable = settings(derandomize=True, deadline=None, database=None, max_examples=60)


def hashing_encoder(seed: int) -> Encoder:
    """Every word has one of fifty random rows: stands in for a tuned encoder."""
    rows = np.random.default_rng(seed).standard_normal((50, 8)).astype(np.float32)
    return Encoder(WordTokenizer([], 50), rows)


@pytest.fixture(scope="module")
def real() -> Resources:
    return Resources({"paraphrase1": hashing_encoder(1), "paraphrase2": hashing_encoder(2)})


@pytest.fixture(scope="module")
def present(real: Resources) -> list[str]:
    """The columns whose resources are here: all but those of transformers on a bare machine."""
    return [name for name in NAMES if not any(map(real.missing, get_feature(name).needs))]


@pytest.fixture(scope="module")
def extractor(real: Resources, present: list[str]) -> FeatureColumns:
    return FeatureColumns(present, real)


@pytest.fixture(scope="module")
def headlines(sts_data: Path) -> Pairs:
    return real_pairs("headlines", 120, sts_data)


def pair(left: str, right: str) -> Pairs:
    return Pairs("one", (left,), (right,), np.full(1, np.nan))


def turned(pairs: Pairs) -> Pairs:
    return pairs.with_sentences(pairs.right, pairs.left)


def differing(names: list[str], a: Matrix, b: Matrix) -> list[str]:
    """The columns that are not the same, bit for bit."""
    return [
        name for column, name in enumerate(names) if not np.array_equal(a[:, column], b[:, column])
    ]


# Finite, in range, the same either way round


def check(extractor: FeatureColumns, pairs: Pairs) -> None:
    names = list(extractor.names)
    matrix = extractor.compute(pairs)
    assert differing(names, matrix, extractor.compute(turned(pairs))) == []
    for name, column in zip(names, matrix.T, strict=True):
        feature = get_feature(name)
        assert np.isfinite(column).all(), name
        assert feature.low - 1e-12 <= column.min(), name
        assert column.max() <= feature.high + 1e-12, name


@repeatable
@given(SENTENCES, SENTENCES)
@example("1" * 400, "2" * 400)
@example("neither nor", "nothing")
def test_soup(extractor: FeatureColumns, left: str, right: str) -> None:
    check(extractor, pair(left, right))


def test_nasty_sentences(extractor: FeatureColumns) -> None:
    left = [a for a in NASTY for _ in NASTY]
    check(
        extractor, Pairs("nasty", tuple(left), tuple(NASTY * len(NASTY)), np.full(len(left), 0.0))
    )
    plain = ("The cat saw 3 dogs in New York on Monday.",) * len(NASTY)
    check(extractor, Pairs("nasty", tuple(NASTY), plain, np.full(len(NASTY), 0.0)))


def test_real_sentences(extractor: FeatureColumns, headlines: Pairs) -> None:
    check(extractor, headlines)


# The same pair has the same row everywhere


def check_rows(extractor: FeatureColumns, pairs: Pairs, before: Pairs) -> None:
    names = list(extractor.names)
    matrix = extractor.compute(pairs)
    order = np.random.default_rng(0).permutation(len(pairs))
    shuffled = pairs.with_sentences([pairs.left[i] for i in order], [pairs.right[i] for i in order])
    assert differing(names, extractor.compute(shuffled), matrix[order]) == []
    behind = extractor.compute(concatenate([before, pairs]))[len(before) :]
    assert differing(names, behind, matrix) == []
    for i in range(min(len(pairs), 40)):
        alone = pairs.select(np.arange(len(pairs)) == i)
        assert differing(names, extractor.compute(alone), matrix[[i]]) == []


def test_a_pair_has_one_row_in_every_file(extractor: FeatureColumns) -> None:
    rng = np.random.default_rng(1)
    soup = [" ".join(rng.choice(PLAIN + NASTY, 8)) for _ in range(40)]
    check_rows(extractor, Pairs("soup", tuple(soup[:20]), tuple(soup[20:]), np.zeros(20)), SAMPLE)


def test_a_real_pair_has_one_row_in_every_file(
    extractor: FeatureColumns, headlines: Pairs, sts_data: Path
) -> None:
    check_rows(extractor, headlines, real_pairs("images", 30, sts_data))


# A sentence with itself


def test_every_feature_is_expected_to_be_something() -> None:
    assert set(WITH_ITSELF) == set(NAMES)


_TABLE = Path(__file__).with_name("with_itself.tsv").read_text("utf-8").splitlines()[1:]
WITH_ITSELF = dict(line.split("\t") for line in _TABLE)
"""Values by feature; "any" where there is none in general."""


@repeatable
@given(st.lists(st.sampled_from([*PLAIN, "😀", "汉字", "½"]), max_size=9).map(" ".join))
@example("")
@example(".")
@example("😀")
@example("the of")
@example("cat")
@example("cat cat the cat")
def test_a_sentence_is_most_like_itself(extractor: FeatureColumns, text: str) -> None:
    (row,) = extractor.compute(pair(text, text))
    for name, value in zip(extractor.names, row, strict=True):
        if WITH_ITSELF[name] != "any":
            assert value == pytest.approx(float(WITH_ITSELF[name]), abs=2e-6), name
