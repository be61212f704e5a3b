"""Which word of one sentence is aligned with which word of the other.

A monolingual word aligner after Sultan, Bethard and Sumner (2014): identical
runs first, then content words by their own similarity and that of their
neighbours, then stop words beside what is aligned already. It was the base of
DLS@CU, first in 2014 and 2015 (Sultan et al., 2015). What differs: words are
similar by the cosine of our vectors rather than by the paraphrase database,
and neighbours stand in the text, not in a parse. Each word is aligned once.
"""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from embeddings.compiled.kernel import kernel
from features.batch import Batch, Column, once
from features.families.soft_alignment import cosines
from features.registry import columnwise
from sts.text.tokenizer import STOP_WORDS

SULTAN = "Sultan et al. (2014), 3; Sultan et al. (2015), eq. 1"

CLOSEST = 0.45
"""Cosine from which two different words can be aligned."""

OWN = 0.9
"""Weight of a word's own similarity against that of its neighbours (Sultan et al., 2014, 3.4)."""

WINDOW = 3
"""Neighbours on each side that are looked at (ibid., 3.3)."""

_STOP, _DIGITS = 1, 2


class Aligned(NamedTuple):
    """(n,) each, what the aligner found in a pair.

    Attributes:
        content, words: share of the content words, of all words, that are aligned; 1 if there
            is none.
        weighted: the same of content words, by information.
        similar: like ``content``, each aligned word counting by its similarity.
        order: share of the pairs of aligned content words that keep their order; 1 if there is
            none.
        heaviest: information of the heaviest content word that is not aligned, in nats.
        run: the longest identical run of words, as a share of the shorter side.
        chunks: pieces in which all aligned words are adjacent on both sides, by aligned words.
    """

    content: Column
    words: Column
    weighted: Column
    similar: Column
    order: Column
    heaviest: Column
    run: Column
    chunks: Column


@once
def align(batch: Batch) -> Aligned:
    """Every pair, aligned."""
    return Aligned(*_found(batch)[0].T)


def partners(batch: Batch, pair: int) -> NDArray[np.int64]:
    """The place of the right word that each left word of a pair is aligned with; -1 for none."""
    _, partner, starts = _found(batch)
    return partner[starts[pair] : starts[pair + 1]]


@once
def _found(batch: Batch) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """(n, 8) the columns, the partners of the left words of all pairs, where each pair's begin."""
    view = batch.view("words")
    left, right = batch.pairs
    starts = np.concatenate([[0], np.cumsum(view.sequences.lengths[left])])
    partner, found = np.full(starts[-1], -1), np.zeros((len(batch), 8))
    kinds = np.fromiter(map(_kind, view.words), np.uint8, len(view.words))
    lemmas = batch.view("all lemmas").sequences.flat
    _align(*view.sequences, lemmas, kinds, batch.information("words"), left, right,
           *cosines(batch, "words"), starts, partner, found)  # fmt: skip
    return found, partner, starts


def _kind(word: str) -> int:
    """Stop words are aligned last; numbers only with themselves."""
    digits = not word.isalpha() and any(map(str.isdigit, word))
    return _STOP * (word in STOP_WORDS) | _DIGITS * digits


@kernel(nogil=True)
def _align(
    flat, offsets, lemmas, kinds, informations, left, right, values, begins, starts, partners, found
):
    for p in range(len(left)):
        first, second = offsets[left[p]], offsets[right[p]]
        a, b = flat[first : offsets[left[p] + 1]], flat[second : offsets[right[p] + 1]]
        m, n = len(a), len(b)
        similar = np.zeros(m * n)
        for i in range(m):
            for j in range(n):
                cosine = np.float64(values[begins[p] + i * n + j])
                if a[i] == b[j] or lemmas[first + i] == lemmas[second + j]:
                    similar[i * n + j] = 1.0
                elif (kinds[a[i]] | kinds[b[j]]) == 0 and cosine >= CLOSEST:
                    similar[i * n + j] = cosine
        partner, back = partners[starts[p] : starts[p + 1]], np.empty(n, np.int64)
        for j in range(n):
            back[j] = -1
        longest = _align_runs(a, b, kinds, partner, back)
        _align_content(a, b, kinds, similar, partner, back)
        _align_stop_words(a, b, kinds, similar, partner, back)
        _describe(a, b, kinds, informations, similar, partner, back, found[p])
        found[p, 6] = longest / max(1, min(m, n))
        found[p, 7] = _chunks(partner)


@kernel(nogil=True)
def _align_runs(a, b, kinds, partner, back):
    """Align identical runs of two or more words with a content word, longest first."""
    m, n = len(a), len(b)
    lengths, heavy = np.empty(n, np.int64), np.empty(n, np.int64)  # of the runs that end at i and j
    longest_of_all = 0
    while True:
        longest, end_a, end_b = 1, 0, 0
        for j in range(n):
            lengths[j] = heavy[j] = 0
        for i in range(m):
            length_before = heavy_before = 0  # of the run that ends at i − 1 and j − 1
            for j in range(n):
                length = weight = 0
                if a[i] == b[j] and partner[i] < 0 and back[j] < 0:
                    length = length_before + 1
                    weight = heavy_before + 1 - (kinds[a[i]] & _STOP)
                    if length > longest and weight > 0:
                        longest, end_a, end_b = length, i, j
                length_before, heavy_before = lengths[j], heavy[j]
                lengths[j], heavy[j] = length, weight
        if longest < 2:
            return longest_of_all
        longest_of_all = max(longest_of_all, longest)
        for k in range(longest):
            partner[end_a - k], back[end_b - k] = end_b - k, end_a - k


