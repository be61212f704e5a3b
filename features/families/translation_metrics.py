"""Measures of machine translation as similarities: each sentence is the reference of the other."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from embeddings.tokenizers.ragged import Ragged
from features.batch import Batch, Column, once
from features.families.word_alignment import align
from features.measures.counts import bags_of, skip_bags
from features.registry import columnwise

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
    """Each sequence of code points as a string."""
    text = points.flat.astype(np.uint32).tobytes().decode("utf-32-le", "surrogatepass")
    return [text[begin:end] for begin, end in pairwise(points.offsets)]


@once
def _spelled(batch: Batch) -> list[str]:
    """Each distinct sentence with one character a word, for libraries that compare strings."""
    flat, offsets = batch.view("words").sequences
    # Surrogates are no characters. A batch has far fewer words than there are code points.
    return _strings(Ragged(np.where(flat < 0xD800, flat, flat + 0x800), offsets))


def compared(batch: Batch, texts: list[str], scorer: Callable[..., Any]) -> Column:
    """(n,) the value in [0, 1] of one of rapidfuzz's scorers for the texts of both sides.

    Args:
        batch: the n pairs.
        texts: a string for each distinct sentence.
        scorer: of ``rapidfuzz.distance``.
    """
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


@columnwise("meteor", "machine_translation", "Banerjee and Lavie (2005), on our alignment")
def meteor(batch: Batch) -> Column:
    """Harmonic mean of aligned words, less a penalty for alignments in many pieces.

    Words are aligned as in the features ``aligned_…``: equal words, equal lemmas, similar words.
    Precision and recall have the same weight, which makes it symmetric. The penalty is the
    paper's, ½ · (chunks / aligned words)³.
    """
    found = align(batch)
    return found.words * (1 - 0.5 * found.chunks**3)


@columnwise("skip_bigram", "machine_translation", "Lin (2004), 5, ROUGE-SU4, F1")
def skip_bigram(batch: Batch) -> Column:
    """F1 of single words and of ordered pairs of words with at most four words between."""
    return skip_bags(batch, "words", 4).dice(batch)
