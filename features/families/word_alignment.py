"""Word alignment: each word with one partner on the other side, and what has a partner.

Identical runs first, then content words by their similarity and that of their neighbours, then
function words beside aligned words, after Sultan, Bethard and Sumner (2014). It differs in two ways:
words are similar by our vectors, not by the paraphrase database, and neighbours are those in the
text, not in a parse.
"""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.compiled import kernel
from semaniacs.embeddings.tokenizers.row_numbers import Ragged
from semaniacs.features.batch import Batch, Column, Flags, once
from semaniacs.features.families.soft_matching import cosines
from semaniacs.features.measures.word_order import kinds as at
from semaniacs.features.measures.word_order.block_alignment import align_words
from semaniacs.features.measures.word_order.phrases import find_phrases, look_around
from semaniacs.features.registry import columnwise
from semaniacs.sts.text.analysis import HIGHEST_INFORMATION
from semaniacs.sts.text.tokenizer import is_word

SULTAN = "Sultan et al. (2014), 3; Sultan et al. (2015), eq. 1"

Words = NDArray[np.int64]


class AlignedWords(NamedTuple):
    """The words of n pairs, aligned; see :func:`.block_alignment.align_words`."""

    left: Words
    right: Words
    left_begins: NDArray[np.int64]
    right_begins: NDArray[np.int64]
    similar: Column
    starts: NDArray[np.int64]
    blocks: Words
    counts: NDArray[np.int64]
    longest: NDArray[np.int64]


@once
def aligned_words(batch: Batch) -> AlignedWords:
    """Return the words of every pair, aligned, with what is known of them."""
    words, offsets = _words(batch)
    cosine, starts = cosines(batch, "words")
    turned, (left, right) = turned_round(batch), batch.pairs
    places = Ragged(np.arange(len(words)), offsets)  # type: ignore[arg-type]
    one = places.take(np.where(turned, right, left))
    two = places.take(np.where(turned, left, right))
    a, b = words[one.flat], words[two.flat]
    similar, runs = np.zeros(len(cosine)), np.zeros((len(a), 4), np.int64)
    counts, longest = np.zeros((2, len(batch)), np.int64)
    align_words(
        a, b, one.offsets, two.offsets, turned, cosine, starts, similar, runs, counts, longest
    )
    return AlignedWords(a, b, one.offsets, two.offsets, similar, starts, runs, counts, longest)


def turned_round(batch: Batch) -> Flags:
    """(n,) which pairs are looked at from the right, so that both ways round are the same."""
    sides = zip(batch.left, batch.right, strict=True)
    return np.array([b.text < a.text for a, b in sides], np.bool_)


@once
def _words(batch: Batch) -> tuple[Words, NDArray[np.int64]]:
    flat, offsets = batch.view("words").sequences
    tagged, tokens = batch.tagged, batch.tagged_tokens
    of_word = tagged.sequences.flat
    plain = np.array([is_word(token) for token, _ in tokens.words], bool)[tokens.sequences.flat]
    words = np.full((len(flat), at.COLUMNS), -1)
    words[:, at.WORD], words[:, at.LEMMA] = flat, batch.view("all lemmas").sequences.flat
    words[:, at.KIND] = np.array([at.kind(*word) for word in tagged.words], np.int64)[of_word]
    words[:, at.MARK] = _marks(plain, tokens.sequences.offsets, offsets)
    _look(words, offsets)
    return words, offsets


@kernel(nogil=True)
def _look(words, offsets):
    for s in range(len(offsets) - 1):
        sentence = words[offsets[s] : offsets[s + 1]]
        find_phrases(sentence)
        look_around(sentence)


def _marks(plain: Flags, tokens: NDArray[np.int64], offsets: NDArray[np.int64]) -> Flags:
    """(words,) whether a mark stands before each word that is not its sentence's first."""
    counts = np.diff(np.concatenate([[0], np.cumsum(plain)])[tokens])
    lengths = np.diff(offsets)
    same = counts == lengths  # else it is of marks alone, which are its words
    marks = np.zeros(offsets[-1], np.bool_)
    behind = np.concatenate([[False], ~plain[:-1]])
    marks[np.repeat(same, lengths)] = behind[plain][np.repeat(same, counts)]
    marks[offsets[:-1][lengths > 0]] = False
    return marks


