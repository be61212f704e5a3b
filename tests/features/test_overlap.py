"""n-grams, information, bags of words."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable

import pytest

from features.overlap import RAREST, information, ngram_match, weighted_match

Value = Callable[[str, str, str], float]


@pytest.mark.parametrize(
    ("a", "b", "n", "expected"),
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
def test_ngram_match(a: str, b: str, n: int, expected: float) -> None:
    assert ngram_match(a.split(), b.split(), n) == pytest.approx(expected)
    assert ngram_match(b.split(), a.split(), n) == pytest.approx(expected)


def test_ngram_match_is_the_f_measure_of_nltk() -> None:
    from nltk.metrics import f_measure
    from nltk.util import ngrams

    rng = random.Random(0)
    for _ in range(100):
        a, b = (rng.sample("abcdef", rng.randint(3, 6)) for _ in range(2))
        for n in (1, 2, 3):
            expected = f_measure(set(ngrams(a, n)), set(ngrams(b, n)))
            assert ngram_match(a, b, n) == pytest.approx(expected or 0.0)


def test_content_and_lemma_ngrams_differ(value: Value) -> None:
    assert value("content_1gram", "the dogs ran", "a dog runs") == 0.0
    assert value("lemma_1gram", "the dogs ran", "a dog runs") == 1.0


@pytest.mark.parametrize("word", "the a of cat dog ship quick ubiquitous xylophone".split())
def test_information_is_wordfreqs(word: str) -> None:
    from wordfreq import zipf_frequency

    # a Zipf value is log₁₀ of the frequency in 10⁹ words
    assert information(word) == pytest.approx((9 - zipf_frequency(word, "en")) * math.log(10))


def test_information_of_words_not_listed() -> None:
    assert information("qqzzxy") == information("xqzzy'") == pytest.approx(-math.log(RAREST))
    assert information("qqzzxy") == pytest.approx(18.42, abs=0.005)
    assert 0 < information("the") < information("cat") < information("xylophone")
    assert information("xylophone") < information("qqzzxy")


def test_weighted_match_by_hand() -> None:
    the, cat, dog = map(information, ("the", "cat", "dog"))
    # shared: the + cat; left the + cat + dog, right the + cat + cat
    shared, left, right = the + cat, the + cat + dog, the + 2 * cat
    expected = 2 * (shared / left) * (shared / right) / (shared / left + shared / right)
    a, b = ["the", "cat", "dog"], ["cat", "the", "cat"]
    assert weighted_match(a, b) == pytest.approx(expected)
    assert weighted_match(a, a) == pytest.approx(1.0)


def test_weighted_match_with_nothing_is_0() -> None:
    assert weighted_match([], ["cat"]) == weighted_match([], []) == 0.0
    assert weighted_match(["cat"], ["dog"]) == 0.0


def test_a_rare_word_weighs_more_than_a_frequent_one(value: Value) -> None:
    rare = value("weighted_word_match", "the xylophone", "a xylophone")
    frequent = value("weighted_word_match", "the xylophone", "the violin")
    assert rare > 0.6
    assert frequent < 0.4


PAIRS = [
    ("The cat saw the dog, the big one.", "A dog saw the cat!"),
    ("It isn't here", "It is not there"),
    ("cat cat cat", "Cat"),
    ("ships sail", "dogs bark"),
]


@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_the_cosines_are_scikit_learns(value: Value, left: str, right: str) -> None:
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.metrics.pairwise import cosine_similarity

    from sts.text import words

    counts = [Counter(words(text)) for text in (left, right)]
    weighted = [{word: n * information(word) for word, n in count.items()} for count in counts]
    for name, bags in (("cosine", counts), ("cosine_icf", weighted)):
        matrix = DictVectorizer().fit_transform(bags)
        expected = cosine_similarity(matrix[0], matrix[1]).item()
        assert value(name, left, right) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["cosine", "cosine_icf"])
def test_a_blank_sentence_is_like_nothing(value: Value, name: str) -> None:
    assert value(name, "", "cat") == value(name, "", "") == 0.0


def test_lengths_of_blank_sentences(value: Value) -> None:
    for name in ("relative_len_difference", "relative_ic_difference"):
        assert value(name, "", "") == 0.0
        assert value(name, "", "cat") == 1.0