@kernel(nogil=True)
def _align_content(a, b, kinds, similar, partner, back):
    """Align content words, the best own and neighbours' similarity first."""
    m, n = len(a), len(b)
    places, scores = np.empty(m * n, np.int64), np.empty(m * n)
    count = 0
    for i in range(m):
        if partner[i] >= 0 or kinds[a[i]] & _STOP:
            continue
        for j in range(n):
            if back[j] < 0 and similar[i * n + j] > 0 and not kinds[b[j]] & _STOP:
                context = _context(a, b, kinds, similar, i, j)
                apart = abs(i / m - j / n)  # decides between equals
                places[count] = i * n + j
                scores[count] = OWN * similar[i * n + j] + (1 - OWN) * context - 1e-6 * apart
                count += 1
    while True:
        best, place = 0.0, 0
        for x in range(count):
            if scores[x] > best and partner[places[x] // n] < 0 and back[places[x] % n] < 0:
                best, place = scores[x], places[x]
        if best <= 0:
            return
        partner[place // n], back[place % n] = place % n, place // n


@kernel(nogil=True)
def _context(a, b, kinds, similar, i, j):
    """Σ similarity over the content words near both words."""
    m, n = len(a), len(b)
    total = 0.0
    for k in range(max(0, i - WINDOW), min(m, i + WINDOW + 1)):
        for l in range(max(0, j - WINDOW), min(n, j + WINDOW + 1)):  # noqa: E741
            if k != i and l != j and not (kinds[a[k]] | kinds[b[l]]) & _STOP:
                total += similar[k * n + l]
    return total


@kernel(nogil=True)
def _align_stop_words(a, b, kinds, similar, partner, back):
    """Align equal stop words that have a neighbour aligned with a neighbour, from left to right."""
    m, n = len(a), len(b)
    for i in range(m):
        if partner[i] >= 0 or not kinds[a[i]] & _STOP:
            continue
        best, choice = 0, -1
        for j in range(n):
            if back[j] >= 0 or not kinds[b[j]] & _STOP or similar[i * n + j] <= 0:
                continue
            support = 0
            for k in range(max(0, i - WINDOW), min(m, i + WINDOW + 1)):
                support += k != i and partner[k] >= 0 and abs(partner[k] - j) <= WINDOW
            if support > best:
                best, choice = support, j
        if choice >= 0:
            partner[i], back[choice] = choice, i


@kernel(nogil=True)
def _chunks(partner):
    """Pieces of the alignment by aligned words; 0 if it is all in one piece or empty."""
    aligned = chunks = 0
    expected = -1
    for i in range(len(partner)):
        if partner[i] >= 0:
            aligned += 1
            chunks += partner[i] != expected
            expected = partner[i] + 1
        else:
            expected = -1
    return chunks / aligned if chunks > 1 else 0.0


@kernel(nogil=True)
def _describe(a, b, kinds, informations, similar, partner, back, found):
    """Fill in the columns of :class:`Aligned` up to ``heaviest``."""
    sums = np.zeros(4)  # content words, those that are aligned; their information
    _weigh(a, kinds, informations, partner, sums, found)
    _weigh(b, kinds, informations, back, sums, found)
    similarity = concordant = compared = 0.0
    aligned = 0
    for i in range(len(a)):
        aligned += partner[i] >= 0
        if partner[i] < 0 or kinds[a[i]] & _STOP:
            continue
        similarity += similar[i * len(b) + partner[i]]
        for k in range(i):
            if partner[k] >= 0 and not kinds[a[k]] & _STOP:
                compared += 1
                concordant += partner[k] < partner[i]
    everything = len(a) + len(b)
    found[0] = sums[1] / sums[0] if sums[0] > 0 else 1.0
    found[1] = 2 * aligned / everything if everything > 0 else 1.0
    found[2] = sums[3] / sums[2] if sums[2] > 0 else 1.0
    found[3] = 2 * similarity / sums[0] if sums[0] > 0 else 1.0
    found[4] = concordant / compared if compared > 0 else 1.0


@kernel(nogil=True)
def _weigh(words, kinds, informations, partner, sums, found):
    for i in range(len(words)):
        if kinds[words[i]] & _STOP:
            continue
        information = informations[words[i]]
        sums[0] += 1
        sums[2] += information
        if partner[i] >= 0:
            sums[1] += 1
            sums[3] += information
        else:
            found[5] = max(found[5], information)


def _register(name: str, column_of: Callable[[Aligned], Column], high: float = 1.0) -> None:
    @columnwise(name, "alignment", SULTAN, high=high)
    def column(batch: Batch) -> Column:
        return column_of(align(batch))


_register("aligned_content", attrgetter("content"))
_register("aligned_words", attrgetter("words"))
_register("aligned_weighted", attrgetter("weighted"))
_register("aligned_similarity", attrgetter("similar"))
_register("aligned_order", attrgetter("order"))
_register("unaligned_information", attrgetter("heaviest"), high=18.5)
_register("longest_run", attrgetter("run"))
