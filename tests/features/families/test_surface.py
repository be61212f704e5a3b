"""n-grams, information, bags and translation measures, against the libraries that others use."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from semaniacs.features.batch import Batch
from semaniacs.features.families.surface import ngram_match, weighted_match
from semaniacs.features.registry import get_feature
from semaniacs.sts.text.analysis import Sentence, information
from tests.features.support import MakeBatch, Value, real_pairs


@pytest.mark.parametrize(
    ("left", "right", "n", "expected"),
    [
        ("a b c", "a b c", 3, 1.0),
        ("a a b", "a b", 1, 2 * (2 / 3) / (2 / 3 + 1)),  # 2 of 3 and 2 of 2: 0.8
        ("a b a b", "a b", 2, 2 * (1 / 3) / (1 / 3 + 1)),  # {ab: 2, ba: 1} and {ab: 1}
        ("a b", "a", 2, 1.0),  # a side without bigrams
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


@pytest.mark.parametrize("word", ["the", "cat", "xylophone"])
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


@pytest.mark.parametrize("n", [2, 5])
def test_dice_of_scikit_learns_character_ngrams(pairs: Batch, n: int) -> None:
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(analyzer="char", ngram_range=(n, n)).fit([*LEFT, *RIGHT])
    a, b = (vectorizer.transform(side).toarray() for side in (LEFT, RIGHT))
    shared, all_of_both = np.minimum(a, b).sum(axis=1), (a + b).sum(axis=1)
    expected = np.divide(2 * shared, all_of_both, out=np.zeros(len(LEFT)), where=all_of_both > 0)
    np.testing.assert_allclose(get_feature(f"character_{n}gram").compute(pairs), expected)


def by_sacrebleu(left: Sequence[str], right: Sequence[str]) -> list[float]:
    """Sentence chrF of sacrebleu with β = 1, words not counted, blanks kept: symmetric, in [0, 1]."""
    from sacrebleu.metrics.chrf import CHRF

    metric = CHRF(char_order=6, word_order=0, beta=1, lowercase=True, whitespace=True)
    return [metric.sentence_score(a, [b]).score / 100 for a, b in zip(left, right, strict=True)]


def test_chrf_is_sacrebleus(pairs: Batch) -> None:
    column = get_feature("chrf").compute(pairs)
    np.testing.assert_allclose(column, by_sacrebleu(LEFT, RIGHT), atol=1e-12)


@pytest.mark.parametrize("name", ["character_3gram", "chrf"])
def test_blanks_and_capitals_do_not_matter(value: Value, name: str) -> None:
    assert value(name, "  The\tCAT ", "the cat") == 1.0
    assert value(name, "“cat’s”", '"cat\'s"') == 1.0  # quotes as one types them


@pytest.mark.parametrize("name", ["character_2gram", "chrf"])
def test_nothing_is_like_nothing(value: Value, name: str) -> None:
    assert value(name, "", "") == value(name, "", "cat") == value(name, "dog", "axe") == 0.0


Twin = Callable[[Sentence, Sentence], float]

WORDS = "cat dog ship port seven the of saw".split()


@pytest.fixture(scope="module")
def drawn(batch_of: MakeBatch) -> Batch:
    """Sixty pairs of one to nine words, many of them repeated."""
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(WORDS, rng.integers(1, 10))) for _ in range(120)]
    return batch_of(texts[:60], texts[60:])


@pytest.fixture(scope="module")
def real(batch_of: MakeBatch, sts_data: Path) -> Batch:
    data = real_pairs("headlines", 100, sts_data)
    return batch_of(data.left, data.right)


# Twins


def bleu_of_nltk(a: Sentence, b: Sentence) -> float:
    """The mean of both directions, smoothed as by Lin and Och (2004)."""
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    smooth = SmoothingFunction().method2
    forwards = sentence_bleu([b.words], a.words, smoothing_function=smooth)
    backwards = sentence_bleu([a.words], b.words, smoothing_function=smooth)
    return float(forwards + backwards) / 2


class Words:
    """Gives rouge-score our words; its own tokenizer drops all but a-z and 0-9."""

    def tokenize(self, text: str) -> list[str]:
        return text.split()


def rouge_of_google(a: Sentence, b: Sentence) -> float:
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rougeL"], tokenizer=Words())
    return float(scorer.score(" ".join(a.words), " ".join(b.words))["rougeL"].fmeasure)


def rouge_su4_by_hand(a: Sentence, b: Sentence) -> float:
    """Single words, and pairs of words with up to four between (Lin, 2004, 5)."""

    def units(words: Sequence[str]) -> list[tuple[str, ...]]:
        pairs = combinations(range(len(words)), 2)
        return [(w,) for w in words] + [(words[i], words[j]) for i, j in pairs if j - i <= 5]

    left, right = units(a.words), units(b.words)
    unmatched, shared = list(right), 0
    for unit in left:
        if unit in unmatched:
            unmatched.remove(unit)
            shared += 1
    return 2 * shared / (len(left) + len(right))


def edits_of_nltk(a: Sentence, b: Sentence) -> float:
    from nltk.metrics import edit_distance

    return float(edit_distance(a.words, b.words) / max(len(a.words), len(b.words)))


def character_edits_of_nltk(a: Sentence, b: Sentence) -> float:
    """A substitution costs as much as a deletion and an insertion: Indel."""
    from nltk.metrics import edit_distance

    left, right = (" ".join(s.text.lower().split()) for s in (a, b))
    distance = edit_distance(left, right, substitution_cost=2)
    return float(1 - distance / (len(left) + len(right)))


@pytest.mark.parametrize("batch", ["drawn", "real"])
@pytest.mark.parametrize(
    ("name", "twin", "fewest"),
    [
        # NLTK takes a sentence too short for n-grams for one with one n-gram that is not shared,
        # with a smoothed precision of 1/2. Ours is 1, so that a sentence of three words is as much
        # like itself as one of four.
        ("bleu", bleu_of_nltk, 4),
        ("rouge_l", rouge_of_google, 1),
        ("skip_bigram", rouge_su4_by_hand, 1),
        ("edit_rate", edits_of_nltk, 1),
        ("character_edits", character_edits_of_nltk, 1),
    ],
)
def test_a_column_is_what_its_twin_says(
    request: pytest.FixtureRequest, batch: str, name: str, twin: Twin, fewest: int
) -> None:
    """Only pairs whose sides have that many words are compared."""
    pairs: Batch = request.getfixturevalue(batch)
    column = get_feature(name).compute(pairs)
    seen = 0
    for a, b, value in zip(pairs.left, pairs.right, column, strict=True):
        if min(len(a.words), len(b.words)) >= fewest:
            seen += 1
            assert value == pytest.approx(twin(a, b), abs=1e-6), (a.text, b.text)
    assert seen >= 10