class Aligned(NamedTuple):
    """(n,) each, what is aligned in a pair.

    Attributes:
        content, words: share of the content words, of all words, that are aligned; 1 if there
            is none.
        weighted: the same of content words, by information.
        similar: like ``content``, each aligned word counting by its similarity.
        order: share of the pairs of aligned content words that keep their order; 1 if there is
            none.
        heaviest: information of the heaviest content word that is not aligned, in nats.
        run: the longest identical run of words, as a share of the shorter side.
    """

    content: Column
    words: Column
    weighted: Column
    similar: Column
    order: Column
    heaviest: Column
    run: Column


@once
def align(batch: Batch) -> Aligned:
    """Return what is aligned in every pair."""
    found = np.zeros((len(batch), 7))
    words, weights = aligned_words(batch), batch.information("words")
    begins = words.left_begins, words.right_begins
    _describe_all(
        words.left, words.right, *begins, words.similar, words.starts, words.longest, weights, found
    )
    return Aligned(*found.T)


def partners(batch: Batch, pair: int) -> NDArray[np.int64]:
    """Return the place of the right word that each left word of a pair is aligned with; −1 for none."""
    words = aligned_words(batch)
    side, begins = (
        (words.right, words.right_begins)
        if turned_round(batch)[pair]
        else (words.left, words.left_begins)
    )
    return side[begins[pair] : begins[pair + 1], at.PARTNER]


@kernel(nogil=True)
def _describe_all(left, right, left_begins, right_begins, similar, starts, longest, weights, found):
    for p in range(len(found)):
        a = left[left_begins[p] : left_begins[p + 1]]
        b = right[right_begins[p] : right_begins[p + 1]]
        _describe(a, b, similar[starts[p] : starts[p] + len(a) * len(b)], weights, found[p])
        found[p, 6] = longest[p] / max(1, min(len(a), len(b)))


@kernel(nogil=True)
def _describe(a, b, similar, weights, found):
    sums = np.zeros(4)  # content words, those that are aligned; their information
    _weigh(a, weights, sums, found)
    _weigh(b, weights, sums, found)
    similarity = concordant = compared = 0.0
    aligned = 0
    for i in range(len(a)):
        j = a[i, at.PARTNER]
        aligned += j >= 0
        if j < 0 or a[i, at.KIND] < at.CONTENT:
            continue
        similarity += similar[i * len(b) + j]
        for k in range(i):
            if a[k, at.PARTNER] >= 0 and a[k, at.KIND] >= at.CONTENT:
                compared += 1
                concordant += a[k, at.PARTNER] < j
    everything = len(a) + len(b)
    found[0] = sums[1] / sums[0] if sums[0] > 0 else 1.0
    found[1] = 2 * aligned / everything if everything > 0 else 1.0
    found[2] = sums[3] / sums[2] if sums[2] > 0 else 1.0
    found[3] = 2 * similarity / sums[0] if sums[0] > 0 else 1.0
    found[4] = concordant / compared if compared > 0 else 1.0


@kernel(nogil=True)
def _weigh(words, weights, sums, found):
    for i in range(len(words)):
        if words[i, at.KIND] < at.CONTENT:
            continue
        information = weights[words[i, at.WORD]]
        sums[0] += 1
        sums[2] += information
        if words[i, at.PARTNER] >= 0:
            sums[1] += 1
            sums[3] += information
        else:
            found[5] = max(found[5], information)


def _part_of_alignment(batch: Batch, part: str) -> Column:
    column: Column = getattr(align(batch), part)
    return column


for _name, _part, _high in (
    ("aligned_content", "content", 1.0),
    ("aligned_words", "words", 1.0),
    ("aligned_weighted", "weighted", 1.0),
    ("aligned_similarity", "similar", 1.0),
    ("aligned_order", "order", 1.0),
    ("unaligned_information", "heaviest", HIGHEST_INFORMATION),
    ("longest_run", "run", 1.0),
):
    columnwise(_name, "alignment", SULTAN, high=_high)(partial(_part_of_alignment, part=_part))
