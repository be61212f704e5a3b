"""Measures of machine translation, read as similarities: either side is the reference once."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from features.batch import Batch, Column
from features.families.word_alignment import align
from features.measures.counts import bags_of, dice
from features.registry import columnwise

LONGEST = 4


LIN_OCH = "Papineni et al. (2002), smoothed after Lin and Och (2004)"


@columnwise("bleu", "machine_translation", LIN_OCH)
def bleu(batch: Batch) -> Column:
    """Sentence BLEU-4 of lower-cased words, the mean of both directions.

    Counts of two words and more are raised by one (Lin and Och), so that a
    sentence without a common 4-gram is not 0.
    """
    logarithms = np.zeros((2, len(batch)))
    for n in range(1, LONGEST + 1):
        bags = bags_of(batch, "words", n)
        shared, plus = bags.shared(batch), float(n > 1)
        totals = np.stack([bags.totals()[side] for side in batch.pairs])
        precision = (shared + plus) / np.maximum(totals + plus, 1)
        logarithms += np.log(np.maximum(precision, 1e-12)) / LONGEST
    lengths = batch.view("words").sequences.lengths.astype(np.float64)
    left, right = (np.maximum(lengths[side], 1) for side in batch.pairs)
    nothing = bags_of(batch, "words").shared(batch) == 0
    forwards = np.exp(logarithms[0] + np.minimum(0, 1 - right / left))
    backwards = np.exp(logarithms[1] + np.minimum(0, 1 - left / right))
    return np.where(nothing, 0.0, np.minimum(1.0, (forwards + backwards) / 2))


def _spelled(batch: Batch) -> list[str]:
    """Each distinct sentence's words as one character each, for libraries that compare strings."""

    def make() -> list[str]:
        flat, offsets = batch.view("words").sequences
        # Code points that are no surrogates; a batch has far fewer words than there are of them.
        points = np.where(flat < 0xD800, flat, flat + 0x800).astype(np.uint32)
        text = points.tobytes().decode("utf-32-le")
        return [text[a:b] for a, b in pairwise(offsets)]

    return batch.once("spelled", make)


def compared(batch: Batch, texts: list[str], scorer: Callable[..., Any]) -> Column:
    """(n,) what one of rapidfuzz's scorers, from 0 to 1, says of two strings of each pair."""
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
    """Words to be inserted, deleted or replaced, by the words of the longer side."""
    from rapidfuzz.distance import Levenshtein

    return compared(batch, _spelled(batch), Levenshtein.normalized_distance)


@columnwise("character_edits", "characters", "Levenshtein (1966); rapidfuzz's Indel")
def character_edits(batch: Batch) -> Column:
    """2 · longest common subsequence of characters / characters of both sides."""
    from rapidfuzz.distance import Indel

    flat, offsets = batch.characters
    text = flat.tobytes().decode("utf-32-le", "surrogatepass")
    texts = [text[a:b] for a, b in pairwise(offsets)]
    return compared(batch, texts, Indel.normalized_similarity)


@columnwise("meteor", "machine_translation", "Banerjee and Lavie (2005), on our alignment")
def meteor(batch: Batch) -> Column:
    """Harmonic mean of aligned words, less a penalty for alignments in many pieces.

    Stages are those of our aligner: equal words, equal lemmas, near words. With
    equal weights of precision and recall it is symmetric; the penalty is the
    paper's, ½ · (chunks / aligned words)³.
    """
    found = align(batch)
    return found.words * (1 - 0.5 * found.chunks**3)


@columnwise("skip_bigram", "machine_translation", "Lin (2004), 5, ROUGE-SU4, F1")
def skip_bigram(batch: Batch) -> Column:
    """F1 of single words and of ordered pairs of words with at most four words between."""
    from features.measures.counts import skip_bags

    bags = skip_bags(batch, "words", gap=4)
    left, right = (bags.totals()[side] for side in batch.pairs)
    return dice(bags.shared(batch), left, right)
