"""Character n-grams against scikit-learn's and chrF against sacrebleu's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from features.batch import Batch
from features.registry import get_feature
from tests.features.support import MakeBatch, Value

LEFT = [
    "The cat sat on the mat.", "Cats", "a", "It isn't here!", "aaaa aaa", "日本語の文",
    "naïve café",
    "one two three four five six seven",
]  # fmt: skip
RIGHT = [
    "The cats were sitting on mats.", "cat", "b", "It is not there?", "aaa aaaa", "日本の文",
    "cafe",
    "seven six five four three two one",
]  # fmt: skip


@pytest.fixture(scope="module")
def pairs(batch_of: MakeBatch) -> Batch:
    return batch_of(LEFT, RIGHT)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_dice_of_scikit_learns_character_ngrams(pairs: Batch, n: int) -> None:
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(analyzer="char", ngram_range=(n, n)).fit([*LEFT, *RIGHT])
    a, b = (vectorizer.transform(side).toarray() for side in (LEFT, RIGHT))
    shared, all_of_both = np.minimum(a, b).sum(axis=1), (a + b).sum(axis=1)
    expected = np.divide(2 * shared, all_of_both, out=np.zeros(len(LEFT)), where=all_of_both > 0)
    np.testing.assert_allclose(get_feature(f"character_{n}gram").compute(pairs), expected)


def by_sacrebleu(left: Sequence[str], right: Sequence[str]) -> list[float]:
    """Its sentence chrF with β = 1, words not counted, blanks kept: symmetric, in [0, 1]."""
    from sacrebleu.metrics.chrf import CHRF

    metric = CHRF(char_order=6, word_order=0, beta=1, lowercase=True, whitespace=True)
    return [metric.sentence_score(a, [b]).score / 100 for a, b in zip(left, right, strict=True)]


def test_chrf_is_sacrebleus(pairs: Batch) -> None:
    column = get_feature("chrf").compute(pairs)
    np.testing.assert_allclose(column, by_sacrebleu(LEFT, RIGHT), atol=1e-12)


@pytest.mark.parametrize("name", ["character_2gram", "character_3gram", "chrf"])
def test_blanks_and_capitals_do_not_matter(value: Value, name: str) -> None:
    assert value(name, "  The\tCAT ", "the cat") == 1.0
    assert value(name, "“cat’s”", '"cat\'s"') == 1.0  # quotes as one types them


@pytest.mark.parametrize("name", [f"character_{n}gram" for n in (2, 3, 4, 5)] + ["chrf"])
def test_nothing_is_like_nothing(value: Value, name: str) -> None:
    assert value(name, "", "") == value(name, "", "cat") == value(name, "dog", "axe") == 0.0
