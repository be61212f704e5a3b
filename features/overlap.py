"""Words that stand in both sentences: n-grams, weighted matches, bag-of-words cosines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache

from features.numeric import f1, relative_difference, sparse_cosine
from features.registry import pairwise
from features.surface import DCU, TAKELAB
from sts.text import Sentence

RAREST = 1e-8
"""Frequency given to words that wordfreq does not list: below its smallest figure."""


@lru_cache(maxsize=1)
def _frequencies() -> dict[str, float]:
    from wordfreq import get_frequency_dict

    return dict(get_frequency_dict("en"))


@lru_cache(maxsize=1 << 18)
def information(word: str) -> float:
    """Information content −ln p(word) in nats, from 0 to 18.5, by wordfreq's English counts.

    TakeLab took p from the Google Books n-grams (Šarić et al., 2012, §2.3).
    """
    from math import log

    return -log(max(_frequencies().get(word, RAREST), RAREST))


def ngram_match(a: Sequence[str], b: Sequence[str], n: int) -> float:
    """F1 of the n-grams shared, each as often as it occurs; 1 if a side has none (TakeLab)."""
    left = Counter(tuple(a[i : i + n]) for i in range(len(a) - n + 1))
    right = Counter(tuple(b[i : i + n]) for i in range(len(b) - n + 1))
    if not left or not right:
        return 1.0
    shared = (left & right).total()
    return f1(shared / left.total(), shared / right.total())


def _register_ngrams(view: str, n: int, number: int) -> None:
    words_of: Callable[[Sentence], Sequence[str]] = {
        "content": lambda sentence: sentence.content,
        "lemma": lambda sentence: sentence.lemmas,
    }[view]

    @pairwise(f"{view}_{n}gram", "ngrams", f"{TAKELAB} f{number}")
    def column(a: Sentence, b: Sentence) -> float:
        return ngram_match(words_of(a), words_of(b), n)


for _number, (_view, _n) in enumerate(
    [(view, n) for view in ("content", "lemma") for n in (1, 2, 3)], start=8
):
    _register_ngrams(_view, _n, _number)


def weighted_match(a: Sequence[str], b: Sequence[str]) -> float:
    """F1 of the information shared: each common word counts by its content in nats."""
    left, right = Counter(a), Counter(b)
    shared = _total_information(left & right)
    left_total, right_total = _total_information(left), _total_information(right)
    if not left_total or not right_total:
        return 0.0
    return f1(shared / left_total, shared / right_total)


def _total_information(counted: Counter[str]) -> float:
    return sum(information(word) * count for word, count in counted.items())


@pairwise("weighted_word_match", "weighted", f"{TAKELAB} f15")
def weighted_word_match(a: Sentence, b: Sentence) -> float:
    """:func:`weighted_match` of all words."""
    return weighted_match(a.words, b.words)


@pairwise("weighted_lemma_match", "weighted", f"{TAKELAB} f16")
def weighted_lemma_match(a: Sentence, b: Sentence) -> float:
    """:func:`weighted_match` of the lemmas of the content words."""
    return weighted_match(a.lemmas, b.lemmas)


@pairwise("relative_len_difference", "length", f"{TAKELAB} f20")
def relative_len_difference(a: Sentence, b: Sentence) -> float:
    """Relative difference of the number of content words."""
    return relative_difference(len(a.content), len(b.content))


@pairwise("relative_ic_difference", "length", f"{TAKELAB} f21")
def relative_ic_difference(a: Sentence, b: Sentence) -> float:
    """Relative difference of the information content of all words."""
    return relative_difference(
        _total_information(Counter(a.words)), _total_information(Counter(b.words))
    )


@pairwise("cosine", "bag", DCU)
def cosine(a: Sentence, b: Sentence) -> float:
    """Cosine of the word counts."""
    return sparse_cosine(Counter(a.words), Counter(b.words))


@pairwise("cosine_icf", "bag", DCU)
def cosine_icf(a: Sentence, b: Sentence) -> float:
    """Cosine of the word counts, each times its inverse collection frequency −ln p."""
    return sparse_cosine(_icf(a), _icf(b))


def _icf(sentence: Sentence) -> dict[str, float]:
    return {word: n * information(word) for word, n in Counter(sentence.words).items()}
