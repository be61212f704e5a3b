"""n-grams, information, containment, lengths, bags of words."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from features.families.surface import ngram_match, weighted_match
from features.measures.formulas import information
from tests.features.support import MakeBatch, Value


@pytest.mark.parametrize(
    ("left", "right", "n", "expected"),
    [
        ("a b c", "a b c", 3, 1.0),
        ("a b c", "c b a", 2, 0.0),
        ("a a b", "a b", 1, 2 * (2 / 3) / (2 / 3 + 1)),  # 2 of 3 and 2 of 2: 0.8
        ("a a a", "a", 1, 2 * (1 / 3) / (1 / 3 + 1)),  # 1 of 3 and 1 of 1: 0.5
        ("a b a b", "a b", 2, 2 * (1 / 3) / (1 / 3 + 1)),  # {ab: 2, ba: 1} and {ab: 1}
        ("a b", "a", 2, 1.0),  # a side without bigrams
        ("", "a", 1, 1.0),
        ("", "", 1, 1.0),
    ],
)
def test_ngram_match(batch_of: MakeBatch, left: str, right: str, n: int, expected: float) -> None:
    both = batch_of([left, right], [right, left])
    np.testing.assert_allclose(ngram_match(both, "words", n), [expected, expected])


def test_ngram_match_is_the_f_measure_of_nltk(batch_of: MakeBatch) -> None:
    from nltk.metrics import f_measure
    from nltk.util import ngrams

    rng = random.Random(0)
    drawn = [[rng.sample("bcdefg", rng.randint(3, 6)) for _ in range(100)] for _ in range(2)]
    batch = batch_of(*([" ".join(words) for words in side] for side in drawn))
    for n in (1, 2, 3):
        pairs = zip(*drawn, strict=True)
        expected = [f_measure(set(ngrams(a, n)), set(ngrams(b, n))) or 0.0 for a, b in pairs]
        np.testing.assert_allclose(ngram_match(batch, "words", n), expected)


@pytest.mark.parametrize("word", "the a of cat dog ship quick ubiquitous xylophone".split())
def test_information_is_wordfreqs(word: str) -> None:
    from wordfreq import zipf_frequency

    # a Zipf value is log₁₀ of the frequency in 10⁹ words
    assert information(word) == pytest.approx((9 - zipf_frequency(word, "en")) * math.log(10))


def test_weighted_match_by_hand(batch_of: MakeBatch) -> None:
    the, cat, dog = map(information, ("the", "cat", "dog"))
    # shared: the + cat; left the + cat + dog, right the + cat + cat
    shared, left, right = the + cat, the + cat + dog, the + 2 * cat
    expected = 2 * (shared / left) * (shared / right) / (shared / left + shared / right)
    batch = batch_of(["the cat dog", "the cat dog"], ["cat the cat", "the cat dog"])
    np.testing.assert_allclose(weighted_match(batch, "words"), [expected, 1.0], rtol=1e-5)


@pytest.mark.parametrize("name", ["lemma_containment", "weighted_containment"])
def test_containment(value: Value, name: str) -> None:
    assert value(name, "The big red cats slept", "A cat") == 1.0  # all of the smaller side
    assert value(name, "A dog", "A cat") == 0.0
    assert value(name, "", "A cat") == value(name, "the of", "cat") == value(name, "", "") == 1.0
    assert value(name, "cat cat cat", "cat cat dog ship") < 1.0  # each as often as it occurs
