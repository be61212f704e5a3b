"""BLEU, ROUGE, edit distances, METEOR, against the libraries that others use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from features.batch import Batch
from features.registry import get_feature
from sts.text.analysis import Sentence
from tests.features.support import MakeBatch, Value, real_pairs

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
    """Of all pairs whose sides have that many words."""
    pairs: Batch = request.getfixturevalue(batch)
    column = get_feature(name).compute(pairs)
    seen = 0
    for a, b, value in zip(pairs.left, pairs.right, column, strict=True):
        if min(len(a.words), len(b.words)) >= fewest:
            seen += 1
            assert value == pytest.approx(twin(a, b), abs=1e-6), (a.text, b.text)
    assert seen >= 10


# METEOR


def test_meteor_is_nltks_but_for_its_weights(value: Value) -> None:
    """NLTK's with α = ½ for the harmonic mean, where every word is aligned with its equal."""
    from nltk.stem.api import StemmerI
    from nltk.translate.meteor_score import single_meteor_score

    class Same(StemmerI):
        def stem(self, token: str) -> str:
            return token

    class NoSynonyms:
        def synsets(self, word: str) -> list[object]:
            return []

    for left, right in [("cat dog ship", "ship cat dog"), ("cat dog saw port", "saw port cat dog")]:
        expected = single_meteor_score(
            left.split(), right.split(), stemmer=Same(), wordnet=NoSynonyms(), alpha=0.5
        )
        assert value("meteor", left, right) == pytest.approx(expected)
