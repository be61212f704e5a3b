"""Words, n-grams, numbers, names and lengths that two sentences share, and translation measures.

A measure of machine translation takes each sentence as the reference of the other.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import lru_cache, partial
from itertools import pairwise as neighbours
from typing import Any

import numpy as np

from semaniacs.embeddings.tokenizers.row_numbers import Ragged
from semaniacs.features.batch import (
    Batch,
    Column,
    Gate,
    compressed_count,
    either,
    matched_f1,
    once,
    ratio,
    relative_differences,
    set_f1,
    shares_matched,
)
from semaniacs.features.families import DCU, MANY, TAKELAB
from semaniacs.features.measures.counts import bags_of, character_bags, skip_bags
from semaniacs.features.registry import columnwise, pairwise
from semaniacs.sts.text.analysis import HIGHEST_INFORMATION, Sentence

Found = frozenset[str]

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_STOCK = re.compile(r"\.[A-Z]+")


@lru_cache(maxsize=1 << 16)
def numbers(sentence: Sentence) -> Found:
    """The tokens that are numbers, without their thousands marks."""
    return frozenset([token.replace(",", "") for token in sentence.tokens if _is_number(token)])


def _is_number(token: str) -> bool:
    return token[0].isdigit() and _NUMBER.fullmatch(token) is not None


@lru_cache(maxsize=1 << 16)
def names(sentence: Sentence) -> Found:
    """Capitalised tokens after the first, abbreviations with a dot left out."""
    return frozenset(filter(_has_capital, sentence.tokens[1:]))


@lru_cache(maxsize=1 << 18)
def _has_capital(token: str) -> bool:
    return token[0].isupper() and not token.endswith(".")


@lru_cache(maxsize=1 << 16)
def stocks(sentence: Sentence) -> Found:
    """Stock index symbols such as ``.DJI``."""
    return frozenset(filter(_is_stock, sentence.tokens))


def _is_stock(token: str) -> bool:
    return token[0] == "." and _STOCK.fullmatch(token) is not None


def same_number(a: str, b: str) -> bool:
    """Whether two numbers agree to the precision of the less precise one.

    65, 65.2 and 65.234 agree with each other; 65.24 and 65.25 do not, nor do
    0.9 and 1: cut to whole numbers, one of them is 0.
    """
    if a == b:
        return True
    try:
        x, y = float(a), float(b)
    except ValueError:  # 1.2.3 is a version or a date, equal only to itself
        return False
    if math.isinf(x) or math.isinf(y):  # more than 308 digits
        return False
    if (int(x) == 0 or int(y) == 0) and int(x) != int(y):
        return False
    digits = min(_decimals(a), _decimals(b))
    if digits == 0:
        return int(x) == int(y) or round(x) == round(y)
    return int(x) == int(y) and abs(round(x, digits) - round(y, digits)) < 1e-9


def _decimals(number: str) -> int:
    return len(number.partition(".")[2])


@pairwise("number_count", "numbers", f"{TAKELAB} f1", high=MANY, where=either(_is_number))
def number_count(a: Sentence, b: Sentence) -> float:
    """log(1 + |N₁| + |N₂|)."""
    return compressed_count(len(numbers(a)), len(numbers(b)))


@pairwise("number_match", "numbers", f"{TAKELAB} f2", where=either(_is_number), elsewhere=1.0)
def number_match(a: Sentence, b: Sentence) -> float:
    """F1 of the numbers shared; 1 if there is none at all, 0 if only one side has some."""
    return matched_f1(numbers(a), numbers(b), same_number)


@pairwise("number_subset", "numbers", f"{TAKELAB} f3", where=either(_is_number))
def number_subset(a: Sentence, b: Sentence) -> float:
    """1 if one side's numbers all stand in the other; 0 otherwise and if there are none."""
    left, right = numbers(a), numbers(b)
    if not left or not right:
        return float(bool(left or right))
    return float(max(shares_matched(left, right, same_number)) == 1.0)


def _register(
    name: str,
    group: str,
    number: int,
    find: Callable[[Sentence], Found],
    where: Gate | None = None,
) -> None:
    @pairwise(f"{name}_count", group, f"{TAKELAB} f{number}", high=MANY, where=where)
    def count(a: Sentence, b: Sentence) -> float:
        """log(1 + how many there are on both sides)."""
        return compressed_count(len(find(a)), len(find(b)))

    @pairwise(f"{name}_match", group, f"{TAKELAB} f{number + 1}", where=where, elsewhere=1.0)
    def match(a: Sentence, b: Sentence) -> float:
        """F1 of those shared; 1 if a side has none."""
        left, right = find(a), find(b)
        return set_f1(left, right) if left and right else 1.0


