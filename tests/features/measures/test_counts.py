"""Bags of n-grams in compiled code, against plain Python's and scikit-learn's; shared formulas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semaniacs.embeddings.tokenizers.row_numbers import Ragged
from semaniacs.features.batch import Batch, set_f1, where_empty
from semaniacs.features.measures.counts import Bags, bags_of, character_bags, count, skip_bags
from tests.features.support import MakeBatch

Bag = Counter[Hashable]

SEQUENCES = st.lists(st.lists(st.integers(0, 4), max_size=9), min_size=1, max_size=5)
SENTENCES = st.lists(st.sampled_from("cat dog ship port 7 the".split()), max_size=9).map(" ".join)
PAIRS = st.lists(st.tuples(SENTENCES, SENTENCES), min_size=1, max_size=4)


def ngrams(words: Sequence[Hashable], n: int) -> Bag:
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def skips(words: Sequence[Hashable], gap: int) -> Bag:
    """Single words, and pairs of words with at most ``gap`` words between."""
    pairs = [
        (words[i], words[j])
        for i in range(len(words))
        for j in range(i + 1, len(words))
        if j - i - 1 <= gap
    ]
    return Counter([*words, *pairs])


def counts_of(bags: Bags) -> list[list[float]]:
    """The counts of each bag; the keys are hashes that cannot be read back."""
    spans = zip(bags.begins, bags.ends, strict=True)
    return [sorted(bags.counts[a:b].tolist()) for a, b in spans]


@given(SEQUENCES, st.integers(1, 4))
def test_count_is_pythons(sequences: list[list[int]], n: int) -> None:
    bags = count(Ragged.of(sequences), n)
    assert counts_of(bags) == [sorted(ngrams(sequence, n).values()) for sequence in sequences]
    for a, b in zip(bags.begins, bags.ends, strict=True):
        assert np.all(np.diff(bags.keys[a:b].astype(object)) > 0)  # ascending, distinct


def check(batch: Batch, bags: Bags, bag_of: Callable[[int], Bag]) -> None:
    """A bag of each sentence of the batch and a bag of Python's say the same of all pairs."""
    left, right = ([bag_of(row) for row in side] for side in batch.pairs)
    both = list(zip(left, right, strict=True))
    shared = [(a & b).total() for a, b in both]
    product = [sum(a[key] * b[key] for key in a) for a, b in both]
    np.testing.assert_array_equal(bags.shared(batch), shared)
    np.testing.assert_array_equal(bags.product(batch), product)
    for mine, theirs in zip(batch.pairs, (left, right), strict=True):
        np.testing.assert_array_equal(bags.totals()[mine], [bag.total() for bag in theirs])
        squares = [sum(n * n for n in bag.values()) for bag in theirs]
        np.testing.assert_array_equal(bags.squares()[mine], squares)


@given(PAIRS, st.integers(1, 4))
def test_ngrams_of_words(batch_of: MakeBatch, pairs: list[tuple[str, str]], n: int) -> None:
    batch = batch_of(*zip(*pairs, strict=True))
    words = [sentence.words for sentence in batch.sentences]
    check(batch, bags_of(batch, "words", n), lambda row: ngrams(words[row], n))


@given(PAIRS, st.integers(0, 5))
def test_skip_bigrams(batch_of: MakeBatch, pairs: list[tuple[str, str]], gap: int) -> None:
    batch = batch_of(*zip(*pairs, strict=True))
    words = [sentence.words for sentence in batch.sentences]
    check(batch, skip_bags(batch, "words", gap), lambda row: skips(words[row], gap))


@given(PAIRS, st.integers(1, 6))
def test_ngrams_of_characters(batch_of: MakeBatch, pairs: list[tuple[str, str]], n: int) -> None:
    batch = batch_of(*zip(*pairs, strict=True))
    texts = [sentence.text for sentence in batch.sentences]
    check(batch, character_bags(batch, n), lambda row: ngrams(texts[row], n))


def test_dice(batch_of: MakeBatch) -> None:
    # two of 3 + 4 words are shared; none is; one side is empty; both are
    batch = batch_of(["cat cat dog", "cat", "", ""], ["cat cat ship 7", "dog", "cat", ""])
    bags, weights = bags_of(batch, "words", 1), np.array([3.0, 1, 2, 4])
    np.testing.assert_allclose(bags.dice(batch), [4 / 7, 0, 0, 0])
    np.testing.assert_allclose(bags.dice(batch, weights), [12 / 19, 0, 0, 0])
    np.testing.assert_allclose(bags.dice(batch, neither=0.5, one=0.25), [4 / 7, 0, 0.25, 0.5])


def test_cosines_are_scikit_learns(batch_of: MakeBatch) -> None:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.metrics.pairwise import paired_cosine_distances

    rng = np.random.default_rng(0)
    vocabulary = "cat dog ship port seven the of saw".split()
    texts = [" ".join(rng.choice(vocabulary, rng.integers(1, 9))) for _ in range(60)]
    left, right = texts[:30], texts[30:]
    batch = batch_of(left, right)
    vectorizer = CountVectorizer(token_pattern=r"\S+").fit(texts)
    expected = 1 - paired_cosine_distances(vectorizer.transform(left), vectorizer.transform(right))
    np.testing.assert_allclose(bags_of(batch, "words", 1).cosines(batch), expected, atol=1e-12)


def test_f1_of_sets() -> None:
    some, more, none = frozenset("ab"), frozenset("bcd"), frozenset[str]()
    assert set_f1(some, more) == pytest.approx(2 / 5)
    assert set_f1(some, some) == set_f1(none, none) == 1.0
    assert set_f1(some, none) == set_f1(none, some) == set_f1(some, frozenset("c")) == 0.0


def test_sides_that_are_empty() -> None:
    left, right = np.array([2, 0, 3, 0]), np.array([1, 5, 0, 0])
    found = where_empty(np.full(4, 0.5), left, right, neither=1.0, one=0.25)
    np.testing.assert_array_equal(found, [0.5, 0.25, 0.25, 1.0])