_register("case", "names", 4, names)
_register("stock", "stocks", 6, stocks, either(_is_stock))


@columnwise("det_1", "determiners", DCU)
def det_1(batch: Batch) -> Column:
    """F1 of the determiners shared; 1 if there is none at all, 0 if only one side has some.

    The paper names det_1 and det_2 and does not define them; this is our reading.
    """
    return bags_of(batch, "determiners", 1).dice(batch, neither=1.0)


@columnwise("det_2", "determiners", DCU)
def det_2(batch: Batch) -> Column:
    """Relative difference of the number of determiners (our reading, see :func:`det_1`)."""
    return relative_differences(*batch.sides(bags_of(batch, "determiners", 1).totals()))


def ngram_match(batch: Batch, view: str, n: int) -> Column:
    """F1 of the n-grams shared, each as often as it occurs; 1 if a side has none (TakeLab)."""
    return bags_of(batch, view, n).dice(batch, neither=1.0, one=1.0)


for _view, _first in (("content", 8), ("lemmas", 11)):
    for _n in (1, 2, 3):
        columnwise(
            f"{_view.removesuffix('s')}_{_n}gram", "ngrams", f"{TAKELAB} f{_first + _n - 1}"
        )(partial(ngram_match, view=_view, n=_n))


def weighted_match(batch: Batch, view: str) -> Column:
    """F1 of the information shared: each common word counts by its content in nats."""
    return bags_of(batch, view, 1).dice(batch, batch.information(view))


columnwise("weighted_word_match", "weighted", f"{TAKELAB} f15")(
    partial(weighted_match, view="words")
)
columnwise("weighted_lemma_match", "weighted", f"{TAKELAB} f16")(
    partial(weighted_match, view="lemmas")
)


def containment(batch: Batch, weighted: bool) -> Column:
    """How much of the smaller side's content lemmas the other has; 1 if a side has none."""
    bags = bags_of(batch, "lemmas", 1)
    weights = batch.information("lemmas") if weighted else None
    smaller = np.minimum(*batch.sides(bags.totals(weights)))
    return ratio(bags.shared(batch, weights), smaller, otherwise=1.0)


columnwise("lemma_containment", "containment", "Broder (1997), 2, on lemmas")(
    partial(containment, weighted=False)
)
columnwise("weighted_containment", "containment", "Broder (1997), 2, by information")(
    partial(containment, weighted=True)
)


@columnwise("cosine", "bag", DCU)
def cosine(batch: Batch) -> Column:
    """Cosine of the word counts."""
    return bags_of(batch, "words", 1).cosines(batch)


@columnwise("cosine_icf", "bag", DCU)
def cosine_icf(batch: Batch) -> Column:
    """Cosine of the word counts, each times its inverse collection frequency −ln p."""
    return bags_of(batch, "words", 1).cosines(batch, batch.information("words"))


def _character_match(batch: Batch, n: int) -> Column:
    """F1 of the character n-grams shared, each as often as it occurs; 0 if a side has none."""
    return character_bags(batch, n).dice(batch)


for _n in (2, 3, 4, 5):
    columnwise(
        f"character_{_n}gram",
        "characters",
        "Dice (1945), on character n-grams as in Bär et al. (2012), UKP, 3.1",
    )(partial(_character_match, n=_n))


@columnwise("chrf", "machine_translation", "Popović (2015), chrF1: n from 1 to 6, β = 1")
def chrf(batch: Batch) -> Column:
    """Harmonic mean of the average character n-gram precision and recall, n from 1 to 6.

    β = 1 makes it symmetric. As in the reference implementation, an n longer than either text is
    left out of the average. Between words stands one blank, which counts as a character.
    """
    precision, recall, orders = (np.zeros(len(batch)) for _ in range(3))
    for n in range(1, 7):
        bags = character_bags(batch, n)
        left, right = batch.sides(bags.totals())
        shared = bags.shared(batch)
        precision += ratio(shared, left)
        recall += ratio(shared, right)
        orders += (left > 0) & (right > 0)
    return ratio(2 * precision * recall, (precision + recall) * np.maximum(orders, 1))


@columnwise("relative_len_difference", "length", f"{TAKELAB} f20")
def relative_len_difference(batch: Batch) -> Column:
    """Relative difference of the number of content words."""
    lengths = batch.view("content").sequences.lengths.astype(np.float64)
    return relative_differences(*batch.sides(lengths))


@columnwise("relative_ic_difference", "length", f"{TAKELAB} f21")
def relative_ic_difference(batch: Batch) -> Column:
    """Relative difference of the information content of all words."""
    totals = bags_of(batch, "words", 1).totals(batch.information("words"))
    return relative_differences(*batch.sides(totals))


@columnwise("relative_character_difference", "length", "plain count")
def relative_character_difference(batch: Batch) -> Column:
    """Relative difference of the number of characters."""
    lengths = batch.characters.lengths.astype(np.float64)
    return relative_differences(*batch.sides(lengths))


@columnwise(
    "information_density", "length", "information content by word", high=HIGHEST_INFORMATION
)
def information_density(batch: Batch) -> Column:
    """Information a word, both sides together, in nats: what kind of text this is; 0 if none."""
    totals = bags_of(batch, "words", 1).totals(batch.information("words"))
    counts = batch.view("words").sequences.lengths.astype(np.float64)
    return ratio(np.add(*batch.sides(totals)), np.add(*batch.sides(counts)))


@columnwise("shorter_length", "length", "plain count", high=8.0)
def shorter_length(batch: Batch) -> Column:
    """log(1 + words) of the shorter side."""
    lengths = batch.view("words").sequences.lengths
    return np.asarray(np.log1p(np.minimum(*batch.sides(lengths))), np.float64)


LIN_OCH = "Papineni et al. (2002), smoothed after Lin and Och (2004)"


@columnwise("bleu", "machine_translation", LIN_OCH)
def bleu(batch: Batch) -> Column:
    """Sentence BLEU-4 of lower-cased words, the mean of both directions; 0 without a common word.

    Counts of n-grams of two words and more are raised by one (Lin and Och), so that a sentence
    without a common 4-gram is not 0.
    """
    logarithms = np.zeros((2, len(batch)))
    for n in range(1, 5):
        bags = bags_of(batch, "words", n)
        shared, plus = bags.shared(batch), float(n > 1)
        totals = np.stack(batch.sides(bags.totals()))
        precision = (shared + plus) / np.maximum(totals + plus, 1)
        logarithms += np.log(np.maximum(precision, 1e-12)) / 4
    lengths = batch.view("words").sequences.lengths.astype(np.float64)
    left, right = batch.sides(np.maximum(lengths, 1))
    forwards = np.exp(logarithms[0] + np.minimum(0, 1 - right / left))
    backwards = np.exp(logarithms[1] + np.minimum(0, 1 - left / right))
    nothing = bags_of(batch, "words", 1).shared(batch) == 0
    return np.where(nothing, 0.0, np.minimum(1.0, (forwards + backwards) / 2))


def _strings(points: Ragged) -> list[str]:
    text = points.flat.astype(np.uint32).tobytes().decode("utf-32-le", "surrogatepass")
    return [text[begin:end] for begin, end in neighbours(points.offsets)]


@once
def _spelled(batch: Batch) -> list[str]:
    flat, offsets = batch.view("words").sequences
    # Surrogates are no characters. A batch has far fewer words than there are code points.
    return _strings(Ragged(np.where(flat < 0xD800, flat, flat + 0x800), offsets))


def compared(batch: Batch, texts: list[str], scorer: Callable[..., Any]) -> Column:
    """(n,) the value in [0, 1] of a scorer of ``rapidfuzz.distance``, of texts by sentence."""
    from rapidfuzz.process import cpdist

    left, right = ([texts[row] for row in side] for side in batch.pairs)
    scores = cpdist(left, right, scorer=scorer, workers=1, dtype=np.float32)
    return np.asarray(scores, np.float64)


@columnwise("rouge_l", "machine_translation", "Lin (2004), 3, F1")
def rouge_l(batch: Batch) -> Column:
    """2 · longest common subsequence of words / words of both sides."""
    from rapidfuzz.distance import Indel

    return compared(batch, _spelled(batch), Indel.normalized_similarity)


@columnwise("edit_rate", "machine_translation", "Snover et al. (2006), TER without shifts")
def edit_rate(batch: Batch) -> Column:
    """Words to be inserted, deleted or replaced, divided by the words of the longer side."""
    from rapidfuzz.distance import Levenshtein

    return compared(batch, _spelled(batch), Levenshtein.normalized_distance)


@columnwise("character_edits", "characters", "Levenshtein (1966); rapidfuzz's Indel")
def character_edits(batch: Batch) -> Column:
    """2 · longest common subsequence of characters / characters of both sides."""
    from rapidfuzz.distance import Indel

    return compared(batch, _strings(batch.characters), Indel.normalized_similarity)


@columnwise("skip_bigram", "machine_translation", "Lin (2004), 5, ROUGE-SU4, F1")
def skip_bigram(batch: Batch) -> Column:
    """F1 of single words and of ordered pairs of words with at most four words between."""
    return skip_bags(batch, "words", 4).dice(batch)
